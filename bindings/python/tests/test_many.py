from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import morabase
from morabase import Position, Tablebase

Bitboards = npt.NDArray[np.uint32]


def positions(tables: Tablebase, many: int) -> tuple[Bitboards, Bitboards]:
    """Random bitboards of all classes that the tables have."""
    random = np.random.default_rng(many)
    classes = np.array([[int(cows) for cows in name.split("-")] for name in tables.classes])
    cows = classes[random.integers(len(classes), size=many)]
    bits = np.uint32(1) << random.permuted(np.tile(np.arange(24, dtype=np.uint32), (many, 1)), axis=1)
    own = np.where(np.arange(24) < cows[:, :1], bits, 0).sum(axis=1, dtype=np.uint32)
    both = np.where(np.arange(24) < cows.sum(axis=1, keepdims=True), bits, 0).sum(axis=1, dtype=np.uint32)
    return own, both ^ own


def test_each_entry_is_what_probe_gives(tables: Tablebase) -> None:
    own, opponent = positions(tables, 3_000)
    many = tables.probe_many(own, opponent)
    assert many.wdl.dtype == np.dtype(np.int8) and many.dtc.dtype == np.dtype(np.int16)
    assert {-1, 0, 1} == set(many.wdl.tolist())
    for cows, others, wdl, dtc in zip(own.tolist(), opponent.tolist(), many.wdl, many.dtc):
        for position in (Position.moving(cows, others), Position.moving(cows, others, "second")):
            probe = tables.probe(position)
            assert (probe.wdl, -1 if probe.dtc is None else probe.dtc) == (wdl, dtc)


@pytest.mark.parametrize("threads", [0, 2, 3, 7])
def test_threads_change_nothing(tables: Tablebase, threads: int) -> None:
    own, opponent = positions(tables, 50_001)
    alone = tables.probe_many(own, opponent)
    together = tables.probe_many(own, opponent, threads=threads)
    assert (alone.wdl == together.wdl).all() and (alone.dtc == together.dtc).all()


def test_many_python_threads_may_ask_at_once(tables: Tablebase) -> None:
    own, opponent = positions(tables, 20_000)
    alone = tables.probe_many(own, opponent)
    with ThreadPoolExecutor(max_workers=4) as pool:
        for answer in pool.map(lambda _: tables.probe_many(own, opponent), range(8)):
            assert (answer.wdl == alone.wdl).all() and (answer.dtc == alone.dtc).all()


def test_other_threads_run_while_many_are_probed(tables: Tablebase) -> None:
    own, opponent = positions(tables, 200_000)
    ended = threading.Event()
    woken: list[float] = []

    def wake() -> None:
        while not ended.wait(timeout=0.001):
            woken.append(time.perf_counter())

    other = threading.Thread(target=wake)
    other.start()
    start = time.perf_counter()
    tables.probe_many(own, opponent)
    end = time.perf_counter()
    ended.set()
    other.join()
    assert sum(start < at < end for at in woken) > 3


@pytest.mark.parametrize("dtype", ["u4", ">u4", "i4", "i8", ">i8", "u8"])
def test_every_integer_type_is_taken(tables: Tablebase, dtype: str) -> None:
    own, opponent = positions(tables, 100)
    expected = tables.probe_many(own, opponent)
    got = tables.probe_many(own.astype(dtype), opponent.astype(dtype))
    assert (got.wdl == expected.wdl).all() and (got.dtc == expected.dtc).all()


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2"])
def test_small_integer_types_hold_small_bitboards(tables: Tablebase, dtype: str) -> None:
    with pytest.raises(morabase.PositionError, match="entry 0"):
        tables.probe_many(np.array([7], dtype), np.array([7], dtype))
    own, opponent = np.array([0b0000111], dtype), np.array([0b1110000], dtype)
    assert tables.probe_many(own, opponent).wdl[0] == tables.probe_wdl(Position.moving(7, 0b1110000))


def test_shapes_are_broadcast_and_kept(tables: Tablebase) -> None:
    own, opponent = positions(tables, 60)
    flat = tables.probe_many(own, opponent)
    square = tables.probe_many(own.reshape(6, 10), opponent.reshape(6, 10))
    assert square.wdl.shape == (6, 10) and (square.wdl.ravel() == flat.wdl).all()
    turned = tables.probe_many(own.reshape(6, 10).T, opponent.reshape(6, 10).T)
    assert (turned.dtc.T == square.dtc).all()
    strided = tables.probe_many(own[::-3], opponent[::-3])
    assert (strided.dtc == flat.dtc[::-3]).all()
    one = tables.probe_many(int(own[0]), int(opponent[0]))
    assert one.wdl.shape == () and one.wdl == flat.wdl[0]
    against = tables.probe_many([7, 7 << 1], 7 << 8)
    assert against.wdl.shape == (2,)
    nothing: list[Any] = [[], np.zeros(0, np.uint32), np.zeros((0, 3), np.int64)]
    for empty in nothing:
        assert tables.probe_many(empty, empty).wdl.size == 0


