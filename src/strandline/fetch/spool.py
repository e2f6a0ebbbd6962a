"""Bodies on their way: in memory while small, in an unnamed temporary file when large."""

import contextlib
import io
import tempfile
from pathlib import Path
from typing import BinaryIO, cast


class Spool:
    """Takes bytes as they come and hands them over once, rewound. Whoever gets the stream closes it."""

    def __init__(self, folder: Path | None, memory: int = 1024 * 1024) -> None:
        self._folder = folder
        self._memory = memory
        self._pieces: list[bytes] = []
        self._file: BinaryIO | None = None
        self.length = 0

    def write(self, data: bytes) -> None:
        """Append. OSError when the temporary file cannot be made or written."""
        if self._file is None and self.length + len(data) > self._memory:
            # Without a name it cannot be left behind, whatever ends the process.
            unnamed = tempfile.TemporaryFile(dir=self._folder, buffering=256 * 1024)  # noqa: SIM115 - handed over
            self._file = cast("BinaryIO", unnamed)
            self._file.writelines(self._pieces)
            self._pieces.clear()
        if self._file is None:
            self._pieces.append(data)
        else:
            self._file.write(data)
        self.length += len(data)

    def hand_over(self) -> BinaryIO:
        """The whole body as a stream at its start. The spool is empty afterwards."""
        stream: BinaryIO = self._file or io.BytesIO(b"".join(self._pieces))
        stream.seek(0)
        self._pieces, self._file, self.length = [], None, 0
        return stream

    def discard(self) -> None:
        """Forget what came. Never fails: what finds no room on a full disk is not wanted any more."""
        held, self._pieces, self._file, self.length = self._file, [], None, 0
        if held is not None:
            with contextlib.suppress(OSError):  # closing writes the last bytes out
                held.close()
