"""Named tuples of arrays that kernels get, and hand from function to function, as one address.

numba hands a tuple over as its parts, and an array is seven of them: with the rules, the identity and the search of a
game each function took four hundred arguments, put together and taken apart again at each call. That was more than
half of the code to be compiled, and looking at the type of each array took longer than a short slice of a search.
Here it is one address of a few words that never change: the numbers of the tuple, where its arrays are, their shapes.
"""

import ctypes
import hashlib
import struct
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending
from numba.core import types
from numba.core.typing import templates
from numba.np.numpy_support import from_dtype

from nimdesk.kernels.bare import Bare, bare_at
from nimdesk.kernels.grid import Grid, grid_at

T = TypeVar("T", bound=tuple[Any, ...])
# numba's own annotations say too little.
_extending: Any = extending
_AttributeTemplate: Any = templates.AttributeTemplate
_NamedTuple: Any = types.NamedTuple
_I64, _F64 = ir.IntType(64), ir.DoubleType()
_POINTER = ir.PointerType()
_WORD = 8


class Reference(types.Type):
    """The numba type of the address: its fields are those of the tuple; tuples within it are references too."""

    def __init__(self, held: Any) -> None:
        """To a tuple of this numba type."""
        # What tells the rules of one game from those of another, as it does for the tuple itself.
        self.instance_class = held.instance_class
        self.fields: dict[str, tuple[Any, int]] = {}
        """The type of each, and the words before it."""
        self.size = 0
        """Words in all."""
        for name, kind in zip(held.fields, held, strict=True):
            if isinstance(kind, types.Array) and kind.layout != "C":
                raise ValueError(f"the elements of {name} in {held.instance_class.__name__} do not follow each other")
            own: Any = kind
            if isinstance(kind, types.BaseNamedTuple):
                own = Reference(kind)
            elif isinstance(kind, types.Array):
                # Whether it may be written to is not looked at.
                own = Bare(kind.dtype) if kind.ndim == 1 else Grid(kind.dtype, kind.ndim)
            elif isinstance(kind, types.BaseTuple) and not _is_row_of_numbers(kind):
                # Its elements would be read from the wrong words.
                raise ValueError(f"{name} in {held.instance_class.__name__} is a tuple of more than one kind of number")
            self.fields[name] = own, self.size
            self.size += _words(own)
        # Short, since it is looked up and written out at each call.
        parts = [held.instance_class.__module__, *(f"{name} {own}" for name, (own, _) in self.fields.items())]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
        super().__init__(f"{held.instance_class.__name__}_{digest}")


def _is_row_of_numbers(kind: Any) -> bool:
    return isinstance(kind, types.UniTuple) and isinstance(kind.dtype, types.Number | types.Boolean)


def _words(kind: Any) -> int:
    if isinstance(kind, Reference):
        return kind.size
    if isinstance(kind, Grid):
        return 1 + kind.ndim
    if isinstance(kind, Bare):
        return 2
    return int(kind.count) if isinstance(kind, types.UniTuple) else 1


class Held:
    """A tuple, and the words for kernels. Its arrays are the tuple's own: what one writes there, the other sees."""

    __slots__ = ("_numba_type_", "_words", "address", "held")

    def __init__(self, held: Any) -> None:
        """The tuple must not change as long as it is held, but for what is in its arrays."""
        kind: list[Any] = []
        words: list[int] = []
        _look_through(held, kind, words)
        self.held = held
        self._numba_type_ = _type_of(tuple(kind), held)
        self._words = np.array(words, np.uint64)
        self.address = _word_at(id(self._words) + _HEAD).value if _QUICK else self._words.ctypes.data

    def __getattr__(self, name: str) -> Any:
        """The tuple's field."""
        return getattr(self.held, name)


def hold(held: T) -> T:
    """The tuple in the form in which kernels get its address; it reads the same."""
    return cast(T, Held(held))


_known: dict[tuple[Any, ...], Reference] = {}


