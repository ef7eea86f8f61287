"""`python -m kagejax` is the command `kagejax`."""

import sys

from kagejax.cli.main import main

sys.exit(main())
