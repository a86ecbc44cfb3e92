"""The option fields of an agent as plain values, and the checking of what a person typed into them."""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from numbers import Complex, Real
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from nimdesk.errors import OptionError, quoted, suggestion
from nimdesk.search.options import AgentOptions

OptionsT = TypeVar("OptionsT", bound=AgentOptions)
OptionValue = int | float | str | bool | None
# Compiled and cached by ``re`` when something is typed, not before the first paint.
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?"
_SPACES = r"_ \u00a0\u202f"
# What may stand between thousands; a comma in a real number begins its decimals.
_SEPARATORS: dict[type, str] = {int: f"[,{_SPACES}]", float: f"[{_SPACES}]"}
_MOST = 1e300
"""Every whole number must be smaller: writing out a larger one might fill the memory."""
_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")


class OptionField(msgspec.Struct, frozen=True):
    """One option: its name in code, title and description for people, and default.

    ``advanced`` options are shown on demand; a ``note`` that is not empty should be shown unasked.
    """

    name: str
    title: str
    description: str
    default: OptionValue
    advanced: bool
    note: str

    @property
    def bounds_text(self) -> str:
        """The allowed values in words."""
        raise NotImplementedError

    def parse(self, text: str) -> OptionValue:
        """The value that ``text`` spells; ``OptionError`` says what is allowed."""
        raise NotImplementedError

    def check(self, value: object) -> OptionValue:
        """The value itself if it is allowed; ``OptionError`` otherwise."""
        raise NotImplementedError

    def words(self, value: OptionValue) -> str:
        """The option with this value for people, such as "Exploration c 0.5" or "Prove values off"."""
        raise NotImplementedError

    def error(self, value: object) -> OptionError:
        """The error for this value, saying what is allowed."""
        return OptionError(f"{self.title} is {_shown(value)}; it must be {self.bounds_text}.")


class NumberField(OptionField, frozen=True):
    """A number within bounds.

    ``optional`` allows None (an empty field); ``empty`` is shown for it. ``unit`` may be "".
    """

    kind: type[int] | type[float]
    minimum: int | float
    maximum: int | float
    optional: bool
    empty: str
    unit: str

    @property
    def bounds_text(self) -> str:
        """The bounds in words, such as "a whole number from 1 to 100 or empty"."""
        what = "a whole number" if self.kind is int else "a number"
        unit = f" {self.unit}" if self.unit else ""
        # The bounds as they may be typed: a real number has no comma between its thousands.
        low, high = (f"{end:,}" if self.kind is int else f"{end:g}" for end in (self.minimum, self.maximum))
        return f"{what} from {low} to {high}{unit}{' or empty' * self.optional}"

    def parse(self, text: str) -> int | float | None:
        """Reads 10,000 and 1e6; in a field for real numbers 0.5 and 0,5; in an optional field also nothing.

        A comma stands between the thousands of a whole number, and before the decimals of a real one.
        """
        cleaned = text.strip()
        if not cleaned and self.optional:
            return None
        if self.kind is float and cleaned.count(",") == 1 and "." not in cleaned:
            cleaned = cleaned.replace(",", ".")
        # "10,000" and "10 000" are grouped digits; "0,5" is not, and must not be read as 5.
        separator = _SEPARATORS[self.kind]
        if re.fullmatch(rf"[+-]?[0-9]{{1,3}}(?:{separator}[0-9]{{3}})+(?:\.[0-9]*)?", cleaned):
            cleaned = re.sub(separator, "", cleaned)
        if not re.fullmatch(_NUMBER, cleaned):
            raise self.error(text)
        # Decimal is exact: 1e6 is a whole number, and a long seed keeps its last digit. Not for floats, whose bound
        # 0.01 is a little more than Decimal("0.01").
        number = Decimal(cleaned) if self.kind is int else float(cleaned)
        # The bounds come first: they keep int() from writing out the zeros of 1e9999.
        if not self.minimum <= number <= self.maximum or (self.kind is int and number != int(number)):
            raise self.error(text)
        return self.check(self.kind(number))

    def check(self, value: object) -> int | float | None:
        """A number of the right kind within bounds, whatever the library that it comes from."""
        if value is None and self.optional:
            return None
        number = _whole(value) if self.kind is int else _real(value)
        if number is None or not self.minimum <= number <= self.maximum:
            raise self.error(value)
        return number

    def words(self, value: OptionValue) -> str:
        """The title and the number."""
        return f"{self.title} {'none' if value is None else f'{value:,}' if self.kind is int else f'{value:g}'}"

    def error(self, value: object) -> OptionError:
        """The error for this value, saying what is allowed."""
        if self.kind is float and isinstance(value, str) and "," in value:
            return OptionError(
                f"{self.title} is {_shown(value)}; a comma begins the decimals, and it must be {self.bounds_text}."
            )
        return super().error(value)


def whole_field(name: str, title: str, description: str, default: int, minimum: int, maximum: int) -> NumberField:
    """A required whole number."""
    return NumberField(
        name=name, title=title, description=description, default=default, advanced=False, note="", kind=int,
        minimum=minimum, maximum=maximum, optional=False, empty="", unit="",
    )  # fmt: skip


