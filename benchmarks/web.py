"""A soak of the server: many clients that ask and cancel, while workers are killed.

    python -m benchmarks.web [--clients N] [--seconds S] [--workers W] [--kills K]

The server is a process of its own on this machine, with data in a temporary folder. At the end
every job must have ended as it should, every result must be the library's, and nothing may have
grown without bound; else it fails. It stops by itself.
"""

import argparse
import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from oddsmith import check, odds
from oddsmith.games import game_class
from oddsmith.results.table import align
from oddsmith.rules.board.game import board_class
from oddsmith.runtime.memory import MIB, held

START = "from oddsmith.cli import main; main()"
MODEL = """dtmc
const int N;
module walk
  s : [0..N] init 1;
  [] s>0 & s<N -> 1/3 : (s'=s+1) + 2/3 : (s'=s-1);
  [] s=0 | s=N -> true;
endmodule
"""
CANCELLED = 0.3
"""How many of the jobs are cancelled."""
GROWTH_MB = 400
"""What a process may hold more at the end than when it was warm: it keeps solved games."""


@dataclass
class Tally:
    """What the clients have seen."""

    ended: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    cached: int = 0
    refused: int = 0
    seconds: list[float] = field(default_factory=list)
    results: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list)


def request(chance: random.Random) -> dict[str, Any]:
    """Something to ask for."""
    kind = chance.choice(("odds", "odds", "board", "board", "play", "check", "headline"))
    one_of_five = str(chance.randint(1, 5))
    if kind == "odds":
        name, options = chance.choice(
            (
                ("coin-race", {"goal": str(chance.randint(2, 12))}),
                ("pig", {"goal": str(chance.randint(8, 20))}),
                ("goose", {"maze.goto": str(chance.randint(20, 31)), "inn.wait": one_of_five}),
            )
        )
        return {"kind": kind, "game": name, "options": options}
    if kind == "board":
        text = game_class("goose").file.text  # type: ignore[attr-defined]
        goto = f"goto = {chance.randint(20, 31)}"
        changed = text.replace("goto = 30", goto).replace("wait = 1", f"wait = {one_of_five}")
        return {"kind": kind, "text": changed, "original": text}
    if kind == "play":
        seats = ["person", chance.choice(("optimal", "random", "hold-at-10"))]
        asked = {"kind": kind, "game": "pig", "options": {"goal": "20"}, "seats": seats}
        return asked | {"seed": chance.randrange(10**9), "moves": ["roll"]}
    if kind == "check":
        constants = {"N": str(chance.randint(5, 60))}
        return {
            "kind": kind,
            "source": MODEL,
            "properties": "P=? [ F s=N ]",
            "constants": constants,
        }
    return {"kind": kind, "game": chance.choice(("coin-race", "piglet", "risk"))}


async def client(url: str, seed: int, until: float, tally: Tally) -> None:
    """Ask, wait or cancel, again and again."""
    chance = random.Random(seed)
    async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as http:
        while time.monotonic() < until:
            asked = request(chance)
            began = time.monotonic()
            answer = await http.post("/api/jobs", json=asked)
            if answer.status_code == 429:
                tally.refused += 1
                await asyncio.sleep(float(answer.headers["retry-after"]) * chance.random())
                continue
            assert answer.status_code in (200, 202), answer.text
            job = answer.json()
            tally.cached += answer.status_code == 200
            unwanted = chance.random() < CANCELLED and job["status"] != "done"
            if unwanted:
                await asyncio.sleep(chance.random() * 0.5)
                job = (await http.delete(f"/api/jobs/{job['id']}")).json()
            while job["status"] in ("queued", "running"):
                asked_for = {"after": job["version"], "wait": 10}
                job = (await http.get(f"/api/jobs/{job['id']}", params=asked_for)).json()
            tally.ended[job["status"]] += 1
            if job["status"] == "done":
                tally.results.append((asked, job["result"]))
                if not unwanted:
                    tally.seconds.append(time.monotonic() - began)
            elif job["status"] == "failed" or not unwanted:
                tally.wrong.append(f"{asked} ended as {job['status']}: {job['error']}")


def right(asked: dict[str, Any], result: dict[str, Any], known: dict[str, Any]) -> bool:
    """Whether a result is the library's."""
    kind, key = asked["kind"], repr(sorted(asked.items()))
    if kind == "play":
        return result["moves"][:1] == asked["moves"] and (result["over"] or result["mover"] == 1)
    if key not in known:
        known[key] = expected(asked)
    if kind == "check":
        found = result["answers"][0]
        return bool(found["lower"] <= known[key] <= found["upper"])
    answers = result["odds"]["win"] if kind == "board" else result["win"]
    whole = kind != "board" or bool(result["squares"] and result["lengths"] and result["original"])
    return whole and all(
        answer["lower"] <= value <= answer["upper"]
        for answer, value in zip(answers, known[key], strict=True)
    )


