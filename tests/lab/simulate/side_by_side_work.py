"""Work for test_side_by_side.py: started as a process of its own, and imported by those it starts."""

import sys
import time
from pathlib import Path

from strandline.lab.simulate.side_by_side import side_by_side


def slow(place):
    (Path(place) / str(time.monotonic_ns())).touch()
    time.sleep(600.0)


if __name__ == "__main__":
    import side_by_side_work

    try:
        list(side_by_side(side_by_side_work.slow, [sys.argv[1]] * 4, 2))
    except KeyboardInterrupt:
        sys.exit(130)
