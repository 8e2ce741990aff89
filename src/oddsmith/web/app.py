"""The application: routes, what they take and what they give, and the page itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, HTTPException, Query, Request
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as PlainHTTPException

from oddsmith.games import catalogue
from oddsmith.rules.board import effects
from oddsmith.rules.options import suggestion
from oddsmith.version import __version__
from oddsmith.web import cards
from oddsmith.web.job import Job
from oddsmith.web.jobs import Manager
from oddsmith.web.requests import BoardInspection, JobRequest
from oddsmith.web.responses import (
    ErrorBody,
    GameBody,
    GamesBody,
    HealthBody,
    InspectedBoard,
    JobBody,
    JobsBody,
    problem,
)
from oddsmith.web.security import Guard
from oddsmith.web.settings import ServerSettings
from oddsmith.web.short_tasks import BusyError, FullError, TaskError
from oddsmith.web.store import StoreError
from oddsmith.web.tasks import JOBS

STATIC = Path(__file__).parent / "static"
LONGEST_WAIT = 25.0
"""Seconds that a request may wait for news."""
SANDBOX = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; worker-src blob:; "
    "frame-ancestors 'self'"
)
"""For pages that jobs have made: they show themselves and reach nothing."""

EVERYWHERE = {400: "not understood", 403: "refused", 422: "wrong in itself", 503: "cannot be kept"}
POSTED = {408: "too slow", 413: "too large", 415: "not JSON", 429: "too many"}


def _errors(*also: int, posted: bool = False) -> dict[int | str, dict[str, Any]]:
    """The errors of a route, for its description."""
    said = EVERYWHERE | (POSTED if posted else {}) | dict.fromkeys(also, "not there")
    return {code: {"model": ErrorBody, "description": text} for code, text in said.items()}


router = APIRouter(prefix="/api")


def _manager(request: Request) -> Manager:
    found: Manager = request.app.state.manager
    return found


@router.get("/health", responses=_errors(), response_model=HealthBody)
async def health(request: Request) -> Any:
    """How the server is, and what it lets a job take."""
    manager = _manager(request)
    return {
        "status": "trouble" if manager.trouble else "ok",
        "trouble": manager.trouble,
        "version": __version__,
        "workers": sum(worker.ready for worker in manager.workers),
        "jobs": {"queued": len(manager.queue), "running": manager.running},
        "limits": asdict(manager.limits),
    }


@router.get("/games", responses=_errors(), response_model=GamesBody)
async def games(request: Request) -> Any:
    """The catalogue."""
    return {"games": await cards.of_all(_manager(request))}


@router.get("/games/{key}", responses=_errors(404), response_model=GameBody)
async def game(request: Request, key: Annotated[str, InPath(max_length=60)]) -> Any:
    """A game of the catalogue: its rules, its options, its board."""
    if key not in catalogue():
        raise HTTPException(404, f"There is no game {key!r}.")
    return await cards.of_one(_manager(request), key)


@router.post("/boards", responses=_errors(posted=True), response_model=InspectedBoard)
async def inspect_board(request: Request, board: BoardInspection) -> Any:
    """Read a board and say what is wrong with it, or how it looks; nothing is solved."""
    return await _manager(request).short_tasks.ask("inspect", board.model_dump(exclude_none=True))


@router.post(
    "/jobs",
    status_code=202,
    responses=_errors(posted=True) | {200: {"model": JobBody, "description": "done already"}},
    response_model=JobBody,
)
async def submit(request: Request, asked: JobRequest, response: Response) -> Any:
    """Ask for something to be computed; the same request that is done already is answered."""
    key = getattr(asked, "game", None)
    if key is not None and key not in catalogue():
        raise HTTPException(422, f"There is no game {key!r}.")
    manager = _manager(request)
    job, known = manager.submit(asked.kind, asked.model_dump(exclude_none=True))
    response.status_code = 200 if known else 202
    return job.to_dict(manager.place(job))


@router.get("/jobs", responses=_errors(), response_model=JobsBody)
async def jobs(request: Request, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> Any:
    """The newest jobs, without their results."""
    manager = _manager(request)
    found = manager.newest(limit)
    return {"jobs": [job.to_dict(manager.place(job), whole=False) for job in found]}


JobId = Annotated[str, InPath(max_length=40)]


def _found(request: Request, job_id: str) -> Job:
    job = _manager(request).find(job_id)
    if job is None:
        raise HTTPException(404, f"There is no job {job_id!r}.")
    return job


@router.get("/jobs/{job_id}", responses=_errors(404, 429), response_model=JobBody)
async def job(
    request: Request,
    job_id: JobId,
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT, allow_inf_nan=False)] = 0.0,
) -> Any:
    """A job; with `wait`, as soon as its version is above `after`, or when that time is over."""
    manager, found = _manager(request), _found(request, job_id)
    if wait and found.version <= after and not found.ended:
        found = await _news(request, found, after, wait)
    return found.to_dict(manager.place(found))


async def _news(request: Request, job: Any, after: int, wait: float) -> Any:
    state, manager = request.app.state, _manager(request)
    if state.polls >= manager.limits.polls:
        raise FullError("Too many requests wait for news: ask again in a moment.")
    state.polls += 1
    loop = asyncio.get_running_loop()
    until = loop.time() + wait
    try:
        while job.version <= after and not job.ended and not state.closing:
            left = until - loop.time()
            if left <= 0 or await request.is_disconnected():
                break
            try:
                await asyncio.wait_for(job.changed.wait(), min(left, 1.0))
            except TimeoutError:
                continue
    finally:
        state.polls -= 1
    return job


@router.delete("/jobs/{job_id}", responses=_errors(404), response_model=JobBody)
async def cancel(request: Request, job_id: JobId) -> Any:
    """Stop a job; one that is over stays as it is."""
    manager, found = _manager(request), _found(request, job_id)
    manager.cancel(found)
    return found.to_dict(manager.place(found))


@router.get(
    "/jobs/{job_id}/content",
    responses=_errors(404)
    | {
        200: {
            "description": "a page or a picture",
            "content": {"text/html": {}, "image/svg+xml": {}},
        }
    },
    response_class=Response,
)
async def content(request: Request, job_id: JobId) -> Response:
    """The page or the picture that a job has made, as a document that reaches nothing."""
    found = _manager(request).find(job_id)
    if found is None or found.status != "done" or found.kind not in ("report", "picture"):
        raise HTTPException(404, f"There is no job {job_id!r} that has made a page or a picture.")
    result = found.result or {}
    media = result.get("media", "text/html")
    return Response(
        result.get("content", result.get("html", "")),
        media_type=media,
        headers={"content-security-policy": SANDBOX, "x-frame-options": "SAMEORIGIN"},
    )


def create_app(settings: ServerSettings) -> FastAPI:
    """The application for a server with these settings; it holds their data folder at once."""
    manager = Manager(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await manager.start()
        try:
            yield
        finally:
            app.state.closing = True
            await manager.close()

    class Guarded(FastAPI):
        """The application, of which nothing is outside of its guard: not even its failures."""

        def build_middleware_stack(self) -> Any:
            return Guard(super().build_middleware_stack(), settings)

    app = Guarded(
        title="Oddsmith",
        summary="What are the odds? Games, boards and models, computed as jobs.",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.manager, app.state.polls, app.state.closing = manager, 0, False
    app.include_router(router)
    _add_error_handlers(app)
    app.get("/js/effects.js", include_in_schema=False)(_effects)
    if (STATIC / "index.html").is_file():
        app.mount("/", _Page(directory=STATIC, html=True), name="page")
    else:
        app.get("/", include_in_schema=False)(_plain_page)
    return app


class _Page(StaticFiles):
    """The page's files; browsers ask each time whether one has changed."""

    def file_response(self, *args: Any, **keywords: Any) -> Response:
        """A file, or the word that it has not changed."""
        found = super().file_response(*args, **keywords)
        found.headers["cache-control"] = "no-cache"
        return found


