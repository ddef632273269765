//! Solves everything up to a number of cows in memory and prints CPU time per entry.
use morabase::solve::*;
use morabase::*;
use std::collections::BTreeMap;

fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rules: RuleSet = args[1].parse::<Preset>().unwrap().rules();
    let (low, most): (u8, u8) = (args[2].parse().unwrap(), args[3].parse().unwrap());
    let dump = args.get(4);
    let mut solved: BTreeMap<Class, Values> = BTreeMap::new();
    let (mut total, mut entries) = (0.0, 0);
    let started = std::time::Instant::now();
    for class in Class::all(rules.cows) {
        if class.total() > most || solved.contains_key(&class) {
            continue;
        }
        let mut deps = Dependencies::default();
        solved.values().for_each(|v| deps.add(v));
        let control = Control::default();
        let t = cpu();
        let w = std::time::Instant::now();
        let new = solve_pair(&rules, class, &deps, &control).unwrap();
        let used = cpu() - t;
        let n: u64 = new.iter().map(|v| v.layout().entries()).sum();
        if class.total() >= low {
            total += used;
            entries += n;
        }
        println!(
            "{class} {n} {:.1} ns/entry, wall {:.2}, eff {:.2}, depth {}",
            used * 1e9 / n as f64,
            w.elapsed().as_secs_f64(),
            used / w.elapsed().as_secs_f64() / 2.0,
            control.depth.into_inner()
        );
        for v in new {
            if let Some(dir) = dump {
                std::fs::write(format!("{dir}/{}.bin", v.class()), v.codes()).unwrap();
            }
            solved.insert(v.class(), v);
        }
    }
    println!(
        "total {entries} {:.1} ns/entry cpu {total:.1} wall {:.1}",
        total * 1e9 / entries as f64,
        started.elapsed().as_secs_f64()
    );
}