def test_the_answers_can_be_written_to(tables: Tablebase) -> None:
    many = tables.probe_many([7], [7 << 8])
    many.wdl[0] = 0
    assert many.wdl[0] == 0


@pytest.mark.parametrize("bad", [[7.0], [True], ["7"], [None], np.zeros(1, "M8[s]"), np.zeros(1, "i4,i4"), [7j], "7"])
def test_other_types_are_refused(tables: Tablebase, bad: Any) -> None:
    for arguments in ((bad, [7 << 8]), ([7], bad)):
        with pytest.raises(morabase.ArgumentTypeError, match="whole numbers"):
            tables.probe_many(*arguments)


def test_masked_arrays_are_refused(tables: Tablebase) -> None:
    masked: Any = np.ma.MaskedArray([7, 7], [False, True])
    for arguments in ((masked, [7 << 8]), ([7], masked), (masked[:1], masked[:1]), (np.ma.masked, 7)):
        with pytest.raises(morabase.ArgumentTypeError, match="masked array"):
            tables.probe_many(*arguments)


def test_ragged_lists_and_other_shapes_are_refused(tables: Tablebase) -> None:
    with pytest.raises(morabase.Error):
        tables.probe_many([[7], [7, 7]], [7 << 8])
    with pytest.raises(morabase.ArgumentError, match=r"\(3,\) and \(2,\)"):
        tables.probe_many([7, 7, 7], [56, 56])


def test_other_options_are_refused(tables: Tablebase) -> None:
    with pytest.raises(morabase.ArgumentError, match="errors"):
        tables.probe_many([7], [56], errors="ignore")  # type: ignore[arg-type]
    for threads in (-1, 1_000_000):
        with pytest.raises(morabase.ArgumentError):
            tables.probe_many([7], [56], threads=threads)
    with pytest.raises(morabase.ArgumentTypeError):
        tables.probe_many([7], [56], threads="two")  # type: ignore[arg-type]


BAD_ENTRIES = [
    (1 << 24, 56, morabase.ArgumentError, "own"),
    (7, 0xFFFFFFFF, morabase.ArgumentError, "opponent"),
    (-1, 56, morabase.ArgumentError, "own"),
    (7, 1 << 40, morabase.ArgumentError, "opponent"),
    (7, 7, morabase.PositionError, "both players"),
    (0x1FFF, 0xE000, morabase.PositionError, "13 cows"),
    (0x1F, 0x1E0, morabase.MissingTableError, "5-4"),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("own", "opponent", "error", "says"), BAD_ENTRIES)
def test_a_bad_entry_is_named_or_masked(
    tables: Tablebase, own: int, opponent: int, error: type[morabase.Error], says: str, threads: int
) -> None:
    cows, others = (array.astype(np.int64) for array in positions(tables, 40_000))
    for at in (30_000, 39_999):
        cows[at], others[at] = own, opponent
    with pytest.raises(error, match=f"^entry 30000: .*{says}") as caught:
        tables.probe_many(cows, others, threads=threads)
    assert type(caught.value) is error and caught.value.index == 30_000  # type: ignore[attr-defined]
    masked = tables.probe_many(cows, others, errors="mask", threads=threads)
    for answers in masked:
        assert isinstance(answers, np.ma.MaskedArray)
        assert np.flatnonzero(answers.mask).tolist() == [30_000, 39_999]
    fills: list[tuple[Any, int]] = [(masked.wdl, -128), (masked.dtc, -2)]
    for array, fill in fills:
        assert array.fill_value == fill
        for filled in (array.filled(), array.data):
            assert filled.dtype == array.dtype and np.flatnonzero(filled == fill).tolist() == [30_000, 39_999]
    sound = tables.probe_many(cows[:30_000], others[:30_000])
    assert (masked.wdl[:30_000] == sound.wdl).all()


def test_a_side_with_fewer_than_three_cows_has_lost(tables: Tablebase) -> None:
    many = tables.probe_many([3, 7], [56, 8])
    assert many.wdl.tolist() == [-1, 1] and many.dtc.tolist() == [0, 0]


def test_the_package_needs_no_numpy_before_probe_many() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "import morabase\n"
        "tables = morabase.Tablebase()\n"
        "print(tables.probe('W:Wd6,d7,f4,f6:Bb4,d3,g1,g4'))\n"
        "try: tables.probe_many([7], [56])\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    first, second = done.stdout.splitlines()
    assert first == "won in 9 plies" and "pip install numpy" in second


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_control_c_ends_probe_many() -> None:
    # A thread sends the signal while the main thread is inside probe_many, whose answers would take some seconds.
    program = (
        "import os, signal, threading, time\n"
        "import numpy as np, morabase\n"
        # Where the tests run in the background, the signal is ignored by inheritance.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "tables = morabase.Tablebase()\n"
        "own = np.broadcast_to(np.uint32(7), 20_000_000)\n"
        "def interrupt():\n"
        "    time.sleep(0.7)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=interrupt).start()\n"
        "try: tables.probe_many(own, np.uint32(7 << 8))\n"
        "except KeyboardInterrupt: print('interrupted')\n"
        "else: print('went on')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout == "interrupted\n"
