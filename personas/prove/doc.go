// Package prove computes everything that can happen in a persona: the states, transitions,
// outcomes, links and machines that a player can reach, each with a shortest witness or the reason
// that blocks it; the least and greatest score at the end of a machine; and the places to be stuck.
// The results are exact: they do not depend on a maximum number of turns or range of scores.
//
// # The question
//
// A running machine is a state, a count of redirects and a score. (A pending follow-up can be
// ignored: a follow-up moves nothing, and a second one is an implicit redirect, which is possible
// without. So can the count of asides: an aside moves nothing, and one beyond the state's patience
// is that same redirect.) The effect of a verdict on state and count does not depend on the score,
// and it adds a constant to the score. So the machine is a finite graph: its nodes are states with
// a count, its edges have deltas, and its walks live as long as the score stays above the
// early-fail bound. A walk ends by an edge into a terminal state, a kick_out, or the bound. Each
// edge is made by calling engine.Machine.Step, so the graph does not repeat the rules. Counts are
// distinguished only if they matter: not in a state without max_redirects, and not if redirects
// cost nothing and a reject row could have the same effect at once that the limit has later.
//
// # Why higher scores are not enough
//
// A higher score never loses a walk, so whether a node can be running, and its greatest score,
// follow by dominance. The least score does not, nor does the greatest REJECT below the threshold:
// a walk that goes lower may be cut, and one that goes higher may be an ACCEPT. With deltas of 2 no
// odd score is ever met. These are questions of reachability in a one-counter machine with a lower
// bound, and the set of scores of each node has to be known exactly. It can be infinite, but it is
// a finite union of ranges and of ranges that repeat upwards with a period, and it is computed in
// that form:
//
//  1. Pumps. Every cycle of positive sum has a node from which all its partial sums are at least
//     0: the one behind the lowest partial sum. A walk that reaches it with any living score s can
//     follow the cycle and returns with s+P, P being the sum. (If the same node has loops that
//     lose d points, enough turns first and enough losses then produce every multiple of gcd(P,
//     d), so P is that.) The set X of such nodes is chosen so that every positive cycle goes
//     through one of them: labels that grow along the edges either become potentials, which proves
//     that all positive cycles are cut, or the edges that raised them close a cycle, and its node
//     is taken out.
//  2. Plain scores are those of walks that have not met X. Without X there is no positive cycle,
//     so they are bounded from above by the greatest sum of a simple path, and by the bound from
//     below: finitely many.
//  3. Periodic scores are those of walks that have met a node of X with period P. If s is one, so
//     is s+P, by one more turn of that cycle, because everything after it happens P higher and is
//     not cut by a lower bound. The set is therefore represented by its least score in each
//     residue modulo P. An edge maps least scores to least scores; one that the bound would cut is
//     replaced by the first that lives in its residue. Each least score can only fall, by
//     multiples of P, and never to the bound: the computation ends.
//  4. A walk either has met X or has not, so the union of both is the whole set.
//
// So the searched range of scores is not a guess; above it the sets repeat with the period. First,
// scores are divided by the common unit of all cycles, so that deltas of a thousand million cost
// the same as deltas of 1, and neighbouring scores are kept as ranges. Typical machines need a few
// ranges a node, and time and memory that grow with the size of the machine. In the worst case,
// meeting a score exactly is NP-complete in the length of the numbers (subset sum). A machine that
// would exceed a fixed amount of work is refused with ErrTooWide, without partial results.
//
// The least score of an outcome is never -inf, because every scoring machine
// has a bound and a single delta leads below it.
//
// # Shortest witnesses
//
// For everything reachable, the search for a shortest way goes by length (A*, with the distance in
// the graph as the estimate of the rest). At a node the higher of two scores replaces the lower one
// for states, transitions, ACCEPT and KICK_OUT, because every walk of the lower one lives with the
// higher one, too. For REJECT the lower one replaces the higher: the same walk with less is cut,
// which is a REJECT, or ends with less, which still is one. For links the same holds as long as the
// required score lies on the right side of the bound; otherwise every score is kept separately. A
// way that is longer than MaxSteps, or beyond the search, is not written out, but its existence is
// still proved.
//
// # Stuck
//
// From a node with an edge into an end ahead of it a machine can always be ended: on the way there
// it is cut, or it arrives. From other nodes only the bound can end it, and does unless even the
// lowest sum ahead of the node, added to its greatest score, stays above the bound. A machine is
// stuck as a whole if it has links to other machines and none of its endings opens any.
//
// The package never plays with a model, never reads a file, and never judges
// whether what is possible is good (personas/lint does).
package prove
