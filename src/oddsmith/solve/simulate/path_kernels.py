# mypy: disable-error-code="untyped-decorator"
"""Compiled walks on programs and processes, many walkers in turn; see `paths.py`.

Every path has a stream of its own: block b of path n is Philox4x32-10 with the counter (n, b) and
the seed as its key (see `board.py`), 128 bits that are two numbers from 0 to 1. So a path does not
depend on who walks it, when, or next to whom.

All formulas are `left U[low,high] right` and are decided in the same way: a walker is through when
`right` holds from step `low` on, and out when `left` does not or when the steps are used up. A
walker that stands still for sure, in a state that it does not leave, is decided at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import uint32, uint64

from oddsmith.ahead import array_at, kernel
from oddsmith.model.native.calls import call3, call4, pointer
from oddsmith.solve.simulate.board_kernels import philox

DONE, STOPPED, BAD_STATE, TOO_LONG, BAD_LEFT, BAD_RIGHT, BAD_REWARD = range(7)
"""Why a walk stops: all paths are decided; it was told to; a command fails in a state, or has
numbers too long for 64 bits; a formula or a reward has no value in a state."""

FALSE, TRUE, UNDECIDED = range(3)
"""What is known of a path."""

NOTHING, ON_THE_WAY, AT_THE_END = range(3)
"""Which rewards count: none; those of all steps; that of the last state."""

LOW, HIGH, CAP, EARN = range(4)
"""The numbers in `plan`: the window of the formula (-1: no upper end), the most steps of a path
(-1: no such bound), and which rewards count."""

TOLERANCE = 1e-5
"""As in PRISM: chances may miss a sum of one by so much."""

SLOT = 0xFFFFFFFF
UNIT = 2.0**-53
HALF, SHORT = uint64(32), uint64(11)


class Crew(NamedTuple):
    """The walkers: arrays with an entry each."""

    path: Any
    """Which of the paths it walks."""
    time: Any
    drawn: Any
    """Numbers drawn so far."""
    spare: Any
    """Bits for the next number, after an odd count of them."""
    total: Any
    """Rewards so far, and in the last step."""
    gain: Any
    still: Any
    """Whether it stands in a state for ever."""


class Code(NamedTuple):
    """A compiled program: the tables of `slots.py`, and buffers for `expand`."""

    expand: Any
    left: Any
    right: Any
    """Addresses of formulas, 0 for `true`."""
    earners: Any
    """Addresses of the rewards of states, then of every action; 0 where there are none."""
    joint_action: Any
    joint_parts: Any
    slot_joint: Any
    slot_part: Any
    slot_first: Any
    slot_last: Any
    row_keep: Any
    row_add: Any
    row_upto: Any
    """The chance of a row and those before it."""
    ctx: Any
    records: Any
    outcomes: Any
    ends: Any


@kernel(inline="always")
def bare(array: Any) -> Any:
    """An array without an owner, as owners are counted whenever it is used: see `batch.py`.

    For arrays that the caller keeps: one made in the same function would be freed too early.
    """
    return array_at(pointer(np.int64(array.ctypes.data)), (len(array),), array.dtype)


@kernel(inline="always")
def draw(walker: Any, number: Any, drawn: Any, spare: Any, low: Any, high: Any) -> Any:
    """The next number of a path's stream, from 0 to 1 (1 itself left out)."""
    count = drawn[walker]
    drawn[walker] = count + 1
    if count & 1:
        return float(spare[walker] >> SHORT) * UNIT
    n, b = uint64(number), uint64(count >> 1)
    w, x, y, z = philox(uint32(n), uint32(n >> HALF), uint32(b), uint32(b >> HALF), low, high)
    spare[walker] = (uint64(y) << HALF) | uint64(z)
    return float(((uint64(w) << HALF) | uint64(x)) >> SHORT) * UNIT


@kernel(inline="always")
def verdict(left: Any, right: Any, time: Any, still: Any, plan: Any) -> Any:
    """What is known of a path in a state; -1: it goes on."""
    if time >= plan[LOW]:
        if right:
            return TRUE
        if not left or time == plan[HIGH] or still:
            return FALSE
    elif not left:
        return FALSE
    elif still:
        return TRUE if right else FALSE
    return UNDECIDED if time == plan[CAP] else -1


