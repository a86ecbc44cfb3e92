"""Named tuples of arrays that kernels get, and hand from function to function, as one address.

numba hands a tuple over as its parts, and an array is seven of them: with the rules, the identity and the search of a
game each function would take four hundred arguments, put together and taken apart again at each call. ``mcts`` runs
half as fast that way. Here it is one address of a few words that never change: the numbers of the tuple, where its
arrays are, their shapes.
"""

import ctypes
import hashlib
import operator
import struct
import sys
import weakref
from array import array
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending, types
from numba.core.typing.templates import AttributeTemplate

from nimdesk.kernels.memory.arrays import Bare, bare_at

T = TypeVar("T", bound=tuple[Any, ...])
# numba's own annotations say too little.
_numba: Any = numba
_types: Any = types
_extending: Any = extending
# Not in ``numba.extending``, and the one way to fields whose types depend on the instance of the type.
_AttributeTemplate: Any = AttributeTemplate
_I64, _F64 = ir.IntType(64), ir.DoubleType()
_POINTER = ir.PointerType()
_WORD = 8


class Reference(types.Type):
    """The numba type of the address: its fields are those of the tuple; tuples within it are references too."""

    def __init__(self, held: Any) -> None:
        """To a tuple like this one."""
        self._class: type | None = type(held)
        self._where = type(held).__module__, type(held).__qualname__
        self.fields: dict[str, tuple[Any, int]] = {}
        """The type of each, and the words before it."""
        self.size = 0
        """Words in all."""
        for name, value in zip(held._fields, held, strict=True):
            kind = _field_type(f"{name} in {type(held).__name__}", value)
            self.fields[name] = kind, self.size
            self.size += _words(kind)
        # Short, since it is looked up and written out at each call.
        module = type(held).__module__
        parts = [module, *(f"{name} {kind}" for name, (kind, _) in self.fields.items()), sources_of(module)]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
        super().__init__(f"{type(held).__name__}_{digest}")

    @property
    def instance_class(self) -> type:
        """What tells the rules of one game from those of another, as it does for the tuple itself."""
        if self._class is None:
            module, name = self._where
            self._class = cast(type, operator.attrgetter(name)(sys.modules[module]))
        return self._class

    def __getstate__(self) -> dict[str, Any]:
        """Without the class: numba keeps the types of all that it has compiled in one file, and who reads it for one
        game must not import the package of another, which may be gone.
        """
        return {**vars(self), "_class": None}