def expected(asked: dict[str, Any]) -> Any:
    """The numbers that a result must contain."""
    if asked["kind"] == "check":
        size = asked["constants"]["N"]
        return float(
            check(MODEL, asked["properties"], constants=f"N={size}", exact=True)[0].answer.value
        )  # type: ignore[union-attr]
    if asked["kind"] == "board":
        found = odds(board_class("board.toml", asked["text"])())
    else:
        found = odds(game_class(asked["game"]).from_text(asked.get("options", {})))
    return [answer.value for answer in found.win]


def family(server: int) -> list[int]:
    """The server and its workers."""
    found = [server]
    for task in Path(f"/proc/{server}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def megabytes(process: int) -> float:
    return (held(process) or 0) / MIB


async def soak(url: str, server: int, seconds: float, clients: int, kills: int) -> None:
    tally = Tally()
    async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as http:
        while (await http.get("/api/health")).json()["workers"] == 0:
            await asyncio.sleep(0.1)
        began = time.monotonic()
        until = began + seconds
        work = [asyncio.create_task(client(url, seed, until, tally)) for seed in range(clients)]
        chance = random.Random(1)
        peaks = {"server": 0.0, "largest worker": 0.0}
        early: dict[str, float] = {}
        killed = 0
        while time.monotonic() < until:
            await asyncio.sleep(0.5)
            sizes = [megabytes(process) for process in family(server)]
            now = {"server": sizes[0], "largest worker": max(sizes[1:], default=0.0)}
            peaks = {name: max(peaks[name], now[name]) for name in peaks}
            if not early and time.monotonic() > began + seconds / 4:
                early = now
            if killed < kills and time.monotonic() > began + seconds * (killed + 1) / (kills + 1):
                os.kill(chance.choice(family(server)[1:]), signal.SIGKILL)
                killed += 1
        await asyncio.gather(*work)
        listed = (await http.get("/api/jobs", params={"limit": 200})).json()["jobs"]
        health = (await http.get("/api/health")).json()
    late = {"server": megabytes(server)}
    late["largest worker"] = max(megabytes(process) for process in family(server)[1:])
    known: dict[str, Any] = {}
    wrong = [asked for asked, result in tally.results if not right(asked, result, known)]
    left = [job for job in listed if job["status"] in ("queued", "running")]
    shown(tally, seconds, killed, early, peaks, late, len(wrong), len(left))
    assert not wrong, f"Wrong results: {wrong[:3]}"
    assert not tally.wrong, f"Jobs that ended otherwise: {tally.wrong[:3]}"
    assert not left, f"Jobs that nobody has finished: {left[:3]}"
    assert health["status"] == "ok"
    for name in early:
        assert late[name] < early[name] + GROWTH_MB, f"The {name} grew: {early} to {late}"


def shown(
    tally: Tally, seconds: float, killed: int, early: dict[str, float], peaks: dict[str, float],
    late: dict[str, float], wrong: int, left: int,
) -> None:  # fmt: skip
    times = sorted(tally.seconds)
    rows = [
        ["jobs ended", f"{sum(tally.ended.values()):,} in {seconds:.0f} s"],
        *([f"  {status}", f"{count:,}"] for status, count in sorted(tally.ended.items())),
        ["  from the store", f"{tally.cached:,}"],
        ["refused for now (429)", f"{tally.refused:,}"],
        ["workers killed", str(killed)],
        ["lost or failed", str(len(tally.wrong) + left)],
        ["wrong results", f"{wrong} of {len(tally.results):,}"],
        ["seconds, median", f"{median(times):.2f}"],
        ["seconds, 95 %", f"{times[int(0.95 * len(times))]:.2f}"],
    ]
    for name in peaks:
        sizes = f"{early[name]:.0f} → {late[name]:.0f} MiB, at most {peaks[name]:.0f}"
        rows.append([f"memory of the {name}", sizes])
    print(align(["", ""], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["serve", "--no-open", "--port", "0", "--data", folder]
        server = subprocess.Popen(
            [sys.executable, "-c", START, *arguments, "--workers", str(given.workers)],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
            assert found, "The server did not start."
            asyncio.run(soak(found[0], server.pid, given.seconds, given.clients, given.kills))
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
    print(f"\nThe server ended with code {server.returncode}.")


if __name__ == "__main__":
    main()
