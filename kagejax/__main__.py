"""`python -m kagejax` is the command `kagejax`."""

import sys

from kagejax.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
