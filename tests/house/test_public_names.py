"""What `import strandline` promises is there, and nothing heavy is loaded to promise it."""

import subprocess
import sys

import strandline


def test_all_names_exist():
    assert strandline.__all__
    for name in strandline.__all__:
        assert getattr(strandline, name) is not None


def test_importing_the_package_is_light():
    code = "import sys, strandline; print(sorted({'numpy', 'numba', 'pycurl', 'sqlite3'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
