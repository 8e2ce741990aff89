"""Responses as the API gives them; what is sent is checked against these, errors included."""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from oddsmith.web import requests

Status = Literal["queued", "running", "done", "failed", "cancelled"]
Kind = Literal["headline", "odds", "board", "play", "check", "report", "picture"]


class Response(BaseModel):
    """What all responses share: more may come with what is named."""

    model_config = ConfigDict(extra="allow")


class Place(BaseModel):
    """Where a mistake is, in a text that was sent."""

    part: Literal["board", "model", "properties", "request"]
    line: int | None = None
    column: int | None = None


MOST_LETTERS = 1000
"""Of a sentence: whatever somebody sent that is quoted in it is cut."""


def sentence(text: str) -> str:
    r"""A sentence as it may be shown anywhere: not endless, and no control characters.

    >>> sentence("There is no \x1b[2Jgame")
    'There is no \\x1b[2Jgame'
    """
    if len(text) > MOST_LETTERS:
        text = f"{text[: MOST_LETTERS * 2 // 3]} … {text[-MOST_LETTERS // 4 :]}"
    shown = (c if c.isprintable() or c in "\n\xa0" else ascii(c)[1:-1] for c in text)
    return "".join(shown)


class Problem(BaseModel):
    """What is wrong, in a sentence. Every error of the API is one of these."""

    message: Annotated[str, AfterValidator(sentence)]
    place: Place | None = None


class ErrorBody(BaseModel):
    """The body of every response that is an error."""

    error: Problem


def problem(message: str, part: str | None = "request") -> dict[str, Any]:
    """The body of an error: of a request as a whole, unless its place is known better."""
    place = None if part is None else {"part": part}
    said = message.encode("utf-8", "replace").decode()
    return ErrorBody.model_validate({"error": {"message": said, "place": place}}).model_dump()


Number = float | Literal["inf", "-inf"] | None
"""A number as JSON can have it."""


class Answer(Response):
    """A number and what is known of it; infinity is the text "inf".

    A mean of simulated games says `approximate: true`: of its bounds, about the confidence holds.
    """

    value: Number
    lower: Number = None
    upper: Number = None
    exact: str | None = None


# The catalogue ------------------------------------------------------------------------------


class OptionCard(BaseModel):
    """An option of a game."""

    name: str
    takes: str
    default: str
    kind: Literal["number", "decimal", "flag", "text", "list", "choice"]
    choices: list[str] = []


class PolicyCard(BaseModel):
    """A way to play that the computer knows."""

    name: str
    says: str


class GameCard(Response):
    """A game of the catalogue, in short."""

    key: str
    title: str
    summary: str
    players: int
    fewest_players: int
    most_players: int
    decisions: bool
    board: bool
    score: bool
    options: list[OptionCard]
    policies: list[PolicyCard]


class PictureCard(Response):
    """A picture that may suit a game."""

    name: str
    says: str


class GamesBody(BaseModel):
    """The catalogue."""

    games: list[GameCard]


class BoardFileBody(Response):
    """A board: its text, its tables and how it is drawn."""

    text: str
    tables: dict[str, Any]
    drawing: dict[str, Any] | None


class GameBody(GameCard):
    """A game of the catalogue, with its rules and its board."""

    rules: str
    pictures: list[PictureCard]
    board_file: BoardFileBody | None


class InspectedBoard(BoardFileBody):
    """What is known of a board without solving it."""

    title: str
    players: int
    positions: int
    lattice: bool
    size: int
    options: list[OptionCard]


# Results ------------------------------------------------------------------------------------


class HeadlineResult(Response):
    """The odds in short."""

    method: str
    play: str | None
    """The policy of everybody in an estimate; without it they are the game's, or best play's."""
    hurried: bool
    """Whether there is an estimate only because a busy machine took too long to solve it."""
    win: list[Answer]
    draw: Answer | None
    score: list[Answer]
    length: Answer | None
    how: list[str]


class OddsResult(Response):
    """As `oddsmith solve --json` prints it."""

    game: str
    title: str
    players: int
    method: str
    win: list[Answer] = []
    draw: Answer | None = None
    score: list[Answer] = []
    duration: Answer | None = None
    how: list[str] = []


class BoardOdds(Response):
    """Who wins how often."""

    win: list[Answer]
    draw: Answer | None
    length: Answer | None


class BoardLengths(Response):
    """How long games take; chances with their lengths."""

    mean: Number
    quantiles: dict[str, int | Literal["inf"] | list[int | Literal["inf"]]]
    distribution: list[tuple[int, float]]
    unit: str


