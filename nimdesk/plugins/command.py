"""The process that becomes a program of others, once its memory is bounded."""

from __future__ import annotations

import os
import sys

from nimdesk.faults import one_line
from nimdesk.plugins.side import limit_memory


def main(memory_mb: str, *command: str) -> None:
    """Run the command in place of this process."""
    limit_memory(int(memory_mb))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{one_line(command[0])} cannot be run: {error.strerror or error}", file=sys.stderr)
        sys.stderr.flush()
        os._exit(127)
