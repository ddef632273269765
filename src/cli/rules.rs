//! `rules`: the presets, and a rule set's options, canonical text and fingerprint.

use std::io::Write;

use morabase::present::RulesJson;
use morabase::{Preset, RuleSet};

use super::args::{RuleOverrides, RulesParser};
use super::{CliResult, write_json};

const EXAMPLES: &str = "\
Examples:
  morabase rules                              all presets
  morabase rules wikipedia
  morabase rules gar --counter when-three:12
  morabase rules --json

With --json one object for a rule set, {\"name\":…,\"summary\":…,\"rules\":…,\"fingerprint\":…,\"board\":…,\"cows\":…,\
\"fly\":…,\"counter\":{\"scope\":…,\"limit\":…}|null,\"no_remake\":…,\"full_board\":…,\"points\":…,\"edges\":…,\"lines\":…}, or an array of them. Where no \
preset has these options the summary is null and the name is the text.";

/// Show what a rule set says, or list the presets
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Preset or canonical rule text; without it, and without options, all presets are listed
    #[arg(value_name = "RULES", value_parser = RulesParser, hide_possible_values = true)]
    rules: Option<RuleSet>,
    #[command(flatten)]
    overrides: RuleOverrides,
    /// Print JSON
    #[arg(long, help_heading = "Options")]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> CliResult {
    if args.rules.is_none() && args.overrides.is_empty() {
        return list(args.json, out);
    }
    let rules = args.overrides.on(args.rules.unwrap_or_default())?;
    let said = RulesJson::new(&rules);
    if args.json {
        return write_json(out, &said);
    }
    let lines = [
        ("name", rules.preset().map_or("(no preset)", Preset::name).to_owned()),
        ("board", said.board.to_owned()),
        ("cows", said.cows.to_string()),
        ("fly", said.fly.to_string()),
        ("counter", rules.counter.map_or_else(|| "none".to_owned(), |counter| counter.to_string())),
        ("no-remake", said.no_remake.to_owned()),
        ("full-board", said.full_board.to_owned()),
        ("text", said.rules),
        ("fingerprint", said.fingerprint),
    ];
    for (key, value) in lines {
        writeln!(out, "{key:<12} {value}")?;
    }
    Ok(())
}

fn list(json: bool, out: &mut dyn Write) -> CliResult {
    if json {
        return write_json(out, &RulesJson::presets());
    }
    for preset in Preset::ALL {
        writeln!(out, "{:<17} {}", preset.name(), preset.summary())?;
    }
    Ok(())
}