@cache
def sources_of(module: str) -> str:
    """A digest of the package that a module belongs to: code compiled for its tuples is not used after a change there.

    Nimdesk's own are in the name of the cache's folder.
    """
    package = sys.modules[module.partition(".")[0]]
    digest = hashlib.sha256()
    if package.__name__ != "nimdesk":
        alone = getattr(package, "__file__", None)
        folders = getattr(package, "__path__", ())
        files = sorted(path for folder in folders for path in Path(folder).rglob("*.py"))
        for path in files or ([Path(alone)] if alone else []):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _field_type(where: str, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise ValueError(f"the elements of {where} do not follow each other")
        # Whether it may be written to is not looked at.
        return Bare(_numba.from_dtype(value.dtype), value.ndim)
    if hasattr(value, "_fields"):
        return Reference(value)
    kind = _numba.typeof(value)
    if isinstance(value, tuple) and not _is_row_of_numbers(kind):
        # Its elements would be read from the wrong words.
        raise ValueError(f"{where} is a tuple of more than one kind of number")
    return kind


def _is_row_of_numbers(kind: Any) -> bool:
    return isinstance(kind, _types.UniTuple) and isinstance(kind.dtype, types.Number | types.Boolean)


def _words(kind: Any) -> int:
    if isinstance(kind, Reference):
        return kind.size
    if isinstance(kind, Bare):
        return 1 + kind.ndim
    return int(kind.count) if isinstance(kind, _types.UniTuple) else 1


class Held:
    """A tuple, and the words for kernels. Its arrays are the tuple's own: what one writes there, the other sees."""

    __slots__ = ("_numba_type_", "_words", "address", "held")

    def __init__(self, held: Any) -> None:
        """The tuple must not change as long as it is held, but for what is in its arrays."""
        kind: list[Any] = []
        words: list[int] = []
        _look_through(held, kind, words)
        self.held = held
        # numba looks there before it asks ``typeof_impl``, which takes ten times as long at each call of a kernel.
        self._numba_type_ = _type_of(tuple(kind), held)
        self._words = array("Q", words)
        self.address, _ = self._words.buffer_info()

    @property
    def kind(self) -> Reference:
        """Its numba type."""
        return self._numba_type_

    def __getattr__(self, name: str) -> Any:
        """The tuple's field."""
        return getattr(self.held, name)

    def __iter__(self) -> Iterator[Any]:
        """The tuple's fields."""
        return iter(self.held)


def hold(held: T) -> T:
    """The tuple in the form in which kernels get its address; it reads the same."""
    return cast(T, Held(held))


_known: dict[tuple[Any, ...], Reference] = {}


def _type_of(kind: tuple[Any, ...], held: Any) -> Reference:
    """What numba takes a millisecond to find out, once for each kind of tuple."""
    known = _known.get(kind)
    if known is None:
        known = _known[kind] = Reference(held)
    return known


_address_of = ctypes.addressof
_byte_of: Any = ctypes.c_char.from_buffer
_Array, _FLOATS, _WORD_MASK = np.ndarray, (float, np.floating), 0xFFFFFFFFFFFFFFFF


def _look_through(held: Any, kind: list[Any], words: list[int]) -> None:
    """Add what its type depends on, and its words. Searches begin with this: it is to take a few microseconds."""
    kind.append(type(held))
    for value in held:
        what = type(value)
        if what is _Array:
            shape = value.shape
            kind += value.dtype, len(shape)
            known = _read_only.get(id(value))
            if known is not None and known[0]() is value:
                words.append(known[1])
            else:
                try:  # the quick way; numpy itself takes four times as long to tell
                    words.append(_address_of(_byte_of(value)))
                except (TypeError, ValueError):  # one to be read only, an empty one, or one with gaps
                    words.append(_told_by_numpy(value))
                    if not value.flags.c_contiguous:
                        kind.append("gaps")  # never known: ``_field_type`` refuses it
            words += shape
        elif what is int:
            kind.append(what)
            words.append(value & _WORD_MASK)
        elif isinstance(value, tuple):
            _look_through(value, kind, words)
        else:
            kind.append(what)
            words.append(_bits_of(value) if isinstance(value, _FLOATS) else int(value) & _WORD_MASK)


# Where arrays to be read only begin: most are tables that all searches share, and these are asked for again and again.
_read_only: dict[int, tuple[Any, int]] = {}


def _told_by_numpy(array: np.ndarray[Any, Any]) -> int:
    """The address of any array."""
    address, key = array.ctypes.data, id(array)
    if not array.flags.writeable and array.flags.c_contiguous:
        _read_only[key] = weakref.ref(array, lambda _: _read_only.pop(key, None)), address
    return address


def _bits_of(number: float | np.floating[Any]) -> int:
    return cast(int, struct.unpack("<Q", struct.pack("<d", number))[0])


_extending.register_model(Reference)(_extending.models.OpaqueModel)


@_extending.unbox(Reference)  # type: ignore[untyped-decorator]
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


@_extending.lower_getattr_generic(Reference)  # type: ignore[untyped-decorator]
def _get_field(context: Any, builder: Any, reference: Reference, address: Any, field: str) -> Any:
    kind, place = reference.fields[field]
    if isinstance(kind, Reference):
        return builder.gep(address, [_I64(_WORD * place)])
    if isinstance(kind, Bare):
        lengths = [_load(builder, _I64, address, place + 1 + i) for i in range(kind.ndim)]
        return bare_at(context, builder, kind, _load(builder, _POINTER, address, place), lengths)
    if isinstance(kind, _types.UniTuple):
        numbers = [_number(context, builder, kind.dtype, address, place + i) for i in range(kind.count)]
        return context.make_tuple(builder, kind, numbers)
    return _number(context, builder, kind, address, place)


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
