"""PRISM sources of different shape, written for this benchmark.

Protocols are as their papers describe them; the PRISM files that circulate were not copied.
"""


def walks(size: int) -> str:
    """Two counters raced by coin flips: (size + 1)² states without a cycle, a large dtmc."""
    return f"""dtmc
const int N = {size};
module race
  x : [0..N] init 0;
  y : [0..N] init 0;
  [] x<N & y<N -> 1/2 : (x'=x+1) + 1/3 : (y'=y+1) + 1/6 : (x'=x+1) & (y'=y+1);
  [] x=N | y=N -> true;
endmodule
label "ahead" = x=N & y<N;
"""


def counter(size: int, falls: bool = False) -> str:
    """A long chain with a counter that waits now and then, or falls back.

    If it falls, its states are one component in which values travel slowly.
    """
    back = "max(x-2,0)" if falls else "x"
    return f"""dtmc
const int N = {size};
module climb
  x : [0..N] init 0;
  lost : bool init false;
  [] !lost & x<N -> 0.899999 : (x'=x+1) + 0.1 : (x'={back}) + 0.000001 : (lost'=true);
  [] lost | x=N -> true;
endmodule
rewards "steps" !lost & x<N : 1; endrewards
"""


def ring(size: int) -> str:
    """Herman's self-stabilising ring (Inform. Process. Lett. 35 (1990) 63-67): all modules step
    together, so a state has up to 2^size successors."""
    first = f"""module process1
  x1 : [0..1];
  [step] x1=x{size} -> 0.5 : (x1'=0) + 0.5 : (x1'=1);
  [step] x1!=x{size} -> (x1'=x{size});
endmodule
"""
    others = "".join(
        f"module process{i} = process1 [ x1=x{i}, x{size}=x{i - 1} ] endmodule\n"
        for i in range(2, size + 1)
    )
    tokens = " + ".join(f"(x{i}=x{i - 1 if i > 1 else size} ? 1 : 0)" for i in range(1, size + 1))
    return (
        f"dtmc\n{first}{others}"
        f'rewards "steps" true : 1; endrewards\n'
        f'label "stable" = ({tokens}) = 1;\n'
    )


def shared_coin(processes: int, bound: int) -> str:
    """The shared coin of Aspnes and Herlihy (J. Algorithms 11 (1990) 441-461), an mdp.

    Each process flips a coin, moves the shared counter, then looks whether it is past a limit.
    """
    limit = (bound + 1) * processes
    low, high = processes, 2 * limit - processes
    first = f"""module process1
  pc1 : [0..3] init 0;
  coin1 : [0..1] init 0;
  [] pc1=0 -> 0.5 : (coin1'=0) & (pc1'=1) + 0.5 : (coin1'=1) & (pc1'=1);
  [] pc1=1 & coin1=0 & counter>0 -> (counter'=counter-1) & (pc1'=2) & (coin1'=0);
  [] pc1=1 & coin1=1 & counter<{2 * limit} -> (counter'=counter+1) & (pc1'=2) & (coin1'=0);
  [] pc1=2 & counter<={low} -> (pc1'=3) & (coin1'=0);
  [] pc1=2 & counter>={high} -> (pc1'=3) & (coin1'=1);
  [] pc1=2 & counter>{low} & counter<{high} -> (pc1'=0);
  [done] pc1=3 -> (pc1'=3);
endmodule
"""
    others = "".join(
        f"module process{i} = process1 [ pc1=pc{i}, coin1=coin{i} ] endmodule\n"
        for i in range(2, processes + 1)
    )
    finished = " & ".join(f"pc{i}=3" for i in range(1, processes + 1))
    ones = " & ".join(f"coin{i}=1" for i in range(1, processes + 1))
    return (
        f"mdp\nglobal counter : [0..{2 * limit}] init {limit};\n{first}{others}"
        f'label "finished" = {finished};\nlabel "all_heads" = {ones};\n'
        'rewards "steps" true : 1; endrewards\n'
    )


def philosophers(size: int) -> str:
    """Lehmann and Rabin's dining philosophers (POPL 1981), an mdp of many small modules.

    A hungry philosopher draws a side by lot, waits for that fork, and puts it back if the other
    one is taken.
    """
    first = """module philosopher1
  p1 : [0..7];
  [] p1=0 -> (p1'=0);
  [] p1=0 -> (p1'=1);
  [] p1=1 -> 0.5 : (p1'=2) + 0.5 : (p1'=3);
  [] p1=2 & lfree -> (p1'=4);
  [] p1=2 & !lfree -> (p1'=2);
  [] p1=3 & rfree -> (p1'=5);
  [] p1=3 & !rfree -> (p1'=3);
  [] p1=4 & rfree -> (p1'=6);
  [] p1=4 & !rfree -> (p1'=1);
  [] p1=5 & lfree -> (p1'=6);
  [] p1=5 & !lfree -> (p1'=1);
  [] p1=6 -> (p1'=7);
  [] p1=7 -> (p1'=0);
endmodule
"""
    formulas = (
        f"formula lfree = p2!=5 & p2!=6 & p2!=7;\n"
        f"formula rfree = p{size}!=4 & p{size}!=6 & p{size}!=7;\n"
    )
    others = "".join(
        f"module philosopher{i} = philosopher1 "
        f"[ p1=p{i}, p2=p{i % size + 1}, p{size}=p{i - 1} ] endmodule\n"
        for i in range(2, size + 1)
    )
    eating = " | ".join(f"p{i}=6" for i in range(1, size + 1))
    hungry = " | ".join(f"(p{i}>0 & p{i}<6)" for i in range(1, size + 1))
    return (
        f"mdp\n{formulas}{first}{others}"
        f'label "eat" = {eating};\nlabel "hungry" = {hungry};\n'
        'rewards "steps" true : 1; endrewards\n'
    )


def machines(size: int, jobs: int) -> str:
    """Machines that wear out, a repairer who chooses one, and a stock: an mdp with actions that
    modules share, and a choice at every step."""
    first = """module machine1
  m1 : [0..3] init 0;
  [work] m1<3 -> 0.8 : (m1'=m1) + 0.2 : (m1'=m1+1);
  [work] m1=3 -> (m1'=3);
  [fix1] m1>0 -> 0.9 : (m1'=0) + 0.1 : (m1'=m1);
endmodule
"""
    others = "".join(
        f"module machine{i} = machine1 [ m1=m{i}, fix1=fix{i} ] endmodule\n"
        for i in range(2, size + 1)
    )
    running = " + ".join(f"(m{i}<3 ? 1 : 0)" for i in range(1, size + 1))
    fixes = "".join(
        f"  [fix{i}] budget>0 & done<J -> (budget'=budget-1);\n" for i in range(1, size + 1)
    )
    return f"""mdp
const int J = {jobs};
formula running = {running};
{first}{others}module stock
  done : [0..J] init 0;
  budget : [0..{size}] init {size};
  [work] done<J -> (done'=min(J, done+running));
{fixes}endmodule
module time
  t : [0..J] init 0;
  [work] t<J -> (t'=t+1);
endmodule
label "full" = done=J;
"""
