"""The errors a person can meet, each one clear sentence: what, where and what to do.

Everything Oddsmith raises on purpose is an `OddsmithError`; the command line prints its text
and leaves with a non-zero code, without a traceback.
"""


class OddsmithError(Exception):
    """Any error that Oddsmith raises on purpose."""


class RuleError(OddsmithError):
    """The rules of a game are wrong: the message names the rule and the state it fails in."""


class OptionError(OddsmithError):
    """An option, a game or an argument that does not exist or has an impossible value."""


class LimitError(OddsmithError):
    """A limit was reached: states, memory, moves."""


class EndlessError(OddsmithError):
    """Play can go on for ever, so the question has no finite answer."""


class MissingExtraError(OddsmithError):
    """An optional dependency is not installed."""


class StoppedError(OddsmithError):
    """Work that Ctrl-C has stopped; the message says what was kept of it."""