async def _effects() -> Response:
    """What squares can do: the page's list is that of the rules."""
    headers = {"cache-control": "no-cache"}
    return Response(effects.module(), media_type="text/javascript", headers=headers)


async def _plain_page() -> HTMLResponse:
    return HTMLResponse("<!doctype html><title>Oddsmith</title><p>The API is at /api/openapi.json.")


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(PlainHTTPException)
    async def refused(request: Request, error: PlainHTTPException) -> JSONResponse:
        return error_response(error.status_code, str(error.detail), headers=error.headers)

    @app.exception_handler(RequestValidationError)
    async def not_valid(request: Request, error: RequestValidationError) -> JSONResponse:
        found = error.errors()[0]
        if found["type"].startswith("union_tag"):
            return error_response(422, _no_kind(found.get("ctx", {}).get("tag")))
        where = ".".join(str(part) for part in found["loc"] if part != "body")
        text = found["msg"].removeprefix("Value error, ")
        message = f"{where}: {text}" if where else text
        return error_response(422, f"{message[:1].upper()}{message[1:]}.".replace("..", "."))

    @app.exception_handler(FullError)
    async def full(request: Request, error: FullError) -> JSONResponse:
        return error_response(429, str(error), headers={"retry-after": "2"})

    @app.exception_handler(BusyError)
    async def busy(request: Request, error: BusyError) -> JSONResponse:
        return error_response(503, str(error), headers={"retry-after": "2"})

    @app.exception_handler(StoreError)
    async def not_kept(request: Request, error: StoreError) -> JSONResponse:
        return error_response(503, str(error), headers={"retry-after": "60"})

    @app.exception_handler(TaskError)
    async def mistaken(request: Request, error: TaskError) -> JSONResponse:
        return JSONResponse(ErrorBody.model_validate({"error": error.error}).model_dump(), 422)

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> JSONResponse:
        return error_response(
            500, f"The server failed, and should not have: {type(error).__name__}."
        )


def _no_kind(asked: str | None) -> str:
    kinds = ", ".join(JOBS)
    if asked is None:
        return f"Say by kind what is asked for: {kinds}."
    hint = suggestion(asked, JOBS)
    hint = f"{hint} T" if hint.startswith("did you mean") else "t"
    return f"There is no kind {asked!r}: {hint}here are {kinds}."


def error_response(status: int, message: str, headers: Any = None) -> JSONResponse:
    """An error as the API says it."""
    return JSONResponse(problem(message), status, headers=headers)