class BoardSquare(Response):
    """A square: how often the first player's piece comes to it, and what it is worth there."""

    number: int
    times: float | None
    ever: float | None
    chance: float | None


class BoardParts(Response):
    """What is known of a board; parts come one after the other."""

    odds: BoardOdds | None = None
    lengths: BoardLengths | None = None
    squares: list[BoardSquare] | None = None
    method: str | None = None
    how: list[str] = []


class BoardResult(BoardParts):
    """A board, and what it is compared with."""

    changes: list[str] = []
    original: BoardParts | None = None


class PlayStep(Response):
    """A move that was made."""

    number: int
    player: int
    move: str
    roll: str
    words: str


class LegalMove(Response):
    """A move that may be made."""

    move: str
    says: str


class MatchOdds(Response):
    """What the position is worth to each player."""

    worth: list[Answer | None]
    draw: Answer | None
    left: Answer | None
    games: int


class MoveAdvice(Response):
    """What a move is worth to whoever is to move."""

    move: str
    worth: Answer
    loss: float | None
    best: bool


class Mistake(Response):
    """A decision that was not the best there was."""

    number: int
    player: int
    move: str
    better: str
    loss: float
    position: list[tuple[str, str]]


class Review(Response):
    """What the decisions of persons have cost."""

    decisions: int
    mistakes: list[Mistake]
    cost: float


class MatchBoard(Response):
    """The board that is played, and where the pieces stand on it, by player."""

    tokens: list[int]
    drawing: dict[str, Any]


class PlayResult(Response):
    """A game as it stands."""

    game: str
    title: str
    players: int
    seats: list[str]
    seed: int
    moves: list[str]
    steps: list[PlayStep]
    position: list[tuple[str, str]]
    board: MatchBoard | None
    mover: int | None
    legal: list[LegalMove]
    over: bool
    winners: list[int]
    endless: bool
    scores: list[float]
    odds: MatchOdds | None
    advice: list[MoveAdvice] | None
    review: Review | None
    how: str


class ModelSize(Response):
    """What a model is and how large."""

    kind: str
    states: int
    transitions: int


class PropertyAnswer(Response):
    """The answer to a property, or why there is none."""

    property: str
    value: str
    number: Number
    lower: Number
    upper: Number
    exact: str | None
    verdict: bool | None
    error: Problem | None


class CheckResult(Response):
    """The answers to all properties."""

    model: ModelSize
    answers: list[PropertyAnswer]
    notes: list[str]


class ReportResult(Response):
    """A page of HTML."""

    html: str


class PictureResult(Response):
    """A picture: its media type, and itself as text."""

    media: str
    content: str


# Jobs ---------------------------------------------------------------------------------------


class ProgressBody(BaseModel):
    """How far a job is."""

    stage: str
    done: float | None
    of: float | None
    facts: str
    seconds_left: float | None


class JobHead(BaseModel):
    """A job without its result."""

    id: str
    kind: Kind
    request: requests.JobRequest
    status: Status
    version: int
    place_in_queue: int | None
    progress: ProgressBody | None
    error: Problem | None
    created: str
    started: str | None
    finished: str | None
    seconds: float | None


class JobsBody(BaseModel):
    """Jobs, the newest first."""

    jobs: list[JobHead]


K = TypeVar("K")
Q = TypeVar("Q")
R = TypeVar("R")


class JobOf(JobHead, Generic[K, Q, R]):
    """A job of one kind; while it runs, its result may be a part of what it will be."""

    kind: K  # type: ignore[assignment]
    request: Q  # type: ignore[assignment]
    result: R | None


JobBody: TypeAlias = Annotated[
    JobOf[Literal["headline"], requests.HeadlineRequest, HeadlineResult]
    | JobOf[Literal["odds"], requests.OddsRequest, OddsResult]
    | JobOf[Literal["board"], requests.BoardRequest, BoardResult]
    | JobOf[Literal["play"], requests.PlayRequest, PlayResult]
    | JobOf[Literal["check"], requests.CheckRequest, CheckResult]
    | JobOf[Literal["report"], requests.ReportRequest, ReportResult]
    | JobOf[Literal["picture"], requests.PictureRequest, PictureResult],
    Field(discriminator="kind"),
]


# The server ---------------------------------------------------------------------------------


class JobCounts(BaseModel):
    """How many jobs wait and run."""

    queued: int
    running: int


class HealthBody(BaseModel):
    """How the server is."""

    status: Literal["ok", "trouble"]
    trouble: str | None
    version: str
    workers: int
    jobs: JobCounts
    limits: dict[str, float]
