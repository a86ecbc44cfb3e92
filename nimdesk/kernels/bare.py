"""Arrays inside kernels, reduced to where they begin and how long they are.

numba takes an array for seven values, which it puts together and takes apart at each access: in a search with forty
arrays that is half of what there is to compile. A bare array is two: elements are read and written by an index that is
not negative, and there is ``size``. ``bare`` makes such of all arrays of one dimension in named tuples of any depth;
those of a held tuple (``reference.hold``) are such.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, imputils, types
from numba.core.typing import templates
from numba.extending import models, register_model

from nimdesk.kernels.jit import intrinsic

# numba's own annotations say too little.
_cgutils: Any = cgutils
_imputils: Any = imputils
_templates: Any = templates
_types: Any = types
_register_model: Any = register_model
_Type: Any = types.Type
_Model: Any = models.StructModel


class Bare(_Type):  # type: ignore[misc]
    """An array of one dimension: elements of ``dtype``, side by side.

    Or ``group`` of them, which is a power of two, and the next group ``step`` bytes later.
    """

    def __init__(self, dtype: Any, step: int = 0, group: int = 1) -> None:
        """As numba's types, told from others by the name."""
        self.dtype, self.step, self.group = dtype, step, group
        super().__init__(name=f"Bare({dtype}, {step}, {group})")


@_register_model(Bare)
class _BareModel(_Model):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [("data", _types.CPointer(kind.dtype)), ("size", types.intp)])


@_templates.infer_global(operator.getitem)
class _Get(_templates.AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """The element at an integer."""
        array, index = args
        if isinstance(array, Bare) and isinstance(index, types.Integer):
            return _templates.signature(array.dtype, array, index)
        return None


@_templates.infer_global(operator.setitem)
class _Set(_templates.AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """An element is written at an integer."""
        array, index, _ = args
        if isinstance(array, Bare) and isinstance(index, types.Integer):
            return _templates.signature(types.none, array, index, array.dtype)
        return None


@_templates.infer_getattr
class _BareAttributes(_templates.AttributeTemplate):  # type: ignore[misc]
    key = Bare

    def resolve_size(self, array: Any) -> Any:
        """How many elements."""
        return types.intp


def _size(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return builder.extract_value(value, 1)


def place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of an element of a ``Bare`` or of a numba array of one dimension."""
    if not isinstance(kind, Bare):
        return builder.gep(context.make_array(kind)(context, builder, array).data, [index])
    data = builder.extract_value(array, 0)
    if kind.step == 0:
        return builder.gep(data, [index])
    which = builder.lshr(index, ir.Constant(index.type, kind.group.bit_length() - 1))
    at = builder.gep(builder.bitcast(data, cgutils.voidptr_t), [builder.mul(which, ir.Constant(index.type, kind.step))])
    within = builder.and_(index, ir.Constant(index.type, kind.group - 1))
    return builder.gep(builder.bitcast(at, data.type), [within])


def _element(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    index = context.cast(builder, args[1], sig.args[1], types.uintp if not sig.args[1].signed else types.intp)
    return place(context, builder, sig.args[0], args[0], index)


def lower_elements(kind: type, index: type, element: Callable[..., Any]) -> None:
    """Have elements of such arrays read and written by such an index; ``element`` generates the address of one."""

    def get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.unpack_value(builder, sig.args[0].dtype, element(context, builder, sig, args))

    def put(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        context.pack_value(builder, sig.args[0].dtype, args[2], element(context, builder, sig, args))
        return context.get_dummy_value()

    _imputils.lower_builtin(operator.getitem, kind, index)(get)
    _imputils.lower_builtin(operator.setitem, kind, index, types.Any)(put)


_imputils.lower_getattr(Bare, "size")(_size)
lower_elements(Bare, types.Integer, _element)


def bare_at(context: Any, builder: Any, kind: Bare, data: Any, size: Any) -> Any:
    """A value of this type, from the address of its first element and its size."""
    model = context.get_value_type(kind)
    value = ir.Constant(model, ir.Undefined)
    value = builder.insert_value(value, builder.bitcast(data, model.elements[0]), 0)
    return builder.insert_value(value, size, 1)


def _bare_type(kind: Any) -> Any:
    if isinstance(kind, _types.BaseNamedTuple):
        return _types.NamedTuple([_bare_type(each) for each in kind.types], kind.instance_class)
    return Bare(kind.dtype) if isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C" else kind


def _strip(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    stripped = _bare_type(kind)
    if isinstance(kind, _types.BaseNamedTuple):
        parts = [_strip(context, builder, each, builder.extract_value(value, i)) for i, each in enumerate(kind.types)]
        return context.make_tuple(builder, stripped, parts)
    if stripped == kind:
        return value
    array = context.make_array(kind)(context, builder, value)
    return bare_at(context, builder, stripped, array.data, array.nitems)


@intrinsic
def bare(typing_context: Any, value: Any) -> Any:
    """The same named tuple or array with ``Bare`` arrays, for use inside the kernel alone."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _strip(context, builder, sig.args[0], args[0])

    return _bare_type(value)(value), generate
