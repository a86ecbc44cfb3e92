"""What F1 shows: how to read each page of the window, for someone who has never read about UCT."""

from nimdesk.search.bounds import Ucb1
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY

_UCT = Ucb1(1.0).formula
_PLAY = f"""
<h2>How to read this page</h2>
<p><b>You play, the computer searches.</b> MCTS knows nothing about the game but its rules. It plays many quick
games in its head. Each of these <i>simulations</i> starts with one of the legal moves and ends with random moves.</p>
<p><b>It prefers what went well.</b> Before each simulation it picks the move with the largest
<i>{_UCT}</i>: good so far (mean, from 0 for a loss to 1 for a win), or little tried (n small against
N). So good moves are visited more and more often.</p>
<p><b>The curves show it make up its mind.</b> Each line is one move: its share of all simulations, over their
number. When one line leaves the others, the search has found something; where lines cross, it changed its mind. In the
end the move that was tried most is played. A level below the best chooses after few simulations, and may play another
move by dice (⚄); its curves go on to 2,000.</p>
<p><b>On the board</b> the same shares lie on the moves themselves: a larger disc, or a taller bar, is a larger share.
Point at a move, a curve or a row of the legend, and the other two light up. When the computer has moved, the curves are
of the position before its move: the board goes back to it while you point at them.</p>
<p><b>Pause</b> lets the computer rest; Continue goes on with the same search. <b>Move now</b> ends its search, and its
best move so far is played. To look at the curves at leisure while the search goes on, freeze the plot (Ctrl+F), or
give it the whole side (Ctrl+G). In a <i>quiet game</i> (Ctrl+H) nothing tells who is winning until it is over.</p>
<p><b>Try this:</b> choose <i>Nim 3-4-5</i> as a new game and press F2. MCTS proves within a hundred simulations that
only one of the twelve first moves wins: take 2 from pile 1. The guided look (Ctrl+F1) shows a search that proves
nothing: it is wrong with 500 simulations, and right with 100,000. <i>Truth</i> (Ctrl+T) marks what is proven of every
move.</p>
<p><b>Slow motion</b> (View menu) spreads the first thousand simulations of a search over a second, so that they can
be followed; that comes on top of its time, all of which it searches at full speed. What was still too quick to be
seen runs by once it has ended, in a second; any key or click ends that.</p>
"""
_LABORATORY = f"""
<h2>How to read the laboratory</h2>
<p><b>Here nobody plays.</b> One to four agents search the position above the board, each row with the seed that
repeats its search to the last digit. Run (F5) carries all of them on to the same number of iterations, seconds,
playouts or nodes. Press an agent's letter to show its search wherever one search is shown.</p>
<p><b>One curve a move:</b> <i>share of visits</i> is what the search comes back to. <i>Mean value ± error</i> is
the expected score, 1 for a win, in a band of an upper bound on its standard error, which takes simulations for
independent. <i>Upper bound</i> is what the search maximises; for UCT it is <i>{_UCT}</i>. The strip on top has the
colour of the move that the agent would have played at each moment, ▲ stands at that move, and ✓ = ✗ mark what is
proven.</p>
<p><b>One curve an agent:</b> <i>entropy</i> is how widely the visits are spread, 0 bits for a mind made up.
<i>Share on optimal moves</i> is the part of them on moves that are proven best. <i>Simple regret</i> is what the
move it would play gives away against perfect play: 1 for a win thrown away, ½ for half of it. The ribbon above is
thick where that move is optimal, and thin where it is not.</p>
<p><b>Any moment:</b> the slider below the plots goes back in the search, and board, plots, table and tree show that
moment. <i>Change before</i> and <i>after</i> lead to where it changed its mind. <i>One simulation</i> tells a
single pass with the numbers in the formula.</p>
<p><b>Chance or not?</b> <i>Many seeds</i> repeats the searches with other seeds, and draws the band in which nine
of ten lie; of the simple regret, which is 0, ½ or 1 each time, the mean with its 95% interval. <i>Side by side</i>
gives each agent a plot with the same axes. Wheel and drags show a part of a plot, a double click all of it.</p>
<p><b>Try this:</b> the guided look (Ctrl+F1). On Nim 3-4-5 the textbook search is wrong with 500 simulations, and
right with 100,000; MCTS proves the move within a hundred.</p>
"""
_EXPERIMENTS = """
<h2>How to read the experiments</h2>
<p><b>Convergence study:</b> each agent searches each position with many seeds, and at every budget its choice is
compared with the exact value of every move. <i>Optimal</i> is the share of searches that would have played a best
move, with Wilson's 95% interval. <i>Mean regret</i> is what the choices gave away (win 1, draw ½, loss 0). The
dotted line is a choice by chance, a flat line an agent with a budget of its own. <i>Vary</i> makes a map of one
option against the budget.</p>
<p><b>Matches and tables:</b> tournaments, and the tables of published documents played again. A figure
<i>agrees</i> or <i>differs</i> only where there are games enough to tell. <i>Elo</i> has its 95% interval, by
pairs of games where there are pairs. An SPRT ends a match as soon as its log-likelihood ratio (LLR) meets one of two
bounds; the Elo is then biased, mostly away from zero. A <i>blunder</i> is a move that gives away a proven value. A
double click on a game opens it with the search behind every move.</p>
<p><b>Atlas:</b> every essentially different position of small games, the worst traps first, or those where more
simulations make it worse. <b>Solved boards:</b> what the starts of games are worth, beside the published
values.</p>
<p><b>Nothing is lost:</b> Pause and Start go on, also after the window was closed, and each finished search and
game is on the disk at once. While you play or search, a run rests. All seeds come from the plan: the same plan
gives the same results here, in a terminal (<i>Copy as command</i>), in a notebook (<i>Copy as Python</i>) and on a
cluster.</p>
"""
GUIDES = {PLAY: _PLAY, LABORATORY: _LABORATORY, EXPERIMENTS: _EXPERIMENTS}
"""The guide to each page, as HTML."""
