"""Bit counts and short vectors for kernels, as LLVM instructions that every machine has in some form.

Written out where a plain loop is not turned into vector code by itself. All of it is exact and gives the same result
on every machine: integers, and single-precision sums and products in one fixed order.
"""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import binding, ir  # type: ignore[import-untyped]
from numba import extending, types

from nimdesk.kernels import shipped
from nimdesk.kernels.jit import INLINED, inlined, intrinsic
from nimdesk.kernels.memory.arrays import place

_ONES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_PAIRS, _FOURS, _EIGHTS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_DIAGONAL, _LOW_SEVEN = np.uint64(0x8040201008040201), np.uint64(0x7F7F7F7F7F7F7F7F)
_I1, _I32, _I64, _F32 = ir.IntType(1), ir.IntType(32), ir.IntType(64), ir.FloatType()
# What ``first_largest`` looks at in one step; arrays need so many elements more.
LANES = 32
_HALF = 8
# The bits of -1.0: as an integer and as a number below every bound.
_NONE = -0x40800000


def _splat(builder: Any, value: Any, count: int) -> Any:
    vector = ir.VectorType(value.type, count)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, _I32(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_I32, count), [0] * count))


def _reduce(builder: Any, how: str, vector: Any) -> Any:
    kind, element = vector.type, vector.type.element
    name = f"llvm.vector.reduce.{how}.v{kind.count}i{element.width}"
    function = builder.module.globals.get(name) or ir.Function(builder.module, ir.FunctionType(element, [kind]), name)
    return builder.call(function, [vector])


def _load_vector(builder: Any, pointer: Any, element: Any, count: int, align: int) -> Any:
    vector = ir.VectorType(element, count)
    return builder.load(builder.bitcast(pointer, vector.as_pointer()), align=align, typ=vector)


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """The number of bits that are set in a uint64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """The index of the lowest bit that is set in a uint64; 64 if none is."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], _I1(0))

    return types.uint64(types.uint64), generate


def _can_deposit() -> bool:
    config: Any = numba.config
    if config.CPU_NAME or config.CPU_FEATURES:
        # numba is told to compile for another processor; the one that kernels are shipped for has the instruction.
        return (config.CPU_NAME, config.CPU_FEATURES) == (shipped.PROCESSOR, "")
    return bool(binding.get_host_cpu_features().get("bmi2")) and not shipped.deposits_slowly()


