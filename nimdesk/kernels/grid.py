"""Arrays of two or three dimensions inside kernels, reduced to where they begin and how many elements go each way.

As ``bare`` is for those of one dimension: numba's own take seven to nine values, and ask of each index whether it
counts from the end. Here none may be negative.
"""

import operator
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, imputils, types
from numba.core.typing import templates
from numba.extending import models, register_model

from nimdesk.kernels.bare import lower_elements

# numba's own annotations say too little.
_imputils: Any = imputils
_templates: Any = templates
_types: Any = types
_cgutils: Any = cgutils
_register_model: Any = register_model
_Type: Any = types.Type
_Model: Any = models.StructModel


class Grid(_Type):  # type: ignore[misc]
    """An array of ``dtype`` and of two or more dimensions, whose elements follow each other row by row."""

    def __init__(self, dtype: Any, ndim: int) -> None:
        """As numba's types, told from others by the name."""
        self.dtype, self.ndim = dtype, ndim
        super().__init__(name=f"Grid({dtype}, {ndim})")


@_register_model(Grid)
class _GridModel(_Model):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        shape = _types.UniTuple(types.intp, kind.ndim)
        super().__init__(manager, kind, [("data", _types.CPointer(kind.dtype)), ("shape", shape)])


def _fits(grid: Any, index: Any) -> bool:
    return (
        isinstance(grid, Grid)
        and isinstance(index, _types.BaseTuple)
        and len(index) == grid.ndim
        and all(isinstance(each, types.Integer) for each in index)
    )


@_templates.infer_global(operator.getitem)
class _Get(_templates.AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """The element at as many integers as there are dimensions."""
        grid, index = args
        return _templates.signature(grid.dtype, grid, index) if _fits(grid, index) else None


@_templates.infer_global(operator.setitem)
class _Set(_templates.AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """An element is written there."""
        grid, index, _ = args
        return _templates.signature(types.none, grid, index, grid.dtype) if _fits(grid, index) else None


@_templates.infer_getattr
class _GridAttributes(_templates.AttributeTemplate):  # type: ignore[misc]
    key = Grid

    def resolve_shape(self, grid: Any) -> Any:
        """How many elements go each way."""
        return _types.UniTuple(types.intp, grid.ndim)


def _shape(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return builder.extract_value(value, 1)


def _element(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    grid, at = args[0], None
    for dimension, kind in enumerate(sig.args[1]):
        one = builder.extract_value(args[1], dimension)
        one = context.cast(builder, one, kind, types.intp if kind.signed else types.uintp)
        length = builder.extract_value(grid, [1, dimension])
        at = one if at is None else builder.add(builder.mul(at, length), one)
    return builder.gep(builder.extract_value(grid, 0), [at])


_imputils.lower_getattr(Grid, "shape")(_shape)
lower_elements(Grid, types.BaseTuple, _element)


def grid_at(context: Any, builder: Any, kind: Grid, data: Any, lengths: list[Any]) -> Any:
    """A value of this type, from the address of its first element and its shape."""
    model = context.get_value_type(kind)
    value = ir.Constant(model, ir.Undefined)
    value = builder.insert_value(value, builder.bitcast(data, model.elements[0]), 0)
    return builder.insert_value(value, _cgutils.pack_array(builder, lengths), 1)
