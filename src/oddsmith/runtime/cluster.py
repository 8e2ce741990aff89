"""A cluster of worker processes, by Dask: on this machine or at an address.

What is sent to workers are pure functions: whoever runs them, however often, the result has the
same bits. So a worker that dies costs time only; Dask runs again what was lost with it. This
module words what can go wrong, and keeps Dask's own log off the screen.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any, NamedTuple

from oddsmith.errors import MissingExtraError, OddsmithError
from oddsmith.version import __version__

LOCAL = "local"
CONNECT = 8.0
"""Seconds to wait for an answer from an address."""
ALONE = 60.0
"""Seconds to wait for a worker when all have gone."""
LOOK = 5.0
RETRIES = 3
"""How often a task that fails is tried again; deaths of workers are counted by Dask."""


class Worker(NamedTuple):
    """What a worker says of itself."""

    threads: int
    memory: int
    """Bytes it may use; 0: no limit."""
    version: str
    sees: bool
    """Whether it can read a file that was written here, and write beside it."""


class Cluster:
    """Workers, and what to do with them; to be closed."""

    def __init__(self, where: str) -> None:
        distributed = _distributed()
        self.where, self.local = where, where == LOCAL
        self._own: Any = None
        self.client: Any = None
        self._quiet = contextlib.ExitStack()
        self._quiet.enter_context(_quiet_logs())
        try:
            if self.local:
                self._own = self._start(distributed)
            self.client = self._connect(distributed)
            if not self.local:
                self._wait_for_one()
        except BaseException:
            self.close()
            raise

    def _start(self, distributed: Any) -> Any:
        """Processes on this machine, as many as cores, one thread each."""
        try:
            return distributed.LocalCluster(
                n_workers=os.cpu_count() or 1,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError) as error:
            raise OddsmithError(
                f"No worker processes could be started here ({_brief(error)}); does the script "
                f"that asks for them do so under if __name__ == '__main__'?"
            ) from None

    def _connect(self, distributed: Any) -> Any:
        try:
            return distributed.Client(
                self._own or self.where, timeout=CONNECT, set_as_default=False
            )
        except (OSError, ValueError, ImportError) as error:
            raise OddsmithError(
                f"There is no Dask scheduler to be reached at {self.where!r} "
                f"({_brief(error)}): start one with `dask scheduler`, or say cluster='local'."
            ) from None

    def _wait_for_one(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=CONNECT)
        except TimeoutError:
            raise OddsmithError(
                f"The cluster at {self.where} has 0 workers, not 1: start some with "
                f"`dask worker {self.where}`."
            ) from None

    def ask_workers(self, path: str = "") -> dict[str, Worker]:
        """What each worker says of itself, by address; `path` is a file it should see."""
        try:
            found: dict[str, Worker] = self.client.run(_about_me, path)
        except ImportError:
            raise OddsmithError(
                f"The workers at {self.where} have no Oddsmith {__version__}: install it there."
            ) from None
        except OSError as error:
            raise self._lost(error) from None
        for address, worker in found.items():
            if worker.version != __version__:
                raise OddsmithError(
                    f"The worker {address} has Oddsmith {worker.version}, not {__version__}: "
                    f"install the same version everywhere."
                )
        return dict(sorted(found.items()))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Have a pure function called: a future.

        By whom is up to the scheduler. Tasks that prefer a worker, even if they allow others, are
        never run when all workers were gone for a moment.
        """
        return self.client.submit(function, *arguments, pure=False, retries=RETRIES)

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """The results of futures; failures of the cluster as one sentence."""
        from distributed import KilledWorker

        try:
            self._wait(list(futures))
            found: list[Any] = self.client.gather(list(futures))
        except KilledWorker as error:
            raise OddsmithError(
                f"{error.allowed_failures + 1} workers died one after the other of the same piece "
                f"of work: they need more memory, or the work more and smaller pieces (shards)."
            ) from None
        except (CancelledError, OSError) as error:
            raise self._lost(error) from None
        return found

    def _wait(self, futures: list[Any]) -> None:
        """Until all are done, unless nobody is there to do it."""
        from distributed import wait

        last_seen = time.monotonic()
        while True:
            try:
                with self.client.as_current():
                    wait(futures, timeout=LOOK)
                return
            except TimeoutError:
                if self.client.nthreads():
                    last_seen = time.monotonic()
                elif time.monotonic() - last_seen > ALONE:
                    raise OddsmithError(
                        f"All workers of the cluster have gone, and none came back within "
                        f"{ALONE:.0f} seconds."
                    ) from None

    def _lost(self, error: BaseException) -> OddsmithError:
        if self.client.status != "running" or isinstance(error, CancelledError):
            return OddsmithError("The connection to the cluster's scheduler was lost.")
        return OddsmithError(f"The cluster could not do its work: {_brief(error)}.")

    def close(self) -> None:
        """Let the workers go."""
        with contextlib.suppress(Exception):
            if self.client is not None:
                self.client.close(timeout=CONNECT)
        with contextlib.suppress(Exception):
            if self._own is not None:
                self._own.close(timeout=CONNECT)
        self._quiet.close()


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtraError(
            "Work on a cluster needs Dask: pip install 'oddsmith[cluster]'."
        ) from None
    return distributed


def _brief(error: BaseException) -> str:
    """An error in a few words."""
    text = " ".join(str(error).split()).rstrip(".")
    return text if 0 < len(text) < 120 else type(error).__name__


@contextlib.contextmanager
def _quiet_logs() -> Iterator[None]:
    """What Dask logs is not for the person at the screen."""
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado.application")]
    loggers += [
        logging.getLogger(name)
        for name in logging.root.manager.loggerDict
        if name.startswith("distributed.")
    ]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _about_me(path: str, dask_worker: Any = None) -> Worker:
    """Run by each worker."""
    sees = bool(path) and os.path.isfile(path) and os.access(os.path.dirname(path), os.W_OK)  # noqa: PTH113, PTH120
    limit = dask_worker.memory_manager.memory_limit
    return Worker(dask_worker.state.nthreads, int(limit or 0), __version__, sees)
