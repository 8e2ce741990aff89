"""Random PRISM models and random questions about them, as two model checkers should read them.

Everything is drawn from a seed. Models keep to what Storm reads too: whole numbers below 2**31,
guards whose reals are exact in binary, `init … endinit` without other initial values.
"""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Number:
    """A variable: a whole number from low to high, and the module that may change it (-1: all)."""

    name: str
    low: int
    high: int
    module: int


@dataclass(frozen=True)
class Truth:
    """A truth value, and the module that may change it."""

    name: str
    module: int


class Model:
    """A random model: `source`, and what questions need to know of it."""

    def __init__(self, seed: int) -> None:
        self.dice = dice = Random(seed)
        self.kind = dice.choice(["dtmc", "mdp"])
        self.modules = dice.choice([1, 1, 2, 2, 2, 3, 3, 4])
        self.has_init = dice.random() < 0.15
        self.numbers: list[Number] = []
        self.truths: list[Truth] = []
        self.formulas: list[str] = []
        self.whole_formulas: list[str] = []
        self.actions = ["a", "b", "c"][: dice.randint(1, 3)]
        self.used: set[str] = set()
        self.source = self._source()

    @property
    def storm_source(self) -> str:
        """The same for Storm, which writes = for <=>."""
        return self.source.replace(" <=> ", " = ")

    # Text.

    def _source(self) -> str:
        dice = self.dice
        copied = self.modules > 1 and dice.random() < 0.3
        if dice.random() < 0.4:
            self.numbers.append(Number("g", *self._range(3), -1))
        if dice.random() < 0.2:
            self.truths.append(Truth("h", -1))
        for m in range(self.modules):
            many = dice.choice([1, 1, 2]) if self.modules < 3 else 1
            most = {1: 6, 2: 4, 3: 3, 4: 2}[self.modules]
            if copied and m == self.modules - 1:
                many, widths = 0, [(v.low, v.high) for v in self.numbers if v.module == 0]
                self.numbers += [Number(f"x{m}{i}", *width, m) for i, width in enumerate(widths)]
                if any(t.module == 0 for t in self.truths):
                    self.truths.append(Truth(f"t{m}", m))
                continue
            self.numbers += [Number(f"x{m}{i}", *self._range(most), m) for i in range(many)]
            if dice.random() < 0.35:
                self.truths.append(Truth(f"t{m}", m))
        parts = [self.kind, *self._constants()]
        parts += [f"global {self._declared(v)}" for v in self.numbers if v.module < 0]
        parts += [f"global {self._declared(t)}" for t in self.truths if t.module < 0]
        formulas = []
        for i in range(dice.randint(0, 2)):
            formulas.append(f"formula f{i} = {self.truth(2)};")
            self.formulas.append(f"f{i}")
        if dice.random() < 0.5:
            formulas.append(f"formula w = {self.whole(2)};")
            self.whole_formulas.append("w")
        parts += formulas
        last = self.modules - 1
        parts += [self._module(m) for m in range(self.modules) if not (copied and m == last)]
        if copied:
            parts.append(self._copy(last))
        self.labels = [f"l{i}" for i in range(3)]
        parts += [f'label "{name}" = {self.truth(1)};' for name in self.labels]
        parts += self._rewards()
        if self.has_init:
            parts.append(f"init {self._initial()} endinit")
        return "\n".join(parts) + "\n"

    def _range(self, most: int) -> tuple[int, int]:
        low = self.dice.choice([0, 0, 0, 1, -1, -3])
        return low, low + self.dice.randint(1, most)

    def _constants(self) -> list[str]:
        dice = self.dice
        chance = dice.choice(["0.25", "1/3", "0.1", "2/7"])
        return [
            f"const int N = {dice.randint(1, 4)};",
            f"const double p = {chance};",
            f"const bool on = {dice.choice(['true', 'false'])};",
            "const int M = N+1;",
        ]

    def _declared(self, v: Number | Truth) -> str:
        dice = self.dice
        if isinstance(v, Truth):
            value = "" if self.has_init else f" init {dice.choice(['true', 'false'])}"
            return f"{v.name} : bool{value};"
        value = "" if self.has_init else f" init {dice.randint(v.low, v.high)}"
        return f"{v.name} : [{v.low}..{v.high}]{value};"

    def _initial(self) -> str:
        dice = self.dice
        terms = []
        for v in self.numbers:
            if dice.random() < 0.2:
                terms.append(f"{v.name}<={dice.randint(v.low, v.high)}")
            else:
                terms.append(f"{v.name}={dice.randint(v.low, v.high)}")
        terms += [dice.choice(["", "!"]) + t.name for t in self.truths if dice.random() < 0.8]
        return " & ".join(terms) or "true"

    def _module(self, m: int) -> str:
        dice = self.dice
        lines = [self._declared(v) for v in self.numbers if v.module == m]
        lines += [self._declared(t) for t in self.truths if t.module == m]
        for _ in range(dice.randint(2, 6)):
            action = dice.choice(["", "", *self.actions])
            self.used.add(action)
            guard = self.truth(dice.choice([0, 1, 2]))
            lines.append(f"[{action}] {guard} -> {self._updates(m, not action)};")
        if dice.random() < 0.5:
            lines.append(f"[] {self.truth(0)} -> {self._updates(m, False)};")
        return f"module m{m}\n  " + "\n  ".join(lines) + "\nendmodule"

    def _copy(self, m: int) -> str:
        dice = self.dice
        names = [v.name for v in (*self.numbers, *self.truths) if v.module == 0]
        pairs = [f"{name}={name[0]}{m}{name[2:]}" for name in names]
        if dice.random() < 0.6:
            pairs.append(f"{self.actions[0]}={dice.choice([*self.actions, 'd'])}")
        return f"module m{m} = m0 [ {', '.join(pairs)} ] endmodule"

    def _updates(self, m: int, shared: bool) -> str:
        dice = self.dice
        kind = dice.randrange(6)
        if kind < 2:
            return dice.choice(["", "1 : "]) + self._assignments(m, shared)
        v = dice.choice(self.numbers)
        above = (
            v.name if v.low == 0 else f"({v.name}-{v.low})" if v.low > 0 else f"({v.name}+{-v.low})"
        )
        width = v.high - v.low
        chances = dice.choice(
            [
                ["0.5", "0.5"],
                ["p", "1-p"],
                [f"{above}/({above}+3)", f"3/({above}+3)"],
                [f"{above}/{width}", f"1-{above}/{width}"],
                ["1/6", "1/2", "1/3"],
                ["p*p", "2*p*(1-p)", "pow(1-p, 2)"],
                [f"1/(N+{above})", f"(N+{above}-1)/(N+{above})"],
                [f"{v.name}={v.low} ? 0.5 : 0.25", f"{v.name}={v.low} ? 0.5 : 0.75"],
                [f"max(0.1, {above}/{2 * width})", f"1-max(0.1, {above}/{2 * width})"],
            ]
        )
        return " + ".join(f"{chance} : {self._assignments(m, shared)}" for chance in chances)

    def _assignments(self, m: int, shared: bool) -> str:
        dice = self.dice
        owners = (m, -1) if shared else (m,)
        parts = [
            f"({v.name}'={self._within(v)})"
            for v in self.numbers
            if v.module in owners and dice.random() < 0.7
        ]
        for t in self.truths:
            if t.module in owners and dice.random() < 0.6:
                value = dice.choice(["true", "false", f"!{t.name}", self.truth(1)])
                parts.append(f"({t.name}'={value})")
        return " & ".join(parts) or "true"

    def _within(self, v: Number) -> str:
        dice = self.dice
        size = v.high - v.low + 1
        return dice.choice(
            [
                f"{dice.randint(v.low, v.high)}",
                f"min({v.high}, {v.name}+{dice.randint(1, 2)})",
                f"max({v.low}, {v.name}-{dice.randint(1, 2)})",
                f"{v.low}+mod({v.name}-({v.low})+{dice.randint(1, 3)}, {size})",
                f"max({v.low}, min({v.high}, {self.whole(1)}))",
                f"{self.truth(1)} ? {dice.randint(v.low, v.high)} : {v.name}",
                f"{v.name}={v.high} ? {v.low} : {v.name}+1",
                f"{v.low}+mod({self.whole(1)}+20, {size})",
            ]
        )

    def _rewards(self) -> list[str]:
        dice = self.dice
        state = [f"{self.truth(1)} : {self.amount()};" for _ in range(dice.randint(1, 2))]
        actions = sorted({"", *self.used})
        moves = [
            f"[{dice.choice(actions)}] {self.truth(1)} : {self.amount()};"
            for _ in range(dice.randint(1, 3))
        ]
        return [
            f'rewards "stay" {" ".join(state)} endrewards',
            f'rewards "move" {" ".join(moves)} endrewards',
            f'rewards "both" {self.truth(1)} : {self.amount()}; {moves[0]} endrewards',
        ]

    # Expressions.

    def amount(self) -> str:
        """A reward: not below zero; without mod, of which Storm knows no fractions."""
        dice = self.dice
        v, u = dice.choice(self.numbers), dice.choice(self.numbers)
        return dice.choice(
            ["1", "2", "0.5", f"{v.name}-({v.low})", f"({v.name}-({v.low}))/3", "N/7", "p",
             f"max(0, {u.name}-{v.name})", f"pow({v.name}, 2)/4", f"ceil(({v.name}-({v.low}))/2)"]
        )  # fmt: skip

    def whole(self, depth: int) -> str:
        """A whole number, between about -50 and 50."""
        dice = self.dice
        v = dice.choice(self.numbers).name
        if depth == 0:
            return dice.choice([v, v, v, str(dice.randint(0, 4)), "N", "M", "(-1)"])
        u = dice.choice(self.numbers).name
        below = self.whole(depth - 1)
        simple = [v, f"{v}+1", f"({v}-{u})", f"({v}+{u})", f"min({v}, {below})", f"-{v}"]
        return dice.choice(
            [
                *simple,
                *self.whole_formulas,
                f"max({below}, {u}, 1)",
                f"floor({v}/2)",
                f"ceil({v}/2)",
                f"floor(({below}+1)/4)",
                f"mod({v}+30, {dice.randint(2, 4)})",
                f"pow({v}, 2)",
                f"pow(2, mod({v}+30, 3))",
                f"({self.truth(depth - 1)} ? {v} : {below})",
                f"2*{v}",
                f"ceil(0.5+{v})",
            ]
        )

    def truth(self, depth: int) -> str:
        """A condition."""
        dice = self.dice
        v = dice.choice(self.numbers)
        value = dice.randint(v.low, v.high)
        compared = f"{v.name}{dice.choice(['=', '!=', '<', '<=', '>', '>='])}{value}"
        if depth == 0:
            bare = [compared, compared, "true", f"{v.name}>=N"]
            return dice.choice(bare + [t.name for t in self.truths] + self.formulas)
        kind = dice.randrange(12)
        one, two = (self.truth(depth - 1) for _ in range(2))
        if kind < 3:
            return compared
        return dice.choice(
            [
                f"({one} & {two})",
                f"({one} | {two})",
                f"!({one})",
                f"({one} => {two})",
                f"(({one}) <=> ({two}))",
                f"({one} ? {two} : {self.truth(depth - 1)})",
                f"{self.whole(1)} {dice.choice(['<', '>=', '=', '!='])} {self.whole(1)}",
                f"{v.name}/2 {dice.choice(['<', '>', '='])} {dice.choice(['0.5', '1', '0.75'])}",
                f"({one} & {two})",
                f"on | {compared}",
                *self.formulas,
            ]
        )


