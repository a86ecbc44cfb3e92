"""Where a program frozen by PyInstaller begins: the window and the command line, and the processes that it starts."""

import multiprocessing
import sys

from nimdesk.__main__ import main

if __name__ == "__main__":
    multiprocessing.freeze_support()  # the processes of `nimdesk warm-up` and `nimdesk study` end here
    sys.exit(main())
