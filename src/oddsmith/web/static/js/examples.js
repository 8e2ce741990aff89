// Models to begin with.

export const EXAMPLES = [
  {
    name: "A die made of coins (a chain)",
    source: `// Knuth and Yao: a fair die from tosses of a fair coin.
dtmc

module die
  s : [0..7] init 0;      // where the tosses have led
  d : [0..6] init 0;      // what the die shows
  [toss] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=2);
  [toss] s=1 -> 1/2 : (s'=3) + 1/2 : (s'=4);
  [toss] s=2 -> 1/2 : (s'=5) + 1/2 : (s'=6);
  [toss] s=3 -> 1/2 : (s'=1) + 1/2 : (s'=7) & (d'=1);
  [toss] s=4 -> 1/2 : (s'=7) & (d'=2) + 1/2 : (s'=7) & (d'=3);
  [toss] s=5 -> 1/2 : (s'=7) & (d'=4) + 1/2 : (s'=7) & (d'=5);
  [toss] s=6 -> 1/2 : (s'=2) + 1/2 : (s'=7) & (d'=6);
  [done] s=7 -> (s'=7);
endmodule

rewards "tosses"
  [toss] true : 1;
endrewards
`,
    properties: `P=? [ F d=6 ]
R{"tosses"}=? [ F s=7 ]
P=? [ F<=4 s=7 ]
`,
    constants: "",
  },
  {
    name: "Walk or ride (somebody decides)",
    source: `// Twelve miles in so many days: walk two miles a day, or wait for a carriage
// that comes every other day and takes you five.
mdp

const int goal = 12;
const int days;

module traveller
  at  : [0..goal] init 0;
  day : [0..days] init 0;
  [walk] at<goal & day<days -> (at'=min(at+2, goal)) & (day'=day+1);
  [ride] at<goal & day<days -> 1/2 : (at'=min(at+5, goal)) & (day'=day+1)
                             + 1/2 : (day'=day+1);
endmodule

label "there" = at=goal;
`,
    properties: `Pmax=? [ F "there" ]
Pmin=? [ F "there" ]
Pmax>=0.7 [ F "there" ]
`,
    constants: "days=5",
    way: "exact",
  },
  {
    name: "Who is there first? (two decide)",
    source: `// Two travellers in turn: who is there first?
smg

player red  [red_walk], [red_ride]   endplayer
player blue [blue_walk], [blue_ride] endplayer

const int goal = 12;
formula on = r<goal & b<goal;

module road
  r    : [0..goal] init 0;
  b    : [0..goal] init 0;
  turn : [1..2] init 1;
  [red_walk]  on & turn=1 -> (r'=min(r+2, goal)) & (turn'=2);
  [red_ride]  on & turn=1 -> 1/2 : (r'=min(r+5, goal)) & (turn'=2) + 1/2 : (turn'=2);
  [blue_walk] on & turn=2 -> (b'=min(b+2, goal)) & (turn'=1);
  [blue_ride] on & turn=2 -> 1/2 : (b'=min(b+5, goal)) & (turn'=1) + 1/2 : (turn'=1);
endmodule

label "red"  = r=goal;
label "blue" = b=goal;
`,
    properties: `<<red>> Pmax=? [ F "red" ]
<<red,blue>> Pmax=? [ F "red" ]
`,
    constants: "",
    way: "exact",
  },
];