@dataclass(frozen=True)
class Question:
    """A question in both dialects.

    `complement`: ours is one less Storm's; `initial`: it is asked in initial states alone;
    `begins`: what holds in a state from which the path can begin at all.
    """

    ours: str
    storm: str
    complement: bool = False
    rewards: bool = False
    initial: bool = False
    begins: str | None = None

    @property
    def storm_text(self) -> str:
        """The text for Storm, which writes = for <=>."""
        return self.storm.replace(" <=> ", " = ")


def question(model: Model, dice: Random) -> Question:
    """A question about a model."""
    chain = model.kind == "dtmc"
    kind = dice.choice(
        ["F", "F", "X", "G", "U", "U", "bounded", "bounded", "until", "G<=", "W", "truth", "F>=",
         "reach", "reach", "C<=", "I", "C", "mean", "long", "given", "reward truth"]
    )  # fmt: skip
    best = "" if chain else dice.choice(["min", "max"])
    other = {"": "", "min": "max", "max": "min"}[best]
    a, b = _formula(model, dice, 2), _formula(model, dice, 1)
    k = dice.randint(0, 7)
    window = dice.choice(
        [f"<={k}", f"<={k}", f"<{k + 1}", f"[{k},{k + dice.randint(0, 3)}]", f"={k}"]
    )
    earned = dice.choice(["stay", "move", "both"])
    p, r = f"P{best}=?", f'R{{"{earned}"}}{best}=?'
    if kind in ("X", "F"):
        return _both(f"{p} [ {kind} {a} ]")
    if kind == "G":
        return _both(f"{p} [ G {a} ]")
    if kind == "U":
        return _both(f"{p} [ {a} U {b} ]")
    if kind == "bounded":
        return _both(f"{p} [ F{window} {a} ]")
    if kind == "until":
        text = f"{p} [ {b} U{window} {a} ]"
        late = window[0] in "[=" and k > 0
        return Question(text, text, begins=b if late else None)
    if kind == "F>=":
        k = min(k, 3)
        window = dice.choice([f">={k}", f">{k - 1}"]) if k else ">=0"
        return Question(f"{p} [ F{window} {a} ]", f"{p} [ {'X ' * k}F {a} ]")
    if kind == "G<=":
        return Question(f"{p} [ G{window} {a} ]", f"P{other}=? [ F{window} !({a}) ]", True)
    if kind == "W":
        return Question(f"{p} [ {a} W {b} ]", f"P{other}=? [ !({b}) U (!({a}) & !({b})) ]", True)
    if kind == "truth":
        return _both(_nested(model, dice, 2))
    if kind == "given":
        text = f"{p} [ F {a} || F {b} ]"
        return Question(text, text, initial=True)
    if kind == "long":
        return Question(f"S{best}=? [ {b} ]", f"LRA{best}=? [ {b} ]")
    if kind == "reward truth":
        bound = dice.choice(["<1", "<=2", ">0.5", ">=1", ">3"])
        goal = dice.choice([f"F {a}", f"C<={k}"])
        return _both(f'R{{"{earned}"}}{bound} [ {goal} ]', True)
    goal = {"reach": f"F {a}", "C<=": f"C<={k}", "I": f"I={k}", "C": "C", "mean": "LRA"}[kind]
    if kind == "I":
        r = f'R{{"stay"}}{best}=?'
    return _both(f"{r} [ {goal} ]", True)


