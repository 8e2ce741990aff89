"""Compiled exploration gives what the reference interpreter gives."""

from fractions import Fraction

import pytest
from tests.rules.prism.random_programs import Writer, merged, program_of, reference, rows_of

from oddsmith.errors import RuleError
from oddsmith.model.prism.explore import explore
from oddsmith.rules.prism import interpret
from oddsmith.rules.prism.program import Program


def check(program: Program) -> bool:
    """Compare with the interpreter, errors included; False if the program is too large."""
    try:
        wanted = reference(program)
    except interpret.StateError as error:
        if "outside" in str(error):
            return False
        with pytest.raises(RuleError):
            explore(program, max_states=5000)
        return False
    if wanted is None:
        return False
    players = [{option.player for option in options} for options in wanted.values()]
    if program.kind == "smg" and any(len(several) > 1 for several in players):
        with pytest.raises(RuleError, match="one player"):
            explore(program)
        return False
    process = explore(program)
    names = [tuple(process.valuations.values(s)) for s in range(process.states)]
    assert sorted(names) == sorted(wanted)
    for s, name in enumerate(names):
        options = wanted[name]
        assert rows_of(process, s, names) == merged(options, name, program.kind)
        assert process.labels["deadlock"][s] == (not options)
        if program.kind == "smg" and options:
            assert process.owner is not None
            assert process.owner[s] == options[0].player
        for label, expression in program.labels.items():
            assert process.labels[label][s] == interpret.evaluate(expression, name)
        for structure in program.rewards:
            found = process.rewards[structure.name]
            assert found.state is not None
            assert found.state.fraction(s) == interpret.state_reward(program, structure, name)
            earned = [
                Fraction(interpret.choice_reward(program, structure, name, option.action))
                for option in options
            ] or [Fraction(0)]  # the loop of a deadlock is no command
            if program.kind == "dtmc":
                earned = [sum(earned, Fraction(0)) / len(earned)]
            if found.choice is None:
                assert not any(earned)
                continue
            choices = range(process.choice[s], process.choice[s + 1])
            assert sorted(found.choice.fraction(c) for c in choices) == sorted(earned)
    return True


@pytest.mark.parametrize(
    "block", [*range(3), *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 12))]
)
def test_random_programs_are_explored_as_they_are_interpreted(block: int) -> None:
    checked = 0
    for seed in range(1000 * block, 1000 * block + 40):
        text = Writer(seed).source()
        try:
            checked += check(program_of(text))
        except BaseException:
            print(seed)
            print(text)
            raise
    assert checked >= 10
