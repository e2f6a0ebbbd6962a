import importlib.metadata
import re

import strandline
from strandline.version import __version__


def test_the_package_says_the_version_it_was_built_as():
    assert strandline.__version__ == __version__ == importlib.metadata.version("strandline")
    assert re.fullmatch(r"\d+\.\d+\.\d+([a-z]+\d+)?", __version__)
