"""The part of `Tablebase.probe_many` that speaks numpy, which is imported on its first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: What no bitboard is; the compiled half refuses it.
_NO_BITBOARD = 0xFFFFFFFF

#: What stands for values and distances where there is no answer; the compiled half writes the same.
_NO_WDL, _NO_DTC = -128, -2


class ManyProbes(NamedTuple):
    """The values of many positions, each for the side to move.

    With `errors="mask"` both are masked arrays, and masked where there is no answer; `filled()` puts -128 there in `wdl` and -2
    in `dtc`.
    """

    #: 1 for won, 0 for drawn, -1 for lost (int8).
    wdl: npt.NDArray[np.int8]
    #: Plies to the next shot or the end, -1 for a draw (int16).
    dtc: npt.NDArray[np.int16]


def probe_many(tables: Any, own: Any, opponent: Any, errors: str, threads: int) -> ManyProbes:
    """What `Tablebase.probe_many` does."""
    try:
        import numpy as np  # noqa: F811
    except ImportError as error:
        raise ImportError(
            "probe_many works on numpy arrays, and numpy cannot be imported: pip install numpy; Tablebase.probe needs none"
        ) from error

    if errors not in ("raise", "mask"):
        raise ArgumentError(f"errors: expected 'raise' or 'mask', found {errors!r}")
    own = _bitboards(np, "own", own)
    opponent = _bitboards(np, "opponent", opponent)
    try:
        shape = np.broadcast(own, opponent).shape
    except ValueError:
        raise ArgumentError(
            f"expected arrays of shapes that fit together, found {own.shape} and {opponent.shape}"
        ) from None
    # `tobytes` writes out broadcast and strided arrays in their order.
    asked = (np.broadcast_to(cows, shape).tobytes() for cows in (own, opponent))
    wdl, dtc = tables._probe_bytes(*asked, errors == "mask", threads)
    answers = ManyProbes(np.frombuffer(wdl, np.int8).reshape(shape), np.frombuffer(dtc, np.int16).reshape(shape))
    if errors == "raise":
        return answers
    mask = answers.wdl == _NO_WDL
    fill = ((answers.wdl, _NO_WDL), (answers.dtc, _NO_DTC))
    return ManyProbes(*(np.ma.MaskedArray(answer, mask, fill_value=value) for answer, value in fill))


def _bitboards(np: Any, name: str, values: Any) -> Any:
    """The bitboards as little-endian uint32; what does not fit is replaced by what no bitboard is."""
    if np.ma.isMaskedArray(values):
        raise ArgumentTypeError(f"{name}: expected an array of whole numbers without a mask, found a masked array")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ArgumentTypeError(f"{name}: expected an array of whole numbers, found lists of different lengths") from None
    if array.size == 0 and not isinstance(values, np.ndarray):
        array = array.astype(np.uint32)
    if array.dtype.kind not in "iu":
        raise ArgumentTypeError(f"{name}: expected an array of whole numbers, found one of {array.dtype}")
    if array.dtype != np.uint32:
        no_bitboards = (array < 0) | (array > 0xFFFFFF)
        array = np.where(no_bitboards, 0, array).astype(np.uint32)
        array[no_bitboards] = _NO_BITBOARD
    return array.astype("<u4", copy=False)