def _type_of(kind: tuple[Any, ...], held: Any) -> Reference:
    """What numba takes a millisecond to find out, once for each kind of tuple."""
    known = _known.get(kind)
    if known is None:
        known = _known[kind] = Reference(_numba_type(held))
    return known


def _numba_type(value: Any) -> Any:
    """As numba tells it, which imports numpy's masked arrays to say that an array is none."""
    if isinstance(value, np.ndarray):
        return types.Array(from_dtype(value.dtype), value.ndim, "C" if value.flags.c_contiguous else "A")
    if hasattr(value, "_fields"):
        return _NamedTuple([_numba_type(each) for each in value], type(value))
    return _extending.typeof_impl(value, None)


def _look_through(held: Any, kind: list[Any], words: list[int]) -> None:
    """Add what its type depends on, and its words. Searches begin with this: it is to take a few microseconds."""
    kind.append(type(held))
    for value in held:
        if type(value) is np.ndarray:
            shape = value.shape
            kind.append(value.dtype)
            # Whether its elements follow each other, and how many dimensions it has.
            kind.append(len(shape) if value.flags.c_contiguous else -1)
            words.append(_word_at(id(value) + _HEAD).value if _QUICK else value.ctypes.data)
            words += shape
            continue
        if isinstance(value, tuple):
            _look_through(value, kind, words)
            continue
        kind.append(type(value))
        words.append(_bits_of(value) if isinstance(value, float | np.floating) else int(value) & 0xFFFFFFFFFFFFFFFF)


def _bits_of(number: float | np.floating[Any]) -> int:
    return cast(int, struct.unpack("<Q", struct.pack("<d", number))[0])


# Where an array's elements are is the first field of numpy's object: ten times as fast as to ask the array.
_word_at, _HEAD = ctypes.c_size_t.from_address, object.__basicsize__
_probe = np.zeros(1)
_QUICK = _word_at(id(_probe) + _HEAD).value == _probe.ctypes.data


_extending.register_model(Reference)(_extending.models.OpaqueModel)


def _unbox(reference: Reference, held: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(held, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return _extending.NativeValue(address)


@_extending.infer_getattr
class _Fields(_AttributeTemplate):  # type: ignore[misc]
    key = Reference

    def generic_resolve(self, reference: Reference, field: str) -> Any:
        return reference.fields[field][0] if field in reference.fields else None


def _get_field(context: Any, builder: Any, reference: Reference, address: Any, field: str) -> Any:
    kind, place = reference.fields[field]
    if isinstance(kind, Reference):
        return builder.gep(address, [_I64(_WORD * place)])
    if isinstance(kind, Bare):
        return bare_at(
            context, builder, kind, _load(builder, _POINTER, address, place), _load(builder, _I64, address, place + 1)
        )
    if isinstance(kind, Grid):
        lengths = [_load(builder, _I64, address, place + 1 + i) for i in range(kind.ndim)]
        return grid_at(context, builder, kind, _load(builder, _POINTER, address, place), lengths)
    if isinstance(kind, types.UniTuple):
        numbers = [_number(context, builder, kind.dtype, address, place + i) for i in range(kind.count)]
        return context.make_tuple(builder, kind, numbers)
    return _number(context, builder, kind, address, place)


_extending.unbox(Reference)(_unbox)
_extending.lower_getattr_generic(Reference)(_get_field)


def _load(builder: Any, kind: Any, address: Any, place: int) -> Any:
    word = builder.load(builder.gep(address, [_I64(_WORD * place)]), align=_WORD, typ=kind)
    # It is the same however often it is read, whatever is written elsewhere meanwhile.
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


def _number(context: Any, builder: Any, kind: Any, address: Any, place: int) -> Any:
    wanted = context.get_value_type(kind)
    if isinstance(wanted, ir.IntType):
        word = _load(builder, _I64, address, place)
        return word if wanted.width == _I64.width else builder.trunc(word, wanted)
    word = _load(builder, _F64, address, place)
    return word if isinstance(wanted, ir.DoubleType) else builder.fptrunc(word, wanted)