@kernel
def new_crew(walkers: Any) -> Any:
    """Walkers who have not begun."""
    return Crew(
        np.zeros(walkers, np.int64),
        np.zeros(walkers, np.int64),
        np.zeros(walkers, np.int64),
        np.zeros(walkers, np.uint64),
        np.zeros(walkers),
        np.zeros(walkers),
        np.zeros(walkers, np.bool_),
    )


@kernel(inline="always")
def begin(crew: Any, walker: Any, path: Any) -> None:
    """Let a walker begin a path."""
    crew.path[walker] = path
    crew.time[walker] = 0
    crew.drawn[walker] = 0
    crew.total[walker] = 0.0
    crew.still[walker] = False


@kernel(inline="always")
def take_place(crew: Any, walker: Any, to: Any) -> None:
    """Move a walker, who does not stand still, to the place of one who is through."""
    crew.path[to], crew.time[to] = crew.path[walker], crew.time[walker]
    crew.drawn[to], crew.spare[to] = crew.drawn[walker], crew.spare[walker]
    crew.total[to], crew.still[to] = crew.total[walker], False


@kernel(inline="always")
def earned(crew: Any, walker: Any, plan: Any) -> Any:
    """What a decided path has earned on the way; standing still goes on to earn the same."""
    total = crew.total[walker]
    if crew.still[walker] and crew.time[walker] < plan[LOW]:
        total += (plan[LOW] - crew.time[walker]) * crew.gain[walker]
    return total


@kernel(inline="always")
def reward_at(address: Any, state_at: Any, pair: Any, reals: Any) -> Any:
    """A reward of a state, by its function; negative where something is wrong with it.

    That is -1 for a negative one, -2 - bits for an error. `reals` are the words of `pair`, where
    the function writes, as doubles.
    """
    code = call3(address, state_at, 1, pair.ctypes.data)
    if code >= 0:
        return -2.0 - float(code & 3)
    found = reals[0] if pair[1] == 0 else float(pair[0]) / float(pair[1])
    return found if found >= 0.0 else -1.0


@kernel
def settle(
    plan: Any, code: Any, crew: Any, active: Any, states: Any, words: Any, left: Any, right: Any,
    results: Any, values: Any, failure: Any,
) -> Any:  # fmt: skip
    """Write down the paths that are decided; how many walkers are left, negative for an error."""
    earn, earner = plan[EARN], code.earners[0]
    time, still, window = bare(crew.time), bare(crew.still), bare(plan)
    inside, through = bare(left), bare(right)
    pair = np.empty(2, np.int64)
    reals = pair.view(np.float64)
    for w in range(active - 1, -1, -1):
        found = verdict(inside[w] != 0, through[w] != 0, time[w], still[w], window)
        if found < 0:
            continue
        n = crew.path[w]
        results[n] = found
        if earn == ON_THE_WAY:
            values[n] = earned(crew, w, plan)
        elif earn == AT_THE_END:
            values[n] = 0.0
            if earner != 0:
                values[n] = reward_at(earner, states.ctypes.data + 8 * w * words, pair, reals)
                if values[n] < 0.0:
                    failure[0], failure[1] = w, max(0, np.int64(-2.0 - values[n]))
                    return -1
        active -= 1
        for k in range(words):
            states[w * words + k] = states[active * words + k]
        take_place(crew, active, w)
    return active


@kernel(inline="always")
def same_part(records: Any, joints: Any, parts: Any, first: Any, end: Any) -> Any:
    """Where the records of one part of a joint end."""
    slot = records[2 * first] & SLOT
    joint, part, q = joints[slot], parts[slot], first + 1
    while q < end:
        slot = records[2 * q] & SLOT
        if parts[slot] != part or joints[slot] != joint:
            break
        q += 1
    return q


@kernel(inline="always")
def group(records: Any, joints: Any, parts: Any, counts: Any, first: Any, end: Any) -> Any:
    """The records of one joint from `first` on: where they end, and how many choices they make.

    `joints` and `parts` say of a slot what it belongs to, `counts` how many parts a joint has.
    """
    joint = joints[records[2 * first] & SLOT]
    q, ways = first + np.int64(counts[joint]), 1.0
    if q != first + 1 and not (q == end and joints[records[2 * end - 2] & SLOT] == joint):
        q = first
        while q < end and joints[records[2 * q] & SLOT] == joint:
            after = same_part(records, joints, parts, q, end)
            ways *= after - q
            q = after
    return q, ways


