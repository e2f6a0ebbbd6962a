"""The writer alone, for tests that make system calls fail: keeps exchanges one by one, prints each promise.

    python writing.py FOLDER COUNT

File names are fixed by a clock that stands still, so that a tracer can be told which paths to disturb. Ends with
the exit code of the error that stopped it; a single failure that the writer can get over does not stop it.
"""

import json
import os
import sys
from pathlib import Path

from strandline.errors import StrandlineError
from strandline.warc.writer import WarcWriter, WriterSettings

sys.path.insert(0, str(Path(__file__).parents[1]))
from faults.keeper import promise
from warc.exchanges import ABOUT, StillClock, exchange, text

NAME = "strandline-20260528202640125-{:05d}-h.warc.gz"


def main():
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    writer = WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h", rotate_bytes=9000))
    try:
        for number in range(count):
            url = f"http://example.org/{number}"
            try:
                capture = writer.keep(exchange(url, text(number, 9000)))
                writer.sync()
            except OSError as error:
                print(json.dumps({"event": "refused", "url": url, "why": os.strerror(error.errno)}), flush=True)
                continue
            print(json.dumps(promise(capture)), flush=True)
        writer.close()
    except StrandlineError as error:
        print(json.dumps({"event": "stopped", "why": str(error)}), flush=True)
        return error.exit_code
    except OSError as error:
        print(json.dumps({"event": "stopped", "why": os.strerror(error.errno)}), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
