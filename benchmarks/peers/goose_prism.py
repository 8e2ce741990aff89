"""The Game of the Goose for N players as PRISM source, written from the printed rules.

The rules are those of the prose of section 2 of Groote, Wiedijk and Zantema, "A probabilistic
analysis of the Game of the Goose" (SIAM Review 58, 2016). Nothing of oddsmith is used here, so
that a model checker fed with this source is an independent oracle.

A state is the positions ``p1`` .. ``pN`` and ``turn``, the player whose turn it is. Position 64
is the inn on arrival: the player rests one turn there and is then on 19. A step of the chain is
a turn: a throw of two dice, or a rest. After a win the turn has passed on as after any other
throw, and the state loops on itself.
"""

from collections import Counter
from itertools import product

FINISH, INN, RESTING, WELL, PRISON = 63, 19, 64, 31, 52
GEESE = frozenset({5, 9, 14, 18, 23, 27, 32, 36, 41, 45, 50, 54, 59})
JUMPS = {6: 12, INN: RESTING, 42: 30, 58: 0}
SHARED = frozenset({WELL, PRISON})
FIRST_THROW = {(3, 6): 53, (4, 5): 26}


def landing(start: int, first: int, second: int) -> int:
    """Where a throw from ``start`` ends when nobody is in the way."""
    if start == 0 and (special := FIRST_THROW.get((min(first, second), max(first, second)))):
        return special
    step = first + second
    at = start + step
    while True:
        if at > FINISH:
            at, step = 2 * FINISH - at, -step
        if at not in GEESE:
            return JUMPS.get(at, at)
        at += step


def landings(start: int) -> dict[int, int]:
    """The ends of all throws from ``start``, each with its number of throws out of 36."""
    throws = product(range(1, 7), repeat=2)
    return dict(sorted(Counter(landing(start, *throw) for throw in throws).items()))


def squares() -> list[int]:
    """The squares on which a player can stand when its turn comes, the inn's rest included."""
    found, todo = {0}, [0]
    while todo:
        at = todo.pop()
        ends = {INN} if at == RESTING else set(landings(at))
        todo.extend(ends - found - {FINISH})
        found |= ends - {FINISH}
    return sorted(found)


def goose_prism(players: int) -> str:
    """PRISM source of the Game of the Goose for ``players`` players.

    >>> print(goose_prism(2).splitlines()[0])
    dtmc
    """
    if players < 2:
        raise ValueError(f"the Game of the Goose needs two players or more, not {players}")
    everyone = range(1, players + 1)
    board = squares()

    def others(player: int, *at: int) -> str:
        """A condition: somebody else stands on one of the squares ``at``."""
        rest = (other for other in everyone if other != player)
        return "|".join(f"p{other}={square}" for other in rest for square in at)

    def update(player: int, start: int, end: int, ways: int) -> str:
        following = player % players + 1
        if end == FINISH or end in SHARED:
            where = str(end)
        else:
            inn = (INN, RESTING) if end == RESTING else (end,)
            where = f"({others(player, *inn)}) ? {start} : {end}"
        return f"{ways}/36 : (p{player}'={where}) & (turn'={following})"

    lines = ["dtmc", ""]
    lines.append("formula won = " + " | ".join(f"p{i}={FINISH}" for i in everyone) + ";")
    for i in everyone:
        alone = " | ".join(f"(p{i}={s} & !({others(i, s)}))" for s in (WELL, PRISON))
        lines.append(f"formula rest{i} = p{i}={RESTING} | {alone};")
    resting = " | ".join(f"(turn={i} & rest{i})" for i in everyone)
    lines += [f"formula resting = {resting};", "", "module goose"]
    lines += [f"  p{i} : [0..{RESTING}] init 0;" for i in everyone]
    lines += [f"  turn : [1..{players}] init 1;", ""]
    for i in everyone:
        following, before = i % players + 1, (i - 2) % players + 1
        # Only the player who has just thrown can have won, so one comparison tells that it is over.
        playing = f"p{before}!={FINISH}"
        for start in board:
            guard = f"turn={i} & p{i}={start} & {playing}"
            if start == RESTING:
                lines.append(f"  [] {guard} -> (p{i}'={INN}) & (turn'={following});")
                continue
            if start in SHARED:
                company = others(i, start)
                lines.append(f"  [] {guard} & !({company}) -> (turn'={following});")
                guard += f" & ({company})"
            ends = landings(start).items()
            updates = " + ".join(update(i, start, end, ways) for end, ways in ends)
            lines.append(f"  [] {guard} -> {updates};")
        lines.append(f"  [] turn={i} & p{before}={FINISH} -> true;")
    lines += ["endmodule", ""]
    lines += [f'label "win{i}" = p{i}={FINISH};' for i in everyone]
    over = "won"
    if players == 2:
        draw = f"(p1={WELL} & p2={PRISON}) | (p1={PRISON} & p2={WELL})"
        lines.append(f'label "draw" = {draw};')
        over = f"won | {draw}"
    lines.append(f'label "over" = {over};')
    lines += ["", 'rewards "throws"', "  !won & !resting : 1;", "endrewards", ""]
    return "\n".join(lines)