@kernel
def step(
    plan: Any, key: Any, first: Any, code: Any, crew: Any, at: Any, done: Any, all_states: Any,
    words: Any, failure: Any,
) -> Any:  # fmt: skip
    """Take a step with the walkers at, at + 1, … that have been expanded; DONE, or an error."""
    records, outcomes, ends = bare(code.records), bare(code.outcomes), bare(code.ends)
    joints, parts, counts = bare(code.slot_joint), bare(code.slot_part), bare(code.joint_parts)
    joint_action, earners = bare(code.joint_action), bare(code.earners)
    slot_first, slot_last = bare(code.slot_first), bare(code.slot_last)
    row_keep, row_add = bare(code.row_keep), bare(code.row_add)
    row_upto, chances = bare(code.row_upto), bare(code.outcomes.view(np.float64))
    drawn, spare, path, time = (
        bare(crew.drawn),
        bare(crew.spare),
        bare(crew.path),
        bare(crew.time),
    )
    total, gain, still = bare(crew.total), bare(crew.gain), bare(crew.still)
    states = bare(all_states)
    pair = np.empty(2, np.int64)
    reals = pair.view(np.float64)
    low, high, stride = uint32(key[0]), uint32(key[1]), words + 2
    earn, states_at = plan[EARN], all_states.ctypes.data
    end = np.int64(0)
    for i in range(done):
        r, end = end, ends[i]
        w = at + i
        number, home = first + path[w], w * words
        sure, moved, action = True, False, np.int64(0)
        head, tail = r, r
        if end > r:
            # The choices of all joints are as likely each: which joint is it?
            tail, ways = group(records, joints, parts, counts, r, end)
            if tail < end:
                q = tail
                while q < end:
                    q, more = group(records, joints, parts, counts, q, end)
                    ways += more
                x = draw(w, number, drawn, spare, low, high) * ways
                tail, more = group(records, joints, parts, counts, head, end)
                x -= more
                while x >= 0.0 and tail < end:
                    head = tail
                    tail, more = group(records, joints, parts, counts, head, end)
                    x -= more
            sure = ways == 1.0
            action = joint_action[joints[records[2 * head] & SLOT]]
        if earn == ON_THE_WAY:
            gained = 0.0
            acting = earners[1 + action] if end > r else 0  # the loop of a deadlock is no command
            for earner in (earners[0], acting):
                if earner != 0:
                    more = reward_at(earner, states_at + 8 * home, pair, reals)
                    if more < 0.0:
                        failure[0], failure[1] = w, max(0, np.int64(-2.0 - more))
                        return BAD_REWARD
                    gained += more
            total[w] += gained
            gain[w] = gained
        # Of every part of the joint one command acts, and one of its updates happens.
        while head < tail:
            record, head = head, same_part(records, joints, parts, head, tail)
            same = head - record
            if same > 1:
                x = draw(w, number, drawn, spare, low, high)
                record += min(np.int64(x * same), same - 1)
            slot = records[2 * record] & SLOT
            o, last = slot_first[slot], slot_last[slot] - 1
            if last >= -1:
                if o < last:
                    sure = False
                    x = draw(w, number, drawn, spare, low, high)
                    while o < last and x >= row_upto[o]:
                        o += 1
                for k in range(words):
                    old = states[home + k]
                    new = (old & row_keep[o * words + k]) + row_add[o * words + k]
                    moved |= new != old
                    states[home + k] = new
                continue
            o, last = records[2 * record] >> 32, records[2 * record + 1] - 1
            whole = 0.0
            for k in range(o, last + 1):
                whole += chances[k * stride + words]
            if not abs(whole - 1.0) <= TOLERANCE:
                failure[0], failure[1] = w, 0
                return BAD_STATE
            if o < last:
                sure = False
                x = draw(w, number, drawn, spare, low, high) * whole
                x -= chances[o * stride + words]
                while o < last and x >= 0.0:
                    o += 1
                    x -= chances[o * stride + words]
            for k in range(words):
                change = uint64(outcomes[o * stride + k])
                moved |= change != 0
                states[home + k] += change
        still[w] = sure and not moved
        time[w] += 1
    return DONE