@intrinsic
def _deposit(typing_context: Any, bits: Any, mask: Any) -> Any:
    """The i-th bit of ``bits`` where the i-th bit that is set in ``mask`` is (x86's PDEP)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        name = "llvm.x86.bmi.pdep.64"
        known = builder.module.globals.get(name)
        return builder.call(known or ir.Function(builder.module, ir.FunctionType(_I64, [_I64, _I64]), name), args)

    return types.uint64(types.uint64, types.uint64), generate


def nth_bit(word: np.uint64, n: np.uint64) -> np.uint64:
    """The n-th bit that is set in a uint64, counted from 0, alone; there must be more than ``n``."""
    raise NotImplementedError


def nth_set(word: np.uint64, n: np.uint64) -> np.uint64:
    """The index of the n-th bit that is set in a uint64, counted from 0; there must be more than ``n``."""
    raise NotImplementedError


def _bit_deposited(word: np.uint64, n: np.uint64) -> np.uint64:
    return np.uint64(_deposit(np.uint64(1) << n, word))


def _index_deposited(word: np.uint64, n: np.uint64) -> np.uint64:
    return np.uint64(lowest_bit(_deposit(np.uint64(1) << n, word)))


def _bit_counted(word: np.uint64, n: np.uint64) -> np.uint64:
    return np.uint64(1) << _nth_place(word, n)


def _index_counted(word: np.uint64, n: np.uint64) -> np.uint64:
    return _nth_place(word, n)


def _implement(function: Callable[..., Any], deposited: Callable[..., Any], counted: Callable[..., Any]) -> None:
    """Give the function the body for the processor at hand; the other one is not even compiled."""

    def choose(word: Any, n: Any) -> Callable[..., Any]:
        return deposited if _can_deposit() else counted

    # numba wants chooser and body to have the same signature, so the chooser shows the body's.
    choose.__signature__ = inspect.signature(deposited)  # type: ignore[attr-defined]
    extending.overload(function, jit_options=INLINED)(choose)  # type: ignore[arg-type]


_implement(nth_bit, _bit_deposited, _bit_counted)
_implement(nth_set, _index_deposited, _index_counted)


@inlined
def _nth_place(word: np.uint64, n: np.uint64) -> np.uint64:
    # Without any branch: which one is random, so that a loop over the bits would nearly always be left unforeseen.
    pairs = word - (word >> np.uint64(1) & _PAIRS)
    fours = (pairs & _FOURS) + (pairs >> np.uint64(2) & _FOURS)
    # Byte i counts the bits of bytes 0 to i; the bit is in the first byte where that is above n.
    sums = (fours + (fours >> np.uint64(4)) & _EIGHTS) * _ONES
    start = lowest_bit(~((n * _ONES | _HIGH) - sums) & _HIGH) - np.uint64(7)
    left = n - ((sums << np.uint64(8)) >> start & np.uint64(0xFF))
    # The same in the byte, each of whose bits becomes a byte of 0 or 1.
    spread = (word >> start & np.uint64(0xFF)) * _ONES & _DIAGONAL
    sums = ((spread + _LOW_SEVEN & _HIGH) >> np.uint64(7)) * _ONES
    within = lowest_bit(~((left * _ONES | _HIGH) - sums) & _HIGH) >> np.uint64(3)
    return np.uint64(start + within)


@intrinsic
def has_line(typing_context: Any, word: Any, span: Any, first: Any, second: Any, third: Any) -> Any:
    """Whether the bits hold a line of ``1 + first + second + third`` in any direction.

    A board of at most 64 bits, ``span`` to a row, of which the last stays empty; the other three as in ``line_steps``.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _any_bit(builder, _line_bits(builder, args[0], args[1], args[2:]))

    return types.boolean(*[types.uint64] * 5), generate


@intrinsic
def either_has_line(typing_context: Any, word: Any, other: Any, span: Any, first: Any, second: Any, third: Any) -> Any:
    """Whether one of two words has a line, as in ``has_line``, in less time than two questions take."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = (_line_bits(builder, word, args[2], args[3:]) for word in args[:2])
        return _any_bit(builder, builder.or_(*found))

    return types.boolean(*[types.uint64] * 6), generate


def _line_bits(builder: Any, word: Any, span: Any, steps: Any) -> Any:
    """Four words, one a direction, with a bit where a line begins."""
    words, lanes = _splat(builder, word, 4), ir.VectorType(_I64, 4)
    one = ir.Constant(lanes, [1, 0, 0, 0])
    spans = builder.mul(_splat(builder, span, 4), ir.Constant(lanes, [0, 1, 1, 1]))
    directions = builder.add(builder.add(spans, one), ir.Constant(lanes, [0, -1, 0, 1]))
    for step in steps:
        shift = builder.mul(directions, _splat(builder, step, 4))
        words = builder.and_(words, builder.lshr(words, shift))
    return words


def _any_bit(builder: Any, words: Any) -> Any:
    return builder.icmp_unsigned("!=", builder.bitcast(words, ir.IntType(256)), ir.Constant(ir.IntType(256), 0))


@intrinsic
def mark_lines(
    typing_context: Any,
    words: Any,
    offset: Any,
    line_of: Any,
    bit_of: Any,
    spot: Any,
    first: Any,
    second: Any,
    third: Any,
) -> Any:
    """Set a mark in its four bit rows; whether one of them now has ``1 + first + second + third`` bits in a row.

    ``words`` (uint32) from ``offset`` on; the rows of ``line_of`` (int32) and ``bit_of`` (uint32) for the ``spot`` have
    four entries.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = builder.mul(args[4], _I64(4))
        lines = place(context, builder, signature.args[2], args[2], at, 3)
        bits = _load_vector(builder, place(context, builder, signature.args[3], args[3], at, 3), _I32, 4, 4)
        pointers = []
        for i in range(4):
            line = builder.zext(builder.load(builder.gep(lines, [_I64(i)])), _I64)
            pointers.append(place(context, builder, signature.args[0], args[0], builder.add(args[1], line)))
        marks = ir.Constant(ir.VectorType(_I32, 4), ir.Undefined)
        for i, pointer in enumerate(pointers):
            marks = builder.insert_element(marks, builder.load(pointer), _I32(i))
        marks = builder.or_(marks, bits)
        for i, pointer in enumerate(pointers):
            builder.store(builder.extract_element(marks, _I32(i)), pointer)
        for step in args[5:]:
            shift = _splat(builder, builder.trunc(step, _I32), 4)
            marks = builder.and_(marks, builder.lshr(marks, shift))
        whole = builder.bitcast(marks, ir.IntType(128))
        return builder.icmp_unsigned("!=", whole, ir.Constant(ir.IntType(128), 0))

    return types.boolean(words, types.int64, line_of, bit_of, types.int64, *[types.uint64] * 3), generate


