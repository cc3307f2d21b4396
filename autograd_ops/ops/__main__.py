"""``python -m autograd_ops.ops NAME ...`` prints how a call of an op runs, and what the walk back calls."""

import sys

from ..call_path import call_source, pull_source
from ..table import TABLE
from . import load_all

load_all()
for name in sys.argv[1:]:
    if name not in TABLE:
        sys.exit(f"there is no op {name!r}")
    print(call_source(TABLE[name]))
    if TABLE[name].has_rules:
        print(pull_source(TABLE[name]))
