import json
import subprocess
import sys

import pytest

TELL = """
import gc, json
from strandline.archive.long_run import settle_in
before = gc.get_freeze_count()
settle_in()
once = gc.get_freeze_count()
more = [[] for _ in range(1000)]
settle_in()
print(json.dumps([before, once, gc.get_freeze_count(), gc.get_threshold()[0]]))
"""


def test_what_start_up_made_is_set_aside_once():
    done = subprocess.run([sys.executable, "-c", TELL], capture_output=True, text=True, check=True)
    before, once, later, threshold = json.loads(done.stdout)
    assert before == 0 < once
    assert later == once
    assert threshold > 700


GIVE = """
from pathlib import Path
from strandline.archive.long_run import give_back

def held():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])

kept, pieces = [], []
for number in range(400_000):  # what is kept lies between pieces that are not
    pieces.append(bytearray(700))
    if number % 2000 == 0:
        kept.append(bytearray(700))
circle = [pieces]
circle.append(circle)
del pieces, circle
before = held()
give_back()
print(before, held())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks the system as Linux tells it")
def test_what_an_answer_took_goes_back_to_the_system():
    done = subprocess.run([sys.executable, "-c", GIVE], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert before > 250_000 and after < 0.5 * before
