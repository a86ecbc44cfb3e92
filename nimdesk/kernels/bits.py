"""Bit counts and short vectors for kernels, as LLVM instructions that every machine has in some form.

Written out where a plain loop is not turned into vector code by itself. All of it is exact and gives the same result
on every machine: integers, and single-precision sums and products in one fixed order.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic


# numba's own annotations show the typing context, which callers do not pass.
def _intrinsic(function: Callable[..., Any]) -> Any:
    return intrinsic(function)


_I1, _I32, _I64, _F32 = ir.IntType(1), ir.IntType(32), ir.IntType(64), ir.FloatType()
# What ``first_largest`` looks at in one step; arrays need so many more places than there are nodes.
LANES = 16


def _splat(builder: Any, value: Any, count: int) -> Any:
    vector = ir.VectorType(value.type, count)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, _I32(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_I32, count), [0] * count))


def _reduce(builder: Any, how: str, vector: Any) -> Any:
    kind, element = vector.type, vector.type.element
    name = f"llvm.vector.reduce.{how}.v{kind.count}i{element.width}"
    function = builder.module.globals.get(name) or ir.Function(builder.module, ir.FunctionType(element, [kind]), name)
    return builder.call(function, [vector])


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [index])


def _load_vector(builder: Any, pointer: Any, element: Any, count: int, align: int) -> Any:
    vector = ir.VectorType(element, count)
    return builder.load(builder.bitcast(pointer, vector.as_pointer()), align=align, typ=vector)


@_intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """The number of bits that are set in a uint64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@_intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """The index of the lowest bit that is set in a uint64; 64 if none is."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], _I1(0))

    return types.uint64(types.uint64), generate


@_intrinsic
def has_line(typing_context: Any, word: Any, span: Any, first: Any, second: Any, third: Any) -> Any:
    """Whether the bits hold a line of ``1 + first + second + third`` in any direction.

    A board of at most 64 bits, ``span`` to a row, of which the last stays empty; the other three as in ``line_steps``.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words, lanes = _splat(builder, args[0], 4), ir.VectorType(_I64, 4)
        one = ir.Constant(lanes, [1, 0, 0, 0])
        spans = builder.mul(_splat(builder, args[1], 4), ir.Constant(lanes, [0, 1, 1, 1]))
        directions = builder.add(builder.add(spans, one), ir.Constant(lanes, [0, -1, 0, 1]))
        for step in args[2:]:
            shift = builder.mul(directions, _splat(builder, step, 4))
            words = builder.and_(words, builder.lshr(words, shift))
        whole = builder.bitcast(words, ir.IntType(256))
        return builder.icmp_unsigned("!=", whole, ir.Constant(ir.IntType(256), 0))

    return types.boolean(*[types.uint64] * 5), generate


@_intrinsic
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
        base = _pointer(context, builder, signature.args[0], args[0], args[1])
        at = builder.mul(args[4], _I64(4))
        lines = _pointer(context, builder, signature.args[2], args[2], at)
        bits = _load_vector(builder, _pointer(context, builder, signature.args[3], args[3], at), _I32, 4, 4)
        pointers = [
            builder.gep(base, [builder.zext(builder.load(builder.gep(lines, [_I64(i)])), _I64)]) for i in range(4)
        ]
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

    flat = types.Array(types.uint32, 1, "C")
    places, masks = types.Array(types.int32, 1, "C"), types.Array(types.uint32, 1, "C")
    return types.boolean(flat, types.int64, places, masks, types.int64, *[types.uint64] * 3), generate


@_intrinsic
def copy_64(typing_context: Any, source: Any, target: Any) -> Any:
    """Copy the first 64 bytes of an array of uint8 to another one."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.IntType(512)
        start, end = (
            builder.bitcast(_pointer(context, builder, each, arg, _I64(0)), kind.as_pointer())
            for each, arg in zip(signature.args, args, strict=True)
        )
        builder.store(
            _load_vector(builder, start, _I64, 8, 1), builder.bitcast(end, ir.VectorType(_I64, 8).as_pointer()), align=1
        )
        return context.get_dummy_value()

    flat = types.Array(types.uint8, 1, "C")
    return types.void(flat, flat), generate


@_intrinsic
def first_largest(typing_context: Any, mean: Any, width: Any, first: Any, count: Any, factor: Any) -> Any:
    """The index, counted from ``first``, of the first of ``count`` places with the largest ``mean + factor * width``.

    All are single-precision and at least 0, so that they compare as the integers of their bits. It reads up to
    ``LANES - 1`` places beyond the last.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _first_largest(context, builder, signature.args, args, 4)

    floats = types.Array(types.float32, 1, "C")
    return types.uint64(floats, floats, types.uint64, types.uint64, types.float32), generate


@_intrinsic
def first_largest_of_many(typing_context: Any, mean: Any, width: Any, first: Any, count: Any, factor: Any) -> Any:
    """The same in longer vectors, which pays from some 30 places on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _first_largest(context, builder, signature.args, args, 8)

    floats = types.Array(types.float32, 1, "C")
    return types.uint64(floats, floats, types.uint64, types.uint64, types.float32), generate


def _first_largest(context: Any, builder: Any, kinds: Any, args: Any, half: int) -> Any:
    means, widths = (_pointer(context, builder, kind, arg, args[2]) for kind, arg in zip(kinds[:2], args, strict=False))
    lanes = ir.VectorType(_I32, half)
    count, factors = builder.trunc(args[3], _I32), _splat(builder, args[4], half)
    counts, nothing = _splat(builder, count, half), ir.Constant(lanes, [-1] * half)
    before, loop = builder.block, builder.append_basic_block("bounds")
    after = builder.append_basic_block("bounds_end")
    builder.branch(loop)
    builder.position_at_end(loop)
    at, best, where = builder.phi(_I32), builder.phi(lanes), builder.phi(lanes)
    index = builder.zext(at, _I64)
    new_best, new_where = best, where
    for part in range(2):
        place = builder.add(index, _I64(part * half))
        mean = _load_vector(builder, builder.gep(means, [place]), _F32, half, 4)
        width = _load_vector(builder, builder.gep(widths, [place]), _F32, half, 4)
        bounds = builder.bitcast(builder.fadd(mean, builder.fmul(factors, width)), lanes)
        here = builder.add(_splat(builder, at, half), ir.Constant(lanes, list(range(part * half, (part + 1) * half))))
        bounds = builder.select(builder.icmp_signed("<", here, counts), bounds, nothing)
        better = builder.icmp_signed(">", bounds, new_best)
        new_best = builder.select(better, bounds, new_best)
        new_where = builder.select(better, here, new_where)
    following = builder.add(at, _I32(2 * half))
    starts = (_I32(0), nothing, ir.Constant(lanes, [0] * half))
    for phi, start, later in zip((at, best, where), starts, (following, new_best, new_where), strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(later, loop)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
    builder.position_at_end(after)
    top = _splat(builder, _reduce(builder, "smax", new_best), half)
    equal = builder.icmp_signed("==", new_best, top)
    found = builder.select(equal, new_where, ir.Constant(lanes, [0x7FFFFFFF] * half))
    return builder.zext(_reduce(builder, "smin", found), _I64)
