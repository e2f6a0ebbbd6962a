"""Work that harms the process that does it."""

import os
import signal
import time

from strandline.errors import SettingError, Unreachable


def prepare(greeting):
    return greeting


def work(prepared, job, begins):
    for step, what in enumerate(job, 1):
        begins(step)
        match what:
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "exit":
                os._exit(3)
            case "spin":
                while True:
                    pass
            case "sleep":
                time.sleep(600)
            case "hoard":
                hoard = []
                while True:
                    hoard.append(bytearray(16 << 20))
            case "raise":
                raise ValueError("no good")
            case "refused":
                raise SettingError("the keys are wrong")
            case "away":
                raise Unreachable("the store is away")
            case "print":
                print("something a library might print")
    return prepared, len(job), os.getpid()
