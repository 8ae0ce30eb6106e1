// Package prove computes everything that can happen in a persona: the states, transitions,
// outcomes, links and machines that a player can reach, each with a shortest witness or the reason
// why it cannot be reached; the least and the greatest score at the end of a machine; and the
// situations where a player is stuck. The results are exact: they do not depend on a maximum number
// of turns or a range of scores.
//
// # The question
//
// A running machine consists of a state, a count of redirects and a score. (A pending follow-up can
// be ignored: a follow-up changes nothing, and a second one is an implicit redirect, which is
// possible without a follow-up too. The count of asides can be ignored likewise: an aside changes
// nothing, and an aside beyond the state's patience is the same redirect.) The effect of a verdict
// on the state and the count does not depend on the score, and it adds a constant to the score. So
// the machine is a finite graph: its nodes are states with a count, and its edges have deltas. A
// walk in the graph continues as long as its score is above the early-fail bound. A walk ends with
// an edge to a terminal state, with a kick_out, or at the bound. Each edge is computed with
// engine.Machine.Step, so that the graph does not repeat the rules. Counts are distinguished only
// if they have an effect. They are ignored in a state without max_redirects. They are also ignored
// if redirects add no points and a reject transition can have at any time the effect that the limit
// has later.
//
// # Why higher scores are not enough
//
// A walk that continues also continues with a higher score. So it is enough to keep the greatest
// score of each node to determine whether the machine can be running there and what its greatest
// score is. That is not enough for the least score, nor for the greatest REJECT below the
// threshold: a walk with a lower score may be ended by the bound, and one with a higher score may
// be an ACCEPT. With deltas of 2, for example, no odd score is ever reached. These are questions of
// reachability in a one-counter machine with a lower bound, and the exact set of scores of each
// node must be known. Such a set can be infinite, but it is a finite union of ranges and of ranges
// that repeat upwards with a period. It is computed in this form:
//
//  1. Pumps. Every cycle with a positive sum contains a node such that no partial sum from this
//     node is negative: the node after the lowest partial sum. A walk that reaches this node with a
//     score s above the bound can follow the cycle and returns with s+P, where P is the sum. (If
//     the same node has a loop with the sum -d, enough turns of the cycle followed by enough
//     turns of the loop add every multiple of gcd(P, d), so that gcd(P, d) is used as P.) The
//     set X of such nodes is chosen so that every positive cycle contains one of them: labels
//     that grow along the edges either become potentials, which proves that every positive cycle
//     contains a node of X, or the edges that last increased them form a cycle. Then a node of
//     this cycle is added to X.
//  2. Plain scores are those of walks that have not visited X. Without X there is no positive
//     cycle, so these scores have an upper limit: the greatest sum of a simple path. The bound is
//     the lower limit, so there are finitely many.
//  3. Periodic scores are those of walks that have visited a node of X with period P. If s is
//     such a score, so is s+P: the walk can follow the cycle once more, and everything after it
//     has a score that is higher by P, which a lower bound cannot end. The set is therefore
//     represented by its least score in each residue class modulo P. An edge maps least scores
//     to least scores. If the bound would end the walk, the least score is replaced by the first
//     one in its residue class that is above the bound. A least score can only become lower, by
//     multiples of P, and never reaches the bound, so the computation ends.
//  4. A walk either has visited X or has not, so the union of both sets is the whole set.
//
// So the range of scores that is searched is not a guess: above it the sets repeat with the period.
// Before the computation, scores are divided by the common unit of all cycles, so that deltas of a
// thousand million cost no more than deltas of 1. Adjacent scores are stored as ranges. Typical
// machines need a few ranges for each node, and time and memory proportional to their size. In the
// worst case it is NP-complete in the length of the numbers (subset sum) whether a score can be
// reached exactly. For a machine that exceeds a fixed amount of work, Persona returns ErrTooWide
// without partial results.
//
// The least score of an outcome is never -inf, because every machine with scores has a bound, and a
// single delta leads below it.
//
// # Shortest witnesses
//
// For everything reachable, the shortest way is searched for breadth-first. For states,
// transitions, ACCEPT and KICK_OUT only the higher of two scores at a node is kept, because every
// walk from the lower score is also possible from the higher one. For REJECT only the lower one is
// kept: the same walk with a lower score is either ended by the bound, which is a REJECT, or it
// ends with a lower score, which is a REJECT too. For links one of these rules applies if the
// required score is on the suitable side of the bound; otherwise every score is kept. If a way is
// longer than MaxSteps, or exceeds the limits of the search, it is not listed, but it is still
// proved that it exists.
//
// # Stuck
//
// If an edge to an end can be reached from a node, the machine can always end from there: on the
// way to that edge, either the bound ends it or it arrives. From any other node only the bound can
// end the machine. It always does so unless the greatest score of the node plus the lowest sum that
// is possible from there is above the bound. A machine as a whole is stuck if it has links to other
// machines and none of its endings opens one.
//
// The package does not play with a model, does not read files, and does not judge whether what is
// possible is also good (see personas/lint).
package prove
