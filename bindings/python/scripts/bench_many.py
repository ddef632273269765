"""Compares `probe_many` with the same loop in Rust: `python scripts/bench_many.py [DIR...]`, where cargo is at hand.

Random positions of all classes that the tables have, each class as often as the next, are probed by both, in one
thread. Best of five rounds each, after one that warms the page cache. The package must be a release build, as `pip install .` makes it.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import morabase

POSITIONS = 400_000
ROUNDS = 5


def positions(tables: morabase.Tablebase) -> tuple[np.ndarray, np.ndarray]:
    """Random bitboards of both sides."""
    random = np.random.default_rng(2024)
    classes = np.array([[int(cows) for cows in name.split("-")] for name in tables.classes])
    cows = classes[random.integers(len(classes), size=POSITIONS)]
    shuffled = np.uint32(1) << random.permuted(np.tile(np.arange(24, dtype=np.uint32), (POSITIONS, 1)), axis=1)
    place = np.arange(24)
    own = np.where(place < cows[:, :1], shuffled, 0).sum(axis=1, dtype=np.uint32)
    both = np.where(place < cows.sum(axis=1, keepdims=True), shuffled, 0).sum(axis=1, dtype=np.uint32)
    return own, both ^ own


def best_of(rounds: int, tables: morabase.Tablebase, own: np.ndarray, opponent: np.ndarray, threads: int) -> float:
    """Nanoseconds a position."""
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter_ns()
        tables.probe_many(own, opponent, threads=threads)
        times.append(time.perf_counter_ns() - start)
    return min(times[1:]) / len(own)


def main(directories: list[str]) -> None:
    with morabase.Tablebase(directories) as tables, tempfile.TemporaryDirectory() as folder:
        own, opponent = positions(tables)
        file = pathlib.Path(folder, "positions")
        np.stack([own, opponent], axis=1).astype("<u4").tofile(file)
        crate = pathlib.Path(__file__).parents[1]
        loop = ["cargo", "run", "--quiet", "--release", "--example", "probe_loop", "--", str(file)]
        paths = [str(pathlib.Path(directory).resolve()) for directory in directories]
        rust = float(subprocess.run(loop + paths, cwd=crate, check=True, capture_output=True, text=True).stdout)
        one = best_of(ROUNDS, tables, own, opponent, threads=1)
        all_cores = best_of(ROUNDS, tables, own, opponent, threads=0)
    print(f"Rust loop {rust:.0f} ns, probe_many {one:.0f} ns ({one / rust:.2f} times), on all cores {all_cores:.0f} ns")


if __name__ == "__main__":
    main(sys.argv[1:])
