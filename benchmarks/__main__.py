"""Runs every benchmark, or those that are named, each in its own process; what follows the names is handed on.

python -m benchmarks [NAME ...] [OPTIONS]
python -m benchmarks NAME --help
"""

import ast
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

HERE = Path(__file__).parent
HELP = {"-h", "--help"}


def source(name: str) -> str:
    return (HERE / f"bench_{name}.py").read_text(encoding="utf-8")


def text(name: str) -> str:
    """What a benchmark says of itself."""
    return ast.get_docstring(ast.parse(source(name))) or ""


def main() -> None:
    names = [path.stem.removeprefix("bench_") for path in sorted(HERE.glob("bench_*.py"))]
    words = sys.argv[1:]
    wanted = list(takewhile(names.__contains__, words))
    options = words[len(wanted) :]
    asked = HELP & set(options)
    if not wanted and asked:
        print(f"{__doc__}\n" + "\n".join(f"{name:<10} {text(name).splitlines()[0]}" for name in names))
        return
    if options and not (wanted or options[0].startswith("-")):
        sys.exit(f"no such benchmark: {options[0]}; there are: {', '.join(names)}")
    for name in wanted or names:
        print(f"\n== {name}", flush=True)
        if asked and "argparse" not in source(name):
            print(text(name))
            continue
        subprocess.run([sys.executable, "-m", f"benchmarks.bench_{name}", *options], check=False, cwd=HERE.parent)


if __name__ == "__main__":
    main()
