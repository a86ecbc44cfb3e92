"""What files of other programs are read and written as; each format is one module and one line in ``FORMATS``."""

from nimdesk.formats.base import Asked, Format, Reading, Record, RecordNode, Writing
from nimdesk.formats.files import FORMATS, format_for, kind_of, read_bytes, read_file, readable, write_file
from nimdesk.formats.moves import read_position

__all__ = [
    "FORMATS",
    "Asked",
    "Format",
    "Reading",
    "Record",
    "RecordNode",
    "Writing",
    "format_for",
    "kind_of",
    "read_bytes",
    "read_file",
    "read_position",
    "readable",
    "write_file",
]
