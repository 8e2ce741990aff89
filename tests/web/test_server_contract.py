"""The API does what it says, and jobs find what the library finds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

import pytest
from tests.web.running import Running

from oddsmith import game, length, odds, visits
from oddsmith.ask.values import values
from oddsmith.games import catalogue, game_class
from oddsmith.rules.board.game import Board, board_class
from oddsmith.solve.play.profile import optimal

MODEL = """dtmc
module walk
  s : [0..3] init 0;
  [] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=2);
  [] s>0 -> true;
endmodule
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("server"), workers=2) as running:
        yield running


def board_of(key: str) -> type[Board]:
    found = game_class(key)
    assert issubclass(found, Board)
    return found


# The catalogue ------------------------------------------------------------------------------


def test_health_tells_the_limits(server: Running) -> None:
    found = server.client.get("/api/health").json()
    assert found["status"] == "ok"
    assert found["limits"]["body_bytes"] == 1 << 20


def test_every_game_has_a_card(server: Running) -> None:
    cards = server.client.get("/api/games").json()["games"]
    assert [card["key"] for card in cards] == list(catalogue())
    pig = next(card for card in cards if card["key"] == "pig")
    assert pig["decisions"]
    assert [policy["name"] for policy in pig["policies"]][:3] == ["optimal", "random", "hold-at-20"]
    risk = next(card for card in cards if card["key"] == "risk")
    assert (risk["fewest_players"], risk["most_players"]) == (2, 2)
    goose = next(card for card in cards if card["key"] == "goose")
    assert goose["board"]
    assert not goose["decisions"]


def test_a_game_with_its_board(server: Running) -> None:
    goose = server.client.get("/api/games/goose").json()
    assert "geese" in goose["rules"]
    assert tomllib.loads(goose["board_file"]["text"]) == goose["board_file"]["tables"]
    assert goose["board_file"]["drawing"]["finish"] == 63
    assert server.client.get("/api/games/pig").json()["board_file"] is None
    assert server.client.get("/api/games/nothing").status_code == 404


def test_boards_are_read_from_text_and_from_tables(server: Running) -> None:
    tables = {"board": {"finish": 30}, "squares": {"inn": {"at": 7, "wait": 2}}}
    found = server.client.post("/api/boards", json={"tables": tables, "players": 3}).json()
    assert tomllib.loads(found["text"]) == found["tables"] == tables
    assert found["players"] == 3
    assert found["lattice"]
    again = server.client.post("/api/boards", json={"text": found["text"]}).json()
    assert again["drawing"] == found["drawing"]


def test_a_mistake_in_a_board_has_its_line(server: Running) -> None:
    text = "[board]\nfinish = 30\n\n[squares]\ninn = { at = 40, wait = 1 }\n"
    answer = server.client.post("/api/boards", json={"text": text})
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["place"] == {"part": "board", "line": 5, "column": None}
    assert "40" in error["message"]


# Jobs ---------------------------------------------------------------------------------------


def test_odds_are_those_of_the_library(server: Running) -> None:
    found = server.done("odds", game="coin-race", options={"goal": "3"})
    assert [answer["exact"] for answer in found["win"]] == [
        str(answer.exact) for answer in odds(game("coin-race", goal=3)).win
    ]


def test_the_same_request_is_answered_at_once(server: Running) -> None:
    first = server.submit("odds", game="coin-race", method="certified")
    server.until(first["id"], "done")
    again = server.client.post(
        "/api/jobs", json={"method": "certified", "game": "coin-race", "kind": "odds"}
    )
    assert again.status_code == 200
    assert again.json()["id"] == first["id"]
    assert again.json()["status"] == "done"


def test_a_board_is_surveyed(server: Running) -> None:
    original = """[board]
finish = 20
occupied = "return"
[squares]
inn = { at = 7, wait = 1 }
well = { at = 11, hold = true }
cell = { at = 13, hold = true }
maze = { at = 17, goto = 9 }
"""
    text = original.replace("goto = 9", "goto = 8")
    found = server.done("board", text=text, original=original)
    board = board_class("board.toml", text)()
    assert found["changes"] == ["maze (17): goto 9 → goto 8"]
    assert found["odds"]["win"][0] == odds(board).win[0].to_dict()
    lengths = length(board)
    assert found["lengths"]["quantiles"] == {str(k): v for k, v in lengths.quantiles.items()}
    chances = dict(lengths.distribution)
    assert max(abs(p - chances[n]) for n, p in found["lengths"]["distribution"]) < 1e-12
    times = {square["number"]: square["times"] for square in found["squares"]}
    for visit in visits(board).visits:
        assert times[int(visit.where.split()[0])] == pytest.approx(visit.times.value, abs=1e-6)
    chance = {square["number"]: square["chance"] for square in found["squares"]}
    known = values(board, engine="lattice").values
    assert known is not None
    for square in (0, 9, 19):
        exact = known[board.State((square, 0), 0)]["win 1"].value
        assert chance[square] == pytest.approx(exact, abs=1e-6)
    other = board_class("board.toml", original)()
    assert found["original"]["odds"]["win"][0] == odds(other).win[0].to_dict()


def test_a_board_without_an_end_is_told_in_its_words(server: Running) -> None:
    """One step a throw, and whoever is landed on begins again: nobody ever comes to 3."""
    text = '[board]\nfinish = 3\ndice = "d[1]"\noccupied = "restart"\n'
    message = server.failed("board", text=text)["message"]
    assert message.startswith("This board can be played for ever: nobody can win any more once")
    assert re.search(r"player 1 on \d, player 2 on \d\. Change a square", message)
    for word in ("State(", "winner", "--"):
        assert word not in message


