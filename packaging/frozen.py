"""Where a program frozen by PyInstaller begins: the window and the command line, and the processes that it starts."""

import multiprocessing
import os
import sys

from nimdesk.__main__ import main

if __name__ == "__main__":
    # PyInstaller has set where libraries are found. Programs of the system, such as the browser, are to find their own.
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is not None:
        os.environ["LD_LIBRARY_PATH"] = before
    else:
        os.environ.pop("LD_LIBRARY_PATH", None)
    multiprocessing.freeze_support()  # the processes of `nimdesk warm-up` and `nimdesk study` end here
    sys.exit(main())
