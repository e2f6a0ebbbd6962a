"""Runs every benchmark, or those named on the command line, each in its own process; options are handed on."""

import subprocess
import sys
from pathlib import Path


def main() -> None:
    here = Path(__file__).parent
    names = [path.stem.removeprefix("bench_") for path in sorted(here.glob("bench_*.py"))]
    given = next((n for n, word in enumerate(sys.argv) if n and word.startswith("-")), len(sys.argv))
    wanted, options = sys.argv[1:given] or names, sys.argv[given:]
    unknown = set(wanted) - set(names)
    if unknown:
        sys.exit(f"no such benchmark: {', '.join(sorted(unknown))}; there are: {', '.join(names)}")
    for name in wanted:
        print(f"\n== {name}", flush=True)
        subprocess.run([sys.executable, "-m", f"benchmarks.bench_{name}", *options], check=False, cwd=here.parent)


if __name__ == "__main__":
    main()
