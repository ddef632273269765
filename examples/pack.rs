//! Measures the codec on raw files.
use morabase::solve::*;
use morabase::table::*;
use morabase::*;
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (mut n, mut b) = (0, 0);
    for c in &args[2..] {
        let class: Class = c.parse().unwrap();
        let v = Values::from_codes(class, std::fs::read(format!("{}/{c}.bin", args[1])).unwrap()).unwrap();
        let t = Tally::of(&v);
        let rules = Preset::Plain.rules();
        let mut dtc = vec![DtcCount::default(); t.max_dtc().map_or(0, |p| p.0 as usize + 1)];
        for r in t.rows() {
            dtc[r.plies as usize] = DtcCount { won: r.won, lost: r.lost };
        }
        let counts = |c: WdlCounts| Counts { won: c.won, drawn: c.drawn, lost: c.lost };
        let meta = TableMeta {
            rules_text: rules.to_string(),
            rules_fingerprint: rules.fingerprint(),
            class,
            blocks: v.layout().blocks(),
            full: counts(t.full),
            canonical: counts(t.canonical),
            dtc,
        };
        let c0 = cpu();
        let path = std::path::PathBuf::from(format!("/tmp/ex/{}", file_name(class)));
        let len = write_table(&path, &meta, v.codes(), Existing::Replace).unwrap();
        let e = cpu() - c0;
        let c0 = cpu();
        let table = Table::open(&path, Access::Map).unwrap();
        let mut out = vec![0; v.codes().len()];
        table.decode_all(&mut out).unwrap();
        let d = cpu() - c0;
        assert_eq!(out, v.codes());
        let k = out.len() as f64;
        n += out.len();
        b += len;
        println!("{class} bits {:.3} enc {:.1} ns dec {:.1} ns", len as f64 * 8.0 / k, e * 1e9 / k, d * 1e9 / k);
    }
    println!("bits {:.3}", b as f64 * 8.0 / n as f64);
}