@intrinsic
def first_largest(typing_context: Any, bounds: Any, first: Any, count: Any, factor: Any, without: Any) -> Any:
    """Of ``count`` places from ``first`` on, the first one with the largest ``mean + factor * width``, as a ``key``.

    The means stand in ``bounds`` from 2 * ``first`` on, the widths behind them. The place ``without``, counted from
    ``first``, does not take part; without any place the sum is -1. All are single-precision and at least 0, so that
    they compare as the integers of their bits. It reads up to ``LANES - 1`` elements beyond the last.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        means = place(context, builder, signature.args[0], args[0], builder.shl(args[1], _I64(1)))
        widths = builder.gep(means, [args[2]])
        count, but = builder.trunc(args[2], _I32), builder.trunc(args[4], _I32)
        bounds = _Bounds(builder, means, widths, count, _splat(builder, args[3], _HALF), _splat(builder, but, _HALF))
        where, top = _first_of_few_or_many(builder, bounds)
        return _make_key(builder, top, builder.add(where, args[1]))

    return types.int64(bounds, types.uint64, types.uint64, types.float32, types.int64), generate


@intrinsic
def key(typing_context: Any, bound: Any, place: Any) -> Any:
    """A bound of at least 0 and a place as one int64: the larger key has the larger bound, or the smaller place."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _make_key(builder, builder.bitcast(args[0], _I32), args[1])

    return types.int64(types.float32, types.uint64), generate


@inlined
def place_of(key: int) -> np.uint64:
    """The place in a key."""
    return np.uint64(~key) & np.uint64(0xFFFFFFFF)


def _make_key(builder: Any, bound: Any, place: Any) -> Any:
    low = builder.and_(builder.not_(place), _I64(0xFFFFFFFF))
    return builder.or_(builder.shl(builder.sext(bound, _I64), _I64(32)), low)


class _Bounds(NamedTuple):
    """Where the bounds of a node's children are computed from."""

    builder: Any
    means: Any
    widths: Any
    count: Any
    factors: Any
    but: Any

    def at(self, start: Any, offset: int) -> tuple[Any, Any]:
        """The bounds of ``_HALF`` places, as integers, and which places those are; what is none has ``_NONE``."""
        builder, lanes = self.builder, ir.VectorType(_I32, _HALF)
        place = builder.add(builder.zext(start, _I64), _I64(offset))
        mean = _load_vector(builder, builder.gep(self.means, [place]), _F32, _HALF, 4)
        width = _load_vector(builder, builder.gep(self.widths, [place]), _F32, _HALF, 4)
        sums = builder.bitcast(builder.fadd(mean, builder.fmul(self.factors, width)), lanes)
        consecutive = ir.Constant(lanes, list(range(offset, offset + _HALF)))
        here = builder.add(_splat(builder, start, _HALF), consecutive)
        there = builder.icmp_signed("<", here, _splat(builder, self.count, _HALF))
        there = builder.and_(there, builder.icmp_signed("!=", here, self.but))
        return builder.select(there, sums, ir.Constant(lanes, [_NONE] * _HALF)), here


