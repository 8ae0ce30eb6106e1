// Package prove says of a persona what can happen in it at all: which states,
// transitions, outcomes, links and machines a player can come to, each with a
// shortest witness or the reason that blocks it; with which least and greatest
// score a machine ends; and where a player can be stuck. The answers are exact:
// no number of turns and no range of scores bounds them.
//
// # The question
//
// A running machine is a state, a count of redirects and a score. (Whether a
// follow-up is pending decides nothing: a follow-up moves nothing, and a second
// one is an implicit redirect, which is possible without. Nor does the count of
// asides: an aside moves nothing, and one beyond the state's patience is that same
// redirect.) What a verdict does
// to state and count does not depend on the score, and it adds a constant to
// it. So the machine is a finite graph, whose nodes are states with a count,
// whose edges carry deltas, and whose walks live as long as the score stays
// above the early-fail bound; what ends a walk is an edge into a terminal state,
// a kick_out, or the bound. Each edge is made by asking engine.Machine.Step, so
// the graph has no opinion of its own. Counts are told apart only where they
// matter: not in a state without max_redirects, and not where redirects cost
// nothing and a reject row could do at once what the limit does later.
//
// # Why higher scores are not enough
//
// A higher score never loses a walk, so whether a node can be running, and its
// greatest score, follow by dominance. The least score does not, nor does the
// greatest REJECT below the threshold: a walk that goes lower may be cut, and
// one that goes higher may be an ACCEPT. With deltas of 2 no odd score is ever
// met. These are questions of reachability in a one-counter machine with a
// lower bound, and the set of scores of each node has to be known exactly. It
// can be infinite, but it is a finite union of ranges and of ranges that repeat
// upwards with a period, and it is computed as that:
//
//  1. Pumps. Every cycle of positive sum has a node from which none of its
//     partial sums is negative: the one behind the lowest partial sum. Anybody who
//     is there with any living score s can walk the cycle and are there
//     with s+P, P being the sum. (Where the same node has loops that lose d
//     points, enough turns first and enough losses then give every multiple
//     of gcd(P, d), so P is that.) A set X of such nodes is found so that every
//     positive cycle goes through one of them: labels that grow along the edges
//     either become potentials, and then no positive cycle is left, or the
//     edges that raised them close one, and its node is taken out.
//  2. Plain scores are those of walks that have not met X. Without X there is
//     no positive cycle, so they are bounded from above by the greatest sum of
//     a simple path, and by the bound from below: finitely many.
//  3. Periodic scores are those of walks that have met a node of X with period
//     P. If s is one, so is s+P, by one more turn of that cycle, for everything
//     behind it happens P higher, where a lower bound cuts nothing. The set is
//     therefore given by its least score in each residue modulo P. An edge maps
//     least scores to least scores; one that the bound would cut is replaced by
//     the first that lives in its residue. Each least score can only fall, by
//     multiples of P, and never to the bound: the computation ends.
//  4. A walk either has met X or has not, so the union of both is the whole set.
//
// The window of scores that is searched is thus not a guess that is large
// enough; above it the sets repeat, and the period says how. Before, scores are
// divided by the unit that all cycles have in common, so that deltas of a
// thousand million cost what deltas of 1 cost, and neighbouring scores are kept
// as ranges. Typical machines need a few ranges a node, and time and memory that
// grow with the size of the machine. The worst case is another matter: to meet a
// score exactly is NP-complete in the length of the numbers (subset sum). A
// machine that would take more than a fixed amount of work is refused with
// ErrTooWide rather than answered half.
//
// The least score of an outcome is never -inf, because every scoring machine
// has a bound and a single delta leads below it.
//
// # Shortest witnesses
//
// Once it is known what can be reached, the shortest way there is searched for
// by length (A*, with the distance in the graph as what is left). At a node the
// higher of two scores replaces the lower one for states, transitions, ACCEPT
// and KICK_OUT, because every walk of the lower one lives with the higher one,
// too. For REJECT the lower one replaces the higher: the same walk with less
// is cut, which is a REJECT, or ends with less, which still is one. For links
// the same holds as long as the score that they ask for lies on the right side
// of the bound; else every score counts for itself. A way that is longer than
// MaxSteps, or beyond the search, is not written out; that it exists is still
// proved.
//
// # Stuck
//
// From a node with an edge into an end ahead of it a machine can always be
// ended: on the way there it is cut, or it arrives. Elsewhere only the bound can
// end it, and does unless even the lowest sum ahead of the node, added to its
// greatest score, stays above the bound. A machine is stuck as a whole when it
// has links that lead to other machines and none of its endings opens any.
//
// The package never plays with a model, never reads a file, and never judges
// whether what is possible is good (personas/lint does).
package prove
