"""Arrays inside kernels, reduced to where they begin and how many elements go each way.

numba takes an array of one dimension for seven values, puts them together and takes them apart at each access, and
asks of each index whether it counts from the end. A bare array is two values: elements are read and written by indices
that are not negative, and there is ``size``, or ``shape`` with more dimensions than one. The arrays of a held tuple
(``memory.held``) are such.
"""

import operator
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending, types

from nimdesk.kernels import BOUNDS_CHECKED

# numba's own annotations say too little.
_Type: Any = types.Type
_types: Any = types
_extending: Any = extending
_I64, _BYTE = ir.IntType(64), ir.IntType(8)


class Bare(_Type):  # type: ignore[misc]
    """An array of ``dtype``, whose elements follow each other row by row.

    Or groups of ``group`` elements, which is a power of two, each ``step`` bytes after the one before.
    """

    def __init__(self, dtype: Any, ndim: int = 1, step: int = 0, group: int = 1) -> None:
        """As numba's types, told from others by the name."""
        self.dtype, self.ndim, self.step, self.group = dtype, ndim, step, group
        super().__init__(name=f"Bare({dtype}, {ndim}, {step}, {group})")


@_extending.register_model(Bare)
class _BareModel(_extending.models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        lengths = ("size", types.intp) if kind.ndim == 1 else ("shape", _types.UniTuple(types.intp, kind.ndim))
        super().__init__(manager, kind, [("data", _types.CPointer(kind.dtype)), lengths])


_extending.make_attribute_wrapper(Bare, "size", "size")
_extending.make_attribute_wrapper(Bare, "shape", "shape")


def _fits(array: Any, index: Any) -> bool:
    if not isinstance(array, Bare):
        return False
    if array.ndim == 1:
        return isinstance(index, types.Integer)
    return (
        isinstance(index, _types.BaseTuple)
        and len(index) == array.ndim
        and all(isinstance(each, types.Integer) for each in index)
    )


@_extending.type_callable(operator.getitem)  # type: ignore[untyped-decorator]
def _type_of_element(context: Any) -> Any:
    def type_of(array: Any, index: Any) -> Any:
        return array.dtype if _fits(array, index) else None

    return type_of


@_extending.type_callable(operator.setitem)  # type: ignore[untyped-decorator]
def _type_of_write(context: Any) -> Any:
    def type_of(array: Any, index: Any, value: Any) -> Any:
        return types.none if _fits(array, index) else None

    return type_of


def bare_at(context: Any, builder: Any, kind: Bare, data: Any, lengths: list[Any]) -> Any:
    """A value of this type, from the address of its first element and as many lengths as it has dimensions."""
    model = context.get_value_type(kind)
    value = builder.insert_value(ir.Constant(model, ir.Undefined), builder.bitcast(data, model.elements[0]), 0)
    if kind.ndim == 1:
        return builder.insert_value(value, lengths[0], 1)
    for dimension, length in enumerate(lengths):
        value = builder.insert_value(value, length, [1, dimension])
    return value


def size_of(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """How many elements a ``Bare`` or a numba array of one dimension has."""
    if isinstance(kind, Bare):
        return builder.extract_value(array, 1)
    return context.make_array(kind)(context, builder, array).nitems


def check(context: Any, builder: Any, index: Any, length: Any) -> None:
    """Where kernels check bounds: leave the kernel with ``IndexError`` unless 0 <= ``index`` < ``length``."""
    if BOUNDS_CHECKED:
        with builder.if_then(builder.icmp_unsigned(">=", index, length), likely=False):
            message = "an index is out of bounds"
            context.call_conv.return_user_exc(builder, IndexError, (message,))


def place(context: Any, builder: Any, kind: Any, array: Any, index: Any, further: int = 0) -> Any:
    """The address of an element of a ``Bare`` or of a numba array of one dimension.

    ``further`` elements behind it are going to be used as well, and must be there.
    """
    if BOUNDS_CHECKED:
        last = builder.add(index, ir.Constant(index.type, further))
        check(context, builder, index, size_of(context, builder, kind, array))
        check(context, builder, last, size_of(context, builder, kind, array))
    return unchecked_place(context, builder, kind, array, index)


def unchecked_place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The same where there may be no such element: nothing is going to be read or written there then."""
    if not isinstance(kind, Bare):
        return builder.gep(context.make_array(kind)(context, builder, array).data, [index])
    data = builder.extract_value(array, 0)
    if kind.step == 0:
        return builder.gep(data, [index])
    which = builder.lshr(index, ir.Constant(index.type, kind.group.bit_length() - 1))
    at = builder.gep(builder.bitcast(data, _BYTE.as_pointer()), [builder.mul(which, _I64(kind.step))])
    within = builder.and_(index, ir.Constant(index.type, kind.group - 1))
    return builder.gep(builder.bitcast(at, data.type), [within])


def _element(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array, index = sig.args[0], sig.args[1]
    if array.ndim == 1:
        return place(context, builder, array, args[0], _wide(context, builder, index, args[1]))
    at = None
    for dimension, kind in enumerate(index):
        one = _wide(context, builder, kind, builder.extract_value(args[1], dimension))
        length = builder.extract_value(args[0], [1, dimension])
        check(context, builder, one, length)
        at = one if at is None else builder.add(builder.mul(at, length), one)
    return builder.gep(builder.extract_value(args[0], 0), [at])


def _wide(context: Any, builder: Any, kind: Any, index: Any) -> Any:
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


def _get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.unpack_value(builder, sig.args[0].dtype, _element(context, builder, sig, args))


def _put(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    value = context.cast(builder, args[2], sig.args[2], sig.args[0].dtype)
    context.pack_value(builder, sig.args[0].dtype, value, _element(context, builder, sig, args))
    return context.get_dummy_value()


for _index in (types.Integer, _types.BaseTuple):
    _extending.lower_builtin(operator.getitem, Bare, _index)(_get)
    _extending.lower_builtin(operator.setitem, Bare, _index, types.Any)(_put)
