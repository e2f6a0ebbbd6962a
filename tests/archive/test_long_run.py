import json
import subprocess
import sys

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
