"""Commands about ways to play: tournament, duel, policy, learn, play."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from oddsmith.cli.arguments import (
    Certified,
    GameName,
    Players,
    Settings,
    app,
    exploring,
    playing,
    question,
    solving,
    the_game,
    the_subject,
    to_write,
)
from oddsmith.errors import OptionError
from oddsmith.runtime import interrupt

if TYPE_CHECKING:
    from oddsmith.rules.game import Game


@question(solving, exploring, subject=the_subject)
def tournament(
    game: "Game",
    *,
    policies: Annotated[
        list[str],
        typer.Argument(metavar="POLICY", help="Two or more: optimal, random, hold-at-20, …"),
    ],
    games: Annotated[
        int | None, typer.Option("--games", help="Simulate so many games a duel, do not solve.")
    ] = None,
    **keywords: Any,
) -> Any:
    """Policies against each other: from both seats, and when a coin decides who begins."""
    from oddsmith.ask.tournament import duel as a_duel
    from oddsmith.ask.tournament import tournament

    if len(policies) == 2:
        one, other = policies
        return a_duel(game, one, other, games=games, **keywords)
    return tournament(game, policies, games=games, **keywords)


@question(solving, exploring, subject=the_subject)
def duel(
    game: "Game",
    *,
    one: Annotated[str, typer.Argument(metavar="POLICY", help="optimal, random, hold-at-20, …")],
    other: Annotated[str, typer.Argument(metavar="POLICY", help="Whom it plays against.")],
    games: Annotated[
        int | None, typer.Option("--games", help="Simulate so many games, do not solve.")
    ] = None,
    **keywords: Any,
) -> Any:
    """One policy against another: from both seats, and when a coin decides who begins."""
    from oddsmith.ask.tournament import duel

    return duel(game, one, other, games=games, **keywords)


@question(solving, playing, exploring, subject=the_subject)
def policy(
    game: "Game",
    *,
    player: Annotated[
        int | None,
        typer.Option(help="Whose policy; default: the best response's player, or the first (1)."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="STATE", help="What to do in a state: 'scores=(41,49) total=27'."),
    ] = None,
    save: Annotated[str | None, to_write("Keep the policy; --play FILE plays it.")] = None,
    csv: Annotated[str | None, to_write("Write every state as a line.")] = None,
    certificate: Certified = None,
    **keywords: Any,
) -> Any:
    """What to do in every state: in short, in one state, or as data."""
    from oddsmith.model.condition import state_like
    from oddsmith.policies.regions import write_csv
    from oddsmith.policies.report import Report
    from oddsmith.rules.game import Game
    from oddsmith.rules.state_text import parse_state
    from oddsmith.solve.play.judge import table_of

    if not isinstance(game, Game):
        from oddsmith.model.subject import subject_of
        from oddsmith.questions.settings import Settings as Chosen

        chosen = {name: value for name, value in keywords.items() if name != "play"}
        game = subject_of(game, Chosen(**chosen))
        _check_player(game.origin, player)
    else:  # what is wrong there is said before the work
        _check_player(game, player)
        state = None if at is None else parse_state(game, at)
    if certificate is not None:
        from oddsmith.certificate.command import write_of_game

        write_of_game(game, certificate, "play", keywords)
    table = table_of(game, player=None if player is None else player - 1, **keywords)
    if not isinstance(game, Game):
        state = None if at is None else state_like(table.names, at)
    written = [path for path in (save, csv) if path is not None]
    if save is not None:
        table.save(save)
    if csv is not None:
        write_csv(table, csv)
    return Report(table, summary=not written and at is None, state=state, written=tuple(written))


def _check_player(game: Any, player: int | None) -> None:
    if player is not None and not 1 <= player <= game.players:
        raise OptionError(f"{game.name} has no player {player}: they are 1 to {game.players}.")


@question()
def learn(
    game: "Game",
    *,
    games: Annotated[int, typer.Option("--games", help="How many games to learn from.")] = 100_000,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after so many seconds, if that is first.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed learns the same.")] = 1,
    states: Annotated[int, typer.Option(help="The most states to keep.")] = 4_000_000,
    compare: Annotated[
        bool, typer.Option("--compare", help="Solve the game too: how much of the gap is closed?")
    ] = False,
    save: Annotated[str | None, to_write("Keep the policy; --play FILE plays it.")] = None,
    **keywords: Any,
) -> Any:
    """Learn to play a game by self-play, where it is too large to solve."""
    from oddsmith.ask.learn import Lesson, learn

    given = {"games": games, "seconds": seconds, "seed": seed, "states": states}
    policy = learn(game, **given, **keywords)  # type: ignore[arg-type]
    if save is not None:
        policy.save(save)
    return Lesson.of(policy, compare, save, **keywords)


@app.command()
def play(
    game: GameName,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY[,POLICY...]",
            help="How the others play: one way for all, or one each. Default: optimal, if the "
            "game is small enough.",
        ),
    ] = None,
    seat: Annotated[int, typer.Option(help="Where you sit, 1 for the first player.")] = 1,
    seed: Annotated[
        int | None, typer.Option(help="The same seed throws the same dice; default: by chance.")
    ] = None,
    players: Players = None,
    settings: Settings = None,
    max_states: Annotated[
        int | None, typer.Option(help="Solve games up to so many states for odds and advice.")
    ] = None,
) -> None:
    """Play a game here, with odds and advice when you ask."""
    from oddsmith.present.play import Session, line_of_input
    from oddsmith.show.progress import progress_bar

    session = Session(
        the_game(game, players, settings),
        seat=seat,
        against=against,
        ask=line_of_input,
        seed=seed,
        max_states=max_states,
        watch=progress_bar,
    )
    if session.play() == "interrupted":
        interrupt.answered()  # which it has said, where it is played
        raise typer.Exit(130)
