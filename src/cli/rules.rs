//! `rules`: the presets, and a rule set's options, canonical text and fingerprint.

use std::io::Write;

use morabase::{Preset, RuleSet, rules};
use serde_json::{Value, json};

use super::CliResult;
use super::args::{RuleOverrides, parse_rules};

const EXAMPLES: &str = "\
Examples:
  morabase rules                              all presets
  morabase rules wikipedia
  morabase rules gar --counter when-three:12
  morabase rules --json

With --json one object for a rule set, {\"name\":…,\"summary\":…,\"rules\":…,\"fingerprint\":…,\"board\":…,\"cows\":…,\
\"fly\":…,\"counter\":{\"scope\":…,\"limit\":…}|null,\"no_remake\":…,\"full_board\":…}, or an array of them. Where no \
preset has these options the summary is null and the name is the text.";

/// Show what a rule set says, or list the presets
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Preset or canonical rule text; without it, and without options, all presets are listed
    #[arg(value_name = "RULES", value_parser = parse_rules)]
    rules: Option<RuleSet>,
    #[command(flatten)]
    overrides: RuleOverrides,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    if args.rules.is_none() && args.overrides.is_empty() {
        return list(args.json, out);
    }
    let rules = args.overrides.on(args.rules.unwrap_or_default())?;
    if args.json {
        return Ok(writeln!(out, "{}", to_json(&rules))?);
    }
    let lines = [
        ("name", rules.preset().map_or("(no preset)", Preset::name).to_owned()),
        ("board", rules.board.name().to_owned()),
        ("cows", rules.cows.to_string()),
        ("fly", rules::FLYING_COWS.to_string()),
        ("counter", rules.counter.map_or_else(|| "none".to_owned(), |counter| counter.to_string())),
        ("no-remake", rules.no_remake.name().to_owned()),
        ("full-board", rules.full_board.name().to_owned()),
        ("text", rules.to_string()),
        ("fingerprint", format!("{:016x}", rules.fingerprint())),
    ];
    for (key, value) in lines {
        writeln!(out, "{key:<12} {value}")?;
    }
    Ok(())
}

fn list(json: bool, out: &mut dyn Write) -> CliResult {
    if json {
        let all: Value = Preset::ALL.iter().map(|preset| to_json(&preset.rules())).collect();
        return Ok(writeln!(out, "{all}")?);
    }
    for preset in Preset::ALL {
        writeln!(out, "{:<17} {}", preset.name(), preset.summary())?;
    }
    Ok(())
}

fn to_json(rules: &RuleSet) -> Value {
    json!({
        "name": rules.name(),
        "summary": rules.preset().map(Preset::summary),
        "rules": rules.to_string(),
        "fingerprint": format!("{:016x}", rules.fingerprint()),
        "board": rules.board.name(),
        "cows": rules.cows,
        "fly": rules::FLYING_COWS,
        "counter": rules.counter.map(|counter| json!({ "scope": counter.scope.name(), "limit": counter.limit })),
        "no_remake": rules.no_remake.name(),
        "full_board": rules.full_board.name(),
    })
}