def real_field(
    title: str, default: float, minimum: float, maximum: float, *, name: str = "", description: str = ""
) -> NumberField:
    """A required real number; without a ``name`` it is called by its title."""
    return NumberField(
        name=name or title, title=title, description=description, default=default, advanced=False, note="", kind=float,
        minimum=minimum, maximum=maximum, optional=False, empty="", unit="",
    )  # fmt: skip


class ChoiceField(OptionField, frozen=True):
    """One of a few words; ``choices`` pairs each with its words for people."""

    choices: tuple[tuple[str, str], ...]

    @property
    def bounds_text(self) -> str:
        """The words, such as "one of: visits, mean, secure"."""
        return f"one of: {', '.join(value for value, _label in self.choices)}"

    def parse(self, text: str) -> str:
        """Reads the word."""
        return self.check(text.strip().lower())

    def check(self, value: object) -> str:
        """One of the words."""
        if not isinstance(value, str) or value not in dict(self.choices):
            raise self.error(value)
        return str(value)

    def words(self, value: OptionValue) -> str:
        """The title, and the value in its words for people."""
        return f"{self.title}: {dict(self.choices).get(str(value), value)}"


class SwitchField(OptionField, frozen=True):
    """Yes or no."""

    @property
    def bounds_text(self) -> str:
        """The words that are understood."""
        return "yes or no"

    def parse(self, text: str) -> bool:
        """Reads yes, true, on, 1 and their opposites."""
        word = text.strip().lower()
        if word not in _YES and word not in _NO:
            raise self.error(text)
        return word in _YES

    def check(self, value: object) -> bool:
        """A boolean."""
        if not is_bool(value):
            raise self.error(value)
        return bool(value)

    def words(self, value: OptionValue) -> str:
        """The title; a title says what is done, so that "not" before it would be no English."""
        return self.title if value else f"{self.title} off"


@cache
def option_fields(options_type: type[AgentOptions]) -> tuple[OptionField, ...]:
    """The declared fields of an options class, in order."""
    info = inspect.type_info(options_type)
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"{options_type} is no struct of options")
    return tuple(_field(field) for field in info.fields)


def make_options(options_type: type[OptionsT], values: Mapping[str, object]) -> OptionsT:
    """Options from named values, all checked; ``OptionError`` names the bad field and what is allowed."""
    fields = {field.name: field for field in option_fields(options_type)}
    checked = dict[str, OptionValue]()
    for name, value in values.items():
        if name not in fields:
            raise OptionError(f"There is no option {quoted(name)}; {suggestion(name, fields)}")
        checked[name] = fields[name].check(value)
    try:
        return msgspec.convert(checked, options_type)
    except msgspec.ValidationError as error:
        text = str(error)
        raise OptionError(f"{text[:1].upper()}{text[1:]}.") from None


def _field(field: inspect.Field) -> OptionField:
    meta: Any = field.type
    if not isinstance(meta, inspect.Metadata):
        raise TypeError(f"the option {field.name} has no title and description")
    schema, extra, inner = meta.extra_json_schema or {}, meta.extra or {}, meta.type
    advanced, note = extra.get("advanced", False), extra.get("note", "")
    common = (field.name, schema["title"], schema["description"], field.default, advanced, note)
    if isinstance(inner, inspect.BoolType):
        return SwitchField(*common)
    if isinstance(inner, inspect.LiteralType):
        return ChoiceField(*common, choices=tuple(extra["labels"].items()))
    kinds = inner.types if isinstance(inner, inspect.UnionType) else (inner,)
    number = next(kind for kind in kinds if not isinstance(kind, inspect.NoneType))
    if not isinstance(number, inspect.IntType | inspect.FloatType) or number.ge is None or number.le is None:
        raise TypeError(f"the option {field.name} is no number from a least to a largest one")
    return NumberField(
        *common,
        kind=int if isinstance(number, inspect.IntType) else float,
        minimum=number.ge,
        maximum=number.le,
        optional=isinstance(inner, inspect.UnionType),
        empty=extra.get("empty", ""),
        unit=extra.get("unit", ""),
    )


def is_bool(value: object) -> bool:
    """Whether it is a truth value, be it of Python or of NumPy."""
    # A value of NumPy exists only if NumPy is loaded, and not only half, as while another thread loads it.
    numpy_bool = getattr(sys.modules.get("numpy"), "bool_", bool)
    return isinstance(value, (bool, numpy_bool))


def _real(value: object) -> float | None:
    """A number that a program passed; None for anything else: a truth value, a text, an array of several."""
    if is_bool(value) or (isinstance(value, Complex) and not isinstance(value, Real)):
        return None
    # Arrays of one number become a number as well, but NumPy is about to end that.
    if getattr(value, "ndim", 0) or not (hasattr(value, "__index__") or hasattr(value, "__float__")):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, ArithmeticError):
        return None


def _whole(value: object) -> int | None:
    """A whole number that a program passed, such as 1e5, never rounded; None for anything else."""
    if (near := _real(value)) is None or not abs(near) < _MOST:
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = int(value)  # type: ignore[call-overload]
        return int(number) if number == value else None


def _shown(value: object) -> str:
    try:
        text = "" if value is None else str(value).strip()
    except ValueError:  # Python does not write out integers of more than 4,300 digits
        return "a number of thousands of digits"
    return quoted(text) if text else "empty"
