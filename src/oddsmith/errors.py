"""The errors a person can meet, each one clear sentence: what, where and what to do.

Everything Oddsmith raises on purpose is an `OddsmithError`; the command line prints its text
and leaves with a non-zero code, without a traceback.
"""

from oddsmith.quoting import presentable


class OddsmithError(Exception):
    """Any error that Oddsmith raises on purpose.

    Its text is fit for a terminal, whatever was quoted in it: no control characters, no line of
    megabytes.
    """

    def __str__(self) -> str:
        return presentable(super().__str__())


class RuleError(OddsmithError):
    """The rules of a game are wrong: the message names the rule and the state it fails in."""


class OptionError(OddsmithError):
    """An option, a game or an argument that does not exist or has an impossible value."""


class LimitError(OddsmithError):
    """A limit was reached: states, memory, moves."""


class EndlessError(OddsmithError):
    """Play can go on for ever, so the question has no finite answer; `state` is where it is so."""

    def __init__(self, message: str, state: object = None) -> None:
        super().__init__(message)
        self.state = state


class NoEquilibriumError(OddsmithError):
    """No way to play was found that nobody gains by leaving alone.

    `finding` says what was looked for, without what to do instead.
    """

    def __init__(self, finding: str, instead: str = "") -> None:
        super().__init__(f"{finding} {instead}".rstrip())
        self.finding = finding


class MissingExtraError(OddsmithError):
    """An optional dependency is not installed."""


class ContradictionError(OddsmithError):
    """An answer that contradicts itself or another: a mistake here, not in the rules."""


class StoppedError(KeyboardInterrupt):
    """Work that Ctrl-C has stopped; the message says what was kept of it.

    It is Ctrl-C, and no error: nobody who takes errors for a finding is to go on after it.
    """


class NotCompilable(Exception):  # noqa: N818 - a finding, not an error
    """The rules or the states are outside what can be compiled; says why."""