def _both(text: str, rewards: bool = False) -> Question:
    return Question(text, text, rewards=rewards)


def _formula(model: Model, dice: Random, depth: int) -> str:
    """A state formula."""
    model.dice = dice
    kind = dice.randrange(10)
    if depth and kind == 0:
        return f"({_formula(model, dice, depth - 1)} & {_formula(model, dice, depth - 1)})"
    if depth and kind == 1:
        return f"({_formula(model, dice, depth - 1)} | {_formula(model, dice, depth - 1)})"
    if depth and kind == 2:
        return f"!({_formula(model, dice, depth - 1)})"
    if depth > 1 and kind == 3:
        return f"({_nested(model, dice, depth - 1)})"
    if kind < 7:
        return f'"{dice.choice(model.labels)}"'
    return f"({model.truth(1)})"


def _nested(model: Model, dice: Random, depth: int) -> str:
    bound = dice.choice([">=0.5", ">0", "<1", ">=1", "<=0.3", "<0.25", ">0.4", ">=1/3"])
    a, b = (_formula(model, dice, depth - 1) for _ in range(2))
    k = dice.randint(0, 4)
    path = dice.choice([f"F {a}", f"X {a}", f"{a} U {b}", f"F<={k} {a}", f"G {a}"])
    return f"P{bound} [ {path} ]"