def test_the_goose_is_solved_as_it_should(server: Running) -> None:
    found = server.done("board", text=board_of("goose").file.text, players=2)
    assert found["odds"]["win"][0] == odds(game("goose")).win[0].to_dict()
    assert found["lengths"]["quantiles"] == {"0.05": 10, "0.5": 23, "0.95": 67}
    assert len(found["squares"]) == 64


def test_a_board_without_a_lattice_is_explored(server: Running) -> None:
    text = '[board]\nfinish = 8\noccupied = "swap"\n[squares]\nlucky = { at = 3, extra = true }\n'
    found = server.done("board", text=text)
    board = board_class("board.toml", text)()
    assert found["odds"]["win"][0]["exact"] == str(odds(board).win[0].exact)
    assert found["squares"][3]["ever"] is not None
    assert found["squares"][0]["chance"] == pytest.approx(odds(board).win[0].value)


def test_play_is_replayed_from_its_seed(server: Running) -> None:
    asked = {"game": "pig", "options": {"goal": "20"}, "seats": ["person", "optimal"], "seed": 3}
    first = server.done("play", **asked, moves=[], advice=True, odds=True)
    best = optimal(game("pig", goal=20))
    start = best.game.start()
    advice = {one.move: one.worth.value for one in best.advice(start)}
    for one in first["advice"]:
        assert one["worth"]["value"] == pytest.approx(advice[one["move"]])
    assert first["odds"]["worth"][0]["value"] == pytest.approx(max(advice.values()))
    second = server.done("play", **asked, moves=["roll", "hold"], review=True)
    assert second["mover"] == 1
    assert {step["player"] for step in second["steps"][2:]} == {2}
    assert second["review"]["decisions"] == 2
    (mistake,) = second["review"]["mistakes"]
    assert (mistake["number"], mistake["move"], mistake["better"]) == (2, "hold", "roll")
    again = server.done("play", **asked, moves=second["moves"])
    assert again["steps"] == second["steps"]


def test_play_of_chance_shows_the_tokens(server: Running) -> None:
    found = server.done(
        "play", game="goose", seats=["person", "person"], moves=["throw"], odds=True
    )
    assert found["mover"] == 2
    assert found["board"]["tokens"][1] == 0
    worth = [answer["value"] for answer in found["odds"]["worth"]]
    assert sum(worth) + found["odds"]["draw"]["value"] == pytest.approx(1, abs=1e-5)


def test_play_refuses_what_is_no_move_and_no_policy(server: Running) -> None:
    asked = {"game": "pig", "options": {"goal": "20"}}
    error = server.failed("play", **asked, seats=["person", "optimal"], moves=["jump"])
    assert error["message"].startswith("There is no move 'jump' here")
    error = server.failed("play", **asked, seats=["person", "evil.py:run"])
    assert "no policy" in error["message"]


def test_properties_are_checked(server: Running) -> None:
    properties = "P=? [ F s=1 ]\nP>=0.6 [ F s=2 ]\nP=? [ F t=1 ]"
    found = server.done("check", source=MODEL, properties=properties, exact=True)
    assert found["model"] == {"kind": "dtmc", "states": 3, "transitions": 4}
    chance, bound, wrong = found["answers"]
    assert chance["exact"] == "1/2"
    assert bound["verdict"] is False
    assert wrong["error"]["place"] == {"part": "properties", "line": 3, "column": 9}


def test_mistakes_in_a_model_have_their_place(server: Running) -> None:
    wrong = MODEL.replace("init 0", "inti 0")
    error = server.failed("check", source=wrong, properties="P=? [ F s=1 ]")
    assert error["place"] == {"part": "model", "line": 3, "column": 14}
    error = server.failed("check", source=MODEL, properties="P=? [ F s=1 ]\nP=? [ F ( ]")
    assert error["place"]["part"] == "properties"
    assert error["place"]["line"] == 2


def test_a_headline_is_short(server: Running) -> None:
    found = server.done("headline", game="coin-race")
    assert found["method"] == "exact"
    assert found["win"][0]["exact"] == "16/27"


def test_a_picture_is_a_document_of_its_own(server: Running) -> None:
    job = server.submit("picture", game="snakes-and-ladders", picture="board", theme="dark")
    found = server.until(job["id"], "done", "failed")
    assert found["status"] == "done", found["error"]
    assert found["result"]["media"] == "image/svg+xml"
    page = server.client.get(f"/api/jobs/{job['id']}/content")
    assert page.headers["content-type"] == "image/svg+xml"
    assert page.headers["content-security-policy"].startswith("sandbox ")
    assert page.text == found["result"]["content"]


def test_jobs_are_listed_without_results(server: Running) -> None:
    job = server.submit("odds", game="coin-race")
    server.until(job["id"], "done")
    found = server.client.get("/api/jobs", params={"limit": 200}).json()["jobs"]
    assert job["id"] in [one["id"] for one in found]
    assert all("result" not in one for one in found)
    assert server.client.get("/api/jobs/nothing").status_code == 404
    assert server.client.request("DELETE", "/api/jobs/nothing").status_code == 404


def test_a_poll_waits_for_news(server: Running) -> None:
    job = server.submit("odds", game="goose", players=3)
    seen = [job["version"]]
    while job["status"] not in ("done", "failed"):
        job = server.job(job["id"], after=seen[-1], wait=10)
        assert job["version"] > seen[-1]
        seen.append(job["version"])
    assert job["status"] == "done"
