"""Store: jobs and their results in SQLite, so that a restart loses nothing.

A job is written when it is asked for, when it begins and when it ends; progress is not. One
server at a time uses a data directory: it holds a lock on a file there.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.web.job import Job

SCHEMA = 1
TABLES = """
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, digest TEXT NOT NULL, request BLOB NOT NULL,
    status TEXT NOT NULL, attempts INTEGER NOT NULL, created REAL NOT NULL, started REAL,
    finished REAL, result BLOB, error TEXT
);
CREATE INDEX IF NOT EXISTS jobs_digest ON jobs (digest, status);
CREATE INDEX IF NOT EXISTS jobs_created ON jobs (created);
CREATE INDEX IF NOT EXISTS jobs_status ON jobs (status, finished);
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value BLOB NOT NULL);
"""
COLUMNS = "id, kind, digest, request, status, attempts, created, started, finished, result, error"


class StoreError(OddsmithError):
    """Jobs cannot be kept: the disk is full, or the file is not what it was."""


class Store:
    """The jobs of one data directory."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "jobs.sqlite"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.lock = _Lock(folder / "lock")
        except OSError as error:
            raise OptionError(f"{folder} cannot be used: {error.strerror}.") from None
        try:
            self.base = sqlite3.connect(
                self.path,
                isolation_level=None,
                timeout=5.0,
                check_same_thread=False,  # opened by who makes the server, used by its loop alone
            )
            self._open()
        except sqlite3.Error as error:
            self.lock.release()
            raise OptionError(
                f"{self.path} cannot be used ({error}): move it away to begin anew, or choose "
                f"another folder by --data."
            ) from None

    def _open(self) -> None:
        self.base.execute("PRAGMA journal_mode = WAL")
        self.base.execute("PRAGMA synchronous = NORMAL")
        (found,) = self.base.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise sqlite3.DatabaseError(str(found))
        (version,) = self.base.execute("PRAGMA user_version").fetchone()
        if version not in (0, SCHEMA):
            raise sqlite3.DatabaseError("it was written by another version of Oddsmith")
        self.base.executescript(TABLES)
        self.base.execute(f"PRAGMA user_version = {SCHEMA}")

    def close(self) -> None:
        """Let go of the files."""
        self.base.close()
        self.lock.release()

    # Jobs -----------------------------------------------------------------------------------

    def put(self, job: Job) -> None:
        """Write a job as it is now."""
        row = (
            job.id, job.kind, job.digest, _squeezed(job.request), job.status, job.attempts,
            job.created, job.started, job.finished,
            None if job.result is None else _squeezed(job.result),
            None if job.error is None else json.dumps(job.error),
        )  # fmt: skip
        with self._writing():
            self.base.execute(
                f"INSERT OR REPLACE INTO jobs ({COLUMNS}) VALUES ({', '.join('?' * len(row))})", row
            )

    def get(self, job: str) -> Job | None:
        """A job by its id."""
        return self._one("id = ?", job)

    def done(self, digest: str) -> Job | None:
        """A job that has answered a request already."""
        return self._one("digest = ? AND status = 'done'", digest)

    def _one(self, condition: str, value: str) -> Job | None:
        with self._writing():
            row = self.base.execute(
                f"SELECT {COLUMNS} FROM jobs WHERE {condition} LIMIT 1", (value,)
            ).fetchone()
        return None if row is None else _job(row)

    def newest(self, count: int) -> list[Job]:
        """The newest jobs, without their results."""
        with self._writing():
            rows = self.base.execute(
                f"SELECT {COLUMNS.replace('result', 'NULL')} FROM jobs "
                f"ORDER BY created DESC, rowid DESC LIMIT ?",
                (count,),
            ).fetchall()
        return [_job(row) for row in rows]

    def unfinished(self) -> list[Job]:
        """Jobs that were waiting or running when the server ended, the oldest first."""
        with self._writing():
            rows = self.base.execute(
                f"SELECT {COLUMNS} FROM jobs WHERE status IN ('queued', 'running') "
                f"ORDER BY created, rowid"
            ).fetchall()
        return [_job(row) for row in rows]

    def prune(self, kept: int, size: int) -> None:
        """Forget the oldest jobs that are over: all but so many, of so many bytes together."""
        with self._writing():
            self.base.execute(
                "DELETE FROM jobs WHERE rowid IN (SELECT id FROM (SELECT rowid AS id, "
                "ROW_NUMBER() OVER newest AS place, "
                "SUM(LENGTH(request) + LENGTH(COALESCE(result, ''))) OVER newest AS size "
                "FROM jobs WHERE status NOT IN ('queued', 'running') "
                "WINDOW newest AS (ORDER BY finished DESC, rowid DESC)) "
                "WHERE place > ? OR size > ?)",
                (kept, size),
            )

    # Notes ----------------------------------------------------------------------------------

    def note(self, name: str) -> Any:
        """What was noted under a name, or None."""
        with self._writing():
            row = self.base.execute("SELECT value FROM notes WHERE name = ?", (name,)).fetchone()
        return None if row is None else _whole(row[0])

    def keep_note(self, name: str, value: Any) -> None:
        """Note something that can be computed again."""
        with self._writing():
            self.base.execute("DELETE FROM notes")
            self.base.execute("INSERT INTO notes VALUES (?, ?)", (name, _squeezed(value)))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn SQLite's troubles into a sentence."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f"The server cannot keep jobs in {self.path} ({error}): make room on the disk, or "
                f"start it again with another folder by --data."
            ) from None


def _job(row: tuple[Any, ...]) -> Job:
    job, kind, digest, request, status, attempts, created, started, finished, result, error = row
    return Job(
        kind, _whole(request), job, digest, status, created, started, finished, attempts,
        result=None if result is None else _whole(result),
        error=None if error is None else json.loads(error),
    )  # fmt: skip


def _squeezed(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 3)


def _whole(data: bytes) -> Any:
    try:
        return json.loads(zlib.decompress(data))
    except (zlib.error, ValueError) as error:
        raise StoreError(f"A job in the data folder cannot be read ({error}).") from None


class _Lock:
    """A file that one process at a time can hold."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("a+b")
        try:
            _take(self.file)
        except OSError:
            self.file.close()
            raise OptionError(
                f"Another server uses {path.parent}: stop it first, or give this one a folder of "
                f"its own by --data."
            ) from None

    def release(self) -> None:
        self.file.close()


def _take(file: Any) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
