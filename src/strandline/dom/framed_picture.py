"""Pictures of pages with frames drawn on them: whole, or the part that shows most of them, small enough for a mail.

Needs the extra `strandline[images]`. Without it, and of what is no picture, broken, or too large, nothing is made.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Final, Literal

from strandline.core.changes.delta.framing import best_part
from strandline.core.pictures import Box
from strandline.dom.picture_marks import LARGEST

if TYPE_CHECKING:
    from PIL import Image

Mark = Literal["gone", "new"]

_COLOURS: Final[dict[Mark, str]] = {"gone": "#c2410c", "new": "#15803d"}
"""As in the comparison (web/static/pages.css)."""
_STROKE: Final = 4
"""Pixels of a frame. Origin: as in the comparison."""
PART_WIDTH: Final = 600
"""Pixels of a part. Origin: a guess, what mail programs show without scrolling."""
PART_HEIGHT: Final = 500
"""Pixels of a part. Origin: a guess."""
PART_BYTES: Final = 100_000
"""Bytes of a part at most. Origin: a bound; parts of pages of text take 20 to 60 kB."""
_QUALITIES: Final = (80, 60, 40, 20)
"""Of JPEG, tried until a part is small enough. Origin: a guess."""


def with_frames(picture: bytes, framed: Sequence[Box], mark: Mark) -> bytes | None:
    """The whole picture with its frames, as PNG; None when it cannot be made."""
    with _opened(picture) as shown:
        if shown is None:
            return None
        _draw(shown, framed, mark, _STROKE)
        file = BytesIO()
        shown.save(file, "PNG")
        return file.getvalue()


def framed_part(picture: bytes, framed: Sequence[Box], mark: Mark) -> bytes | None:
    """The part that shows most of what is framed, as a JPEG of bounded size; None when it cannot be made."""
    with _opened(picture) as shown:
        if shown is None:
            return None
        scale = min(1.0, PART_WIDTH / shown.width)
        _draw(shown, framed, mark, max(_STROKE, round(2 / scale)))
        top, bottom = best_part(framed, shown.height, round(PART_HEIGHT / scale))
        part = shown.crop((0, top, shown.width, bottom))
        part = part.resize((max(1, round(part.width * scale)), max(1, round(part.height * scale))))
        for quality in _QUALITIES:
            file = BytesIO()
            part.save(file, "JPEG", quality=quality, optimize=True)
            if file.tell() <= PART_BYTES:
                return file.getvalue()
    return None


@contextmanager
def _opened(picture: bytes) -> Iterator["Image.Image | None"]:
    """The picture, decoded, on white; None when that cannot be."""
    try:
        from PIL import Image  # noqa: PLC0415 - an optional extra
    except ImportError:
        yield None
        return
    shown: Image.Image | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(BytesIO(picture), formats=("PNG",)) as opened:
                if opened.width * opened.height <= LARGEST:
                    shown = _on_white(opened)
        except Exception:  # noqa: BLE001 - decoders end in errors of all kinds over broken files
            shown = None
    yield shown


def _on_white(picture: "Image.Image") -> "Image.Image":
    from PIL import Image  # noqa: PLC0415 - an optional extra

    if not picture.has_transparency_data:
        picture.load()  # its file is closed behind this
        return picture if picture.mode == "RGB" else picture.convert("RGB")
    plain = Image.new("RGBA", picture.size, "white")
    plain.alpha_composite(picture.convert("RGBA"))
    return plain.convert("RGB")


def _draw(picture: "Image.Image", framed: Sequence[Box], mark: Mark, stroke: int) -> None:
    """Frames around what they name, as far as it lies on the picture."""
    from PIL import ImageDraw  # noqa: PLC0415 - an optional extra

    pen = ImageDraw.Draw(picture)
    for box in framed:
        corners = (box.x, box.y, box.x + box.width, box.y + box.height)
        left, top, right, bottom = (round(max(-1e6, min(1e6, side))) for side in corners)
        if right > left and bottom > top:
            pen.rectangle((left - stroke, top - stroke, right + stroke, bottom + stroke), None, _COLOURS[mark], stroke)