def _first_of_few_or_many(builder: Any, bounds: _Bounds) -> tuple[Any, Any]:
    """The place and the bits of the bound: for up to 1, 2 and 4 vectors without a loop, which cannot be foreseen."""
    end = builder.append_basic_block("bounds_end")
    found = []
    for vectors in (1, 2, 4):
        few, more = builder.append_basic_block(f"bounds_{vectors}"), builder.append_basic_block("bounds_more")
        builder.cbranch(builder.icmp_signed("<=", bounds.count, _I32(vectors * _HALF)), few, more)
        builder.position_at_end(few)
        found.append((_first_of_few(builder, bounds, vectors), builder.block))
        builder.branch(end)
        builder.position_at_end(more)
    found.append((_first_of_many(builder, bounds), builder.block))
    builder.branch(end)
    builder.position_at_end(end)
    where, top = builder.phi(_I64), builder.phi(_I32)
    for (a_where, a_top), block in found:
        where.add_incoming(a_where, block)
        top.add_incoming(a_top, block)
    return where, top


def _first_of_few(builder: Any, bounds: _Bounds, vectors: int) -> tuple[Any, Any]:
    each = [bounds.at(_I32(0), _HALF * i)[0] for i in range(vectors)]
    rows = each
    while len(rows) > 1:
        rows = [_larger(builder, *rows[i : i + 2]) for i in range(0, len(rows), 2)]
    top = _reduce(builder, "smax", rows[0])
    tops, equal = _splat(builder, top, _HALF), _I64(0)
    for i, vector in enumerate(each):
        here = builder.bitcast(builder.icmp_signed("==", vector, tops), ir.IntType(_HALF))
        equal = builder.or_(equal, builder.shl(builder.zext(here, _I64), _I64(_HALF * i)))
    return builder.cttz(equal, _I1(0)), top


def _larger(builder: Any, one: Any, other: Any) -> Any:
    return builder.select(builder.icmp_signed(">", one, other), one, other)


def _first_of_many(builder: Any, bounds: _Bounds) -> tuple[Any, Any]:
    lanes = ir.VectorType(_I32, _HALF)
    before, loop, after = builder.block, builder.append_basic_block("bounds"), builder.append_basic_block("bounds_all")
    builder.branch(loop)
    builder.position_at_end(loop)
    at, best, where = builder.phi(_I32), builder.phi(lanes), builder.phi(lanes)
    new_best, new_where = best, where
    for part in range(2):
        sums, here = bounds.at(at, part * _HALF)
        better = builder.icmp_signed(">", sums, new_best)
        new_best = builder.select(better, sums, new_best)
        new_where = builder.select(better, here, new_where)
    following = builder.add(at, _I32(2 * _HALF))
    starts = (_I32(0), ir.Constant(lanes, [_NONE] * _HALF), ir.Constant(lanes, [0] * _HALF))
    for phi, start, later in zip((at, best, where), starts, (following, new_best, new_where), strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(later, loop)
    builder.cbranch(builder.icmp_signed("<", following, bounds.count), loop, after)
    builder.position_at_end(after)
    top = _reduce(builder, "smax", new_best)
    equal = builder.icmp_signed("==", new_best, _splat(builder, top, _HALF))
    found = builder.select(equal, new_where, ir.Constant(lanes, [0x7FFFFFFF] * _HALF))
    return builder.zext(_reduce(builder, "smin", found), _I64), top
