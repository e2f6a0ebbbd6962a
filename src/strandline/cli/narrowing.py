"""Options that narrow lists, the same for every command."""

from typing import Annotated

import typer

Collection = Annotated[str, typer.Option(help="Only this collection.", metavar="NAME")]
Tag = Annotated[str, typer.Option(help="Only pages and changes with this tag.", metavar="TAG")]
