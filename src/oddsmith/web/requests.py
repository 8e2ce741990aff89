"""Requests as the API takes them: checked before anybody works on them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from oddsmith.games import catalogue

MAX_TEXT = 65_536
"""Letters of a board, or of properties."""
MAX_SOURCE = 524_288
"""Letters of a PRISM model."""

Key = Annotated[str, Field(max_length=60, json_schema_extra={"enum": list(catalogue())})]
"""The name of a game of the catalogue."""
Players = Annotated[int, Field(ge=1, le=62)]
OptionName = Annotated[str, Field(max_length=80)]
OptionText = Annotated[str, Field(max_length=400)]
Options = Annotated[dict[OptionName, OptionText], Field(max_length=40)]
PolicyName = Annotated[str, Field(max_length=60)]
BoardText = Annotated[str, Field(max_length=MAX_TEXT)]


class Request(BaseModel):
    """What all requests share: nothing but what is named is taken."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _writable(cls, value: Any) -> Any:
        """Refuse what JSON can say and nobody can write down: half letters, numbers beyond all."""
        try:
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, RecursionError):
            raise ValueError("a text or a number in it cannot be written in UTF-8 JSON") from None
        return value


class HeadlineRequest(Request):
    """The odds of a game of the catalogue as it is, in short."""

    kind: Literal["headline"]
    game: Key


class OddsRequest(Request):
    """Who wins how often, and how long it takes."""

    kind: Literal["odds"]
    game: Key
    players: Players | None = None
    options: Options = {}
    method: Literal["auto", "exact", "certified", "estimate"] = "auto"
    play: Annotated[str, Field(max_length=400)] | None = None
    """Who plays how: a policy for all, or one each with commas between."""


class BoardRequest(Request):
    """Everything about a board that the workshop shows."""

    kind: Literal["board"]
    text: BoardText
    players: Players | None = None
    original: BoardText | None = None
    """A board to compare it with."""


class PlayRequest(Request):
    """A game as far as it has been played; the server throws the dice and moves for policies."""

    kind: Literal["play"]
    game: Key
    players: Players | None = None
    options: Options = {}
    seats: Annotated[list[PolicyName], Field(min_length=1, max_length=62)]
    """`person`, or the name of a policy, for each player."""
    seed: Annotated[int, Field(ge=0, lt=2**53)] = 1
    moves: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=5000)] = []
    advice: bool = False
    odds: bool = False
    review: bool = False


class CheckRequest(Request):
    """Properties of a model in PRISM's language."""

    kind: Literal["check"]
    source: Annotated[str, Field(max_length=MAX_SOURCE)]
    properties: Annotated[str, Field(max_length=MAX_TEXT)]
    constants: Options = {}
    exact: bool = False
    simulate: bool = False


class _GameOrBoard(Request):
    game: Key | None = None
    text: BoardText | None = None
    players: Players | None = None
    options: Options = {}

    @model_validator(mode="after")
    def _one_of_them(self) -> _GameOrBoard:
        if (self.game is None) == (self.text is None):
            raise ValueError("give either a game or the text of a board")
        return self


class ReportRequest(_GameOrBoard):
    """A report of a game: one page of HTML with everything in it."""

    kind: Literal["report"]


class PictureRequest(_GameOrBoard):
    """A picture of a game by its name, as `oddsmith plot` draws it."""

    kind: Literal["picture"]
    picture: Annotated[str, Field(max_length=40, pattern=r"^[a-z]+(-[a-z]+)*$")]
    theme: Literal["light", "dark"] = "light"
    format: Literal["svg", "html"] = "svg"
    settings: Options = {}


JobRequest: TypeAlias = Annotated[
    HeadlineRequest
    | OddsRequest
    | BoardRequest
    | PlayRequest
    | CheckRequest
    | ReportRequest
    | PictureRequest,
    Field(discriminator="kind"),
]


class BoardInspection(Request):
    """A board to look at without solving it: its text, or its tables."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["text"]}, {"required": ["tables"]}]}
    )

    text: BoardText | None = None
    tables: dict[str, Any] | None = None
    players: Players | None = None

    @field_validator("tables")
    @classmethod
    def _not_too_large(cls, tables: dict[str, Any] | None) -> dict[str, Any] | None:
        if tables is not None and len(json.dumps(tables)) > 2 * MAX_TEXT:
            raise ValueError("the tables of a board are too large")
        return tables

    @model_validator(mode="after")
    def _one_of_them(self) -> BoardInspection:
        if (self.text is None) == (self.tables is None):
            raise ValueError("give either the text of a board or its tables")
        return self