@kernel
def walk_program(
    plan: Any, key: Any, first: Any, start: Any, code: Any, states: Any, results: Any, values: Any,
    signals: Any, failure: Any,
) -> Any:  # fmt: skip
    """Walk paths first, first + 1, … of a program, each from `start`, until all are decided.

    As many walkers as `code.ends` is long go in turn, and one that is decided makes room for the
    next path. Returns (reason, steps).
    """
    words, walkers, paths = len(start), len(code.ends), len(results)
    left, right = np.ones(walkers, np.uint8), np.ones(walkers, np.uint8)
    ctx, states_at = code.ctx, states.ctypes.data
    crew = new_crew(walkers)
    active, begun, steps = 0, 0, np.int64(0)
    while True:
        while active < walkers and begun < paths:
            for k in range(words):
                states[active * words + k] = start[k]
            begin(crew, active, begun)
            active += 1
            begun += 1
        if active == 0:
            return DONE, steps
        if signals[-1] != 0:
            return STOPPED, steps
        for side in range(2):
            address = code.left if side == 0 else code.right
            if address != 0:
                to = left.ctypes.data if side == 0 else right.ctypes.data
                wrong = call3(address, states_at, active, to)
                if wrong >= 0:
                    failure[0], failure[1] = wrong >> 2, wrong & 3
                    return BAD_LEFT if side == 0 else BAD_RIGHT, steps
        active = settle(
            plan, code, crew, active, states, words, left, right, results, values, failure
        )
        if active < 0:
            return BAD_REWARD, steps
        at = 0
        while at < active:
            ctx[0] = 0
            ctx[1] = 0
            ctx[2] = 0
            done = call4(code.expand, ctx.ctypes.data, states_at, at, active)
            if done == 0:
                failure[0], failure[1] = at, ctx[2]
                return TOO_LONG if ctx[2] == 2 else BAD_STATE, steps
            reason = step(plan, key, first, code, crew, at, done, states, words, failure)
            if reason != DONE:
                return reason, steps
            at += done
            steps += done


@kernel
def walk_process(
    plan: Any, key: Any, first: Any, start: Any, left: Any, right: Any, state_reward: Any,
    choice_reward: Any, choice: Any, row: Any, col: Any, index: Any, chance: Any, walkers: Any,
    results: Any, values: Any, signals: Any,
) -> Any:  # fmt: skip
    """The same on the arrays of a process; formulas and rewards are arrays, empty for none."""
    paths, earn, chain = len(results), plan[EARN], len(choice) == 0
    low, high = uint32(key[0]), uint32(key[1])
    crew, place = new_crew(walkers), np.zeros(walkers, np.int64)
    drawn, spare, path = crew.drawn, crew.spare, crew.path
    total, gain, time, still = crew.total, crew.gain, crew.time, crew.still
    active, begun, steps = 0, 0, np.int64(0)
    while True:
        while active < walkers and begun < paths:
            place[active] = start
            begin(crew, active, begun)
            active += 1
            begun += 1
        if active == 0:
            return DONE, steps
        if signals[-1] != 0:
            return STOPPED, steps
        for w in range(active - 1, -1, -1):
            s = place[w]
            inside, through = len(left) == 0 or left[s], len(right) == 0 or right[s]
            found = verdict(inside, through, time[w], still[w], plan)
            if found < 0:
                continue
            results[path[w]] = found
            if earn == ON_THE_WAY:
                values[path[w]] = earned(crew, w, plan)
            elif earn == AT_THE_END:
                values[path[w]] = state_reward[s] if len(state_reward) > 0 else 0.0
            active -= 1
            place[w] = place[active]
            take_place(crew, active, w)
        for w in range(active):
            s = place[w]
            number = first + path[w]
            c, options = s, np.int64(1)
            if not chain:
                c, options = choice[s], choice[s + 1] - choice[s]
                if options > 1:
                    x = draw(w, number, drawn, spare, low, high)
                    c += min(np.int64(x * options), options - 1)
            e, last = row[c], row[c + 1] - 1
            still[w] = options == 1 and e == last and col[e] == s
            if e < last:
                x = draw(w, number, drawn, spare, low, high) - chance[index[e]]
                while e < last and x >= 0.0:
                    e += 1
                    x -= chance[index[e]]
            if earn == ON_THE_WAY:
                gained = state_reward[s] if len(state_reward) > 0 else 0.0
                if len(choice_reward) > 0:
                    gained += choice_reward[c]
                total[w] += gained
                gain[w] = gained
            place[w] = col[e]
            time[w] += 1
        steps += active
