// Package prove computes everything that can happen in a persona. It finds the states, transitions,
// outcomes, links and machines that a player can reach. Each has a shortest witness, or the reason
// why it cannot be reached. The package also computes the least and the greatest score at the end
// of a machine, and the situations in which a player is stuck. The results are exact, because they
// do not depend on a maximum number of turns or a range of scores.
//
// # The question
//
// A running machine consists of a state, a count of redirects and a score. (A pending follow-up can
// be ignored. A follow-up changes nothing, and a second one is an implicit redirect, which is
// possible without a follow-up too. The count of asides can be ignored too. An aside changes
// nothing, and an aside beyond the state's patience is the same implicit redirect.) A verdict adds
// a constant to the score. Its effect on the state and the count does not depend on the score. So
// the machine is a finite graph. Its nodes are states with a count, and its edges have deltas. A
// walk in the graph continues while its score is above the early-fail bound. A walk ends with an
// edge to a terminal state, with a kick_out, or at the bound. Each edge is computed with
// engine.Machine.Step, so that this package does not repeat the rules. Counts are distinguished
// only if they have an effect. They are ignored in a state without max_redirects. They are also
// ignored if redirects do not change the score and the state has a reject transition, because that
// reject always has the effect that the limit has.
//
// # Why higher scores are not enough
//
// If a walk continues with some score, it also continues with a higher score. So the greatest score
// of each node is enough to determine whether the machine can be running there. It is not enough to
// find the least score, or the greatest REJECT below the threshold. The bound may end a walk with a
// lower score, and a walk with a higher score may be an ACCEPT. With deltas of 2, for example, no
// odd score is ever reached. These are questions of reachability in a one-counter machine with a
// lower bound. To answer them, the exact set of scores of each node must be known. A set can be
// infinite, but it is a finite union of ranges, some of which repeat upwards with a period. It is
// computed in this form:
//
//  1. Pumps. Every cycle with a positive sum P contains a pump, which is the node after the lowest
//     partial sum. From a pump, no partial sum of the cycle is negative. A walk that reaches the
//     pump with a score s above the bound can follow the cycle and returns with the score s+P. (The
//     pump may also have a loop with the sum -d. Enough turns of the cycle followed by enough turns
//     of the loop add every multiple of gcd(P, d), so gcd(P, d) is used as P.) A set X of pumps is
//     chosen so that every positive cycle contains one of them. To find X, labels of nodes are
//     increased along the edges. If the labels become potentials, every positive cycle contains a
//     node of X. Otherwise, the edges that last increased the labels form a cycle, and the pump of
//     this cycle is added to X.
//  2. Plain scores are those of walks that have not visited X. Without X there is no positive
//     cycle, so these scores have an upper limit: the greatest sum of a simple path. The bound is
//     the lower limit, so there are finitely many.
//  3. Periodic scores are those of walks that have visited a node of X with period P. If s is a
//     periodic score, s+P is one too. The walk can follow the cycle once more. After that, all its
//     scores are higher by P, so the lower bound cannot end it. The set is therefore
//     represented by its least score in each residue class modulo P. An edge maps least scores
//     to least scores. If the bound would end the walk, the least score is replaced by the first
//     one in its residue class that is above the bound. A least score can only become lower, by
//     multiples of P, and never reaches the bound, so the computation ends.
//  4. A walk either has visited X or has not, so the union of both sets is the whole set.
//
// So the range of scores that is searched is not a guess, because the sets repeat with the period
// above it. Before the computation, scores are divided by the common unit of all cycles, so that
// deltas of a thousand million cost no more than deltas of 1. Adjacent scores are stored as ranges.
// Typical machines need a few ranges for each node, and time and memory proportional to their size.
// In the worst case, to decide whether a score can be reached exactly is an NP-complete problem
// (subset sum) in the length of the numbers. For a machine that exceeds a fixed amount of work,
// Persona returns ErrTooWide without partial results.
//
// The least score of an outcome is never -inf, because every machine with scores has a bound, and a
// single delta leads below it.
//
// # Shortest witnesses
//
// A breadth-first search finds the shortest way to everything reachable. For states, transitions,
// ACCEPT and KICK_OUT, the search keeps only the higher of two scores at a node, because every walk
// from the lower score is also possible from the higher one. For REJECT it keeps only the lower
// one. With a lower score, the same walk either is ended by the bound or ends with a lower score,
// and both are a REJECT. For links, one of these rules applies if the required score is on the
// suitable side of the bound. Otherwise every score is kept. If a way is longer than MaxSteps, or
// exceeds the limits of the search, it is not listed, but the proof that it exists remains valid.
//
// # Stuck
//
// If an edge to an end can be reached from a node, the machine can always end from there. On the
// way to that edge, either the bound ends the machine or the walk arrives at the edge. From any
// other node only the bound can end the machine. The bound can always do that unless the greatest
// score of the node plus the lowest sum of any walk from there is above the bound. A machine as a
// whole is stuck if it has links to other machines and none of its endings opens a link.
//
// The package does not play with a model, does not read files, and does not judge whether what is
// possible is also good (see personas/lint).
package prove
