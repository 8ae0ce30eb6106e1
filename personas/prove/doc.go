// Package prove computes everything that can happen in a persona. It finds the states, transitions,
// outcomes, links and machines that a player can reach. Everything possible has a shortest witness,
// and everything impossible has a reason. The results are exact, without a limit on turns or scores.
// The package uses no model, reads no files, and does not judge what is good (see personas/lint).
//
// # Graph
//
// A running machine has a state, a count of redirects and a score. A verdict adds a constant to the
// score, and its other effects do not depend on the score. The machine is therefore a finite graph.
// A node is a state with a count, and each edge has a delta. engine.Machine.Step computes the edges.
// A walk continues while its score is above the early-fail bound. A walk ends at a terminal state,
// with a kick_out, or at the bound.
//
// Follow-ups and asides need no nodes, because both change nothing. Too many become an implicit
// redirect. Counts of redirects are ignored in a state without max_redirects. Counts are also
// ignored if redirects are free and the state has a reject transition.
//
// # Scores
//
// A higher score allows every walk of a lower score. The greatest score of each node therefore
// decides whether the machine can be running there. The least score, and the greatest REJECT below
// the threshold, need the exact set of scores. With deltas of 2, for example, no odd score is
// reached. The set is the answer to reachability in a one-counter machine with a lower bound. An
// infinite set is a finite union of ranges, and some ranges repeat with a period.
//
//  1. Pumps. Every cycle with a positive sum P has a pump, the node after the lowest partial sum.
//     From the pump, no partial sum is negative, so a walk with the score s returns with s+P. A loop
//     of the pump with the sum -d reduces P to gcd(P, d). The chosen pumps meet every positive
//     cycle.
//  2. Plain scores belong to walks without a pump. Without pumps there is no positive cycle, so the
//     number of plain scores is finite.
//  3. Periodic scores belong to walks through a pump with the period P. If s is a periodic score,
//     s+P is also a periodic score, because the walk can follow the cycle once more. The least score
//     of each residue class modulo P is stored (see scoreSets). Least scores only fall, in steps of
//     P, so the computation ends.
//  4. The union of the plain and the periodic scores is the whole set.
//
// Scores are first divided by the common unit of all cycles, so large deltas cost no more than small
// deltas. Adjacent scores are stored as ranges. The general problem is NP-complete (subset sum) in
// the length of the numbers. Persona returns ErrTooWide for a machine beyond a fixed amount of work.
// The least score of an outcome is never -inf, because every machine with scores has a bound.
//
// # Witnesses
//
// A breadth-first search finds the shortest ways. For states, transitions, ACCEPT and KICK_OUT, the
// search keeps only the higher of two scores at a node. For REJECT, the search keeps only the lower
// score, because the same walk then also ends with a REJECT. For links, one of these rules applies
// if the required score is on the suitable side of the bound. Otherwise every score is kept. A way
// beyond MaxSteps or beyond the search limit is not listed, but the proof remains valid.
//
// # Stuck
//
// A node with a way to an end is never stuck, because the walk or the bound ends the machine. From
// other nodes only the bound can end the machine. The bound is out of reach if the greatest score
// plus the lowest sum of any walk is above the bound. A machine with links to other machines is
// stuck if none of its endings opens a link.
package prove
