package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/prove"
)

var linkNeverOpens = Check{
	Name: "link-never-opens", Severity: Warning, mean: findClosed,
	Summary: "No play satisfies this link's condition.",
	Why: "The source machine never ends that way, for example because its score cannot become so high. " +
		"The target can be unlocked in another way. Lower the condition or remove the link.",
	Good: "    condition_value: ACCEPT\n",
	Bad:  "    condition_value: ACCEPT\n  - {source_machine_key: gate, target_machine_key: yard, condition_type: score_gte, condition_value: 10}\n",
}

func findClosed(s *checkContext, report reporter) {
	proof := s.report
	if proof == nil {
		return
	}
	for i := range s.p.Links {
		if l := &s.p.Links[i]; s.neverOpensByItself(i) && s.canStart(l.Target) {
			member := "condition_value"
			if l.Condition == personas.Always {
				member = "condition_type"
			}
			path := fmt.Sprintf("machine_links[%d].%s", i, member)
			report(path, "this link to %q never opens: %s; change the condition or remove the link",
				l.Target, proof.Links[i].Reason)
		}
	}
}

// neverOpensByItself skips a link from an impossible machine, because other checks report the
// machine.
func (c *checkContext) neverOpensByItself(i int) bool {
	l := &c.p.Links[i]
	if c.report.Links[i].CanOpen || !c.canStart(l.Source) {
		return false
	}
	source := c.machineByKey(l.Source)
	switch {
	case !slices.ContainsFunc(source.proof.Outcomes, func(o prove.Outcome) bool { return o.Reachable }):
		return false
	case l.Condition == personas.IfOutcome:
		return !source.proof.OutcomeOf(l.Outcome).Meant
	}
	return !source.hasCutOffStates()
}

func (c *checkContext) machineByKey(key string) *machineContext {
	c.listMachines()
	return &c.machineContexts[c.byKey[key]]
}

func (c *checkContext) canStart(key string) bool { return c.machineByKey(key).proof.Available }

var machineNeverUnlocks = Check{
	Name: "machine-never-unlocks", Severity: Warning, mean: findLocked,
	Summary: "No player can ever start this machine.",
	Why: "All links to it are impossible, and it is not an entry machine. Change a condition, or write " +
		"is_entry_machine: true.",
	Good: "    condition_type: outcome\n    condition_value: ACCEPT\n", Bad: "    condition_type: score_gte\n    condition_value: 10\n",
}

func findLocked(s *checkContext, report reporter) {
	if s.report == nil || s.areAllLocked() {
		return
	}
	s.indexLinks()
	for i := range s.p.Machines {
		m := &s.p.Machines[i]
		if s.report.Machines[i].Available {
			continue
		}
		var reasons []string
		for _, j := range s.leading[i] {
			if s.neverOpensByItself(j) && len(reasons) < 4 {
				reasons = append(reasons, s.report.Links[j].Reason)
			}
		}
		if len(reasons) > 0 {
			report(machinePath(i), "machine %q can never be unlocked: %s; change a link that leads here, or write "+
				"is_entry_machine: true",
				m.Key, strings.Join(reasons, ", and "))
		}
	}
}

func (c *checkContext) areAllLocked() bool {
	return !slices.ContainsFunc(c.report.Machines, func(m prove.Machine) bool { return m.Available })
}

var noEntryMachine = Check{
	Name: "no-entry-machine", Severity: Warning, mean: findNoEntry,
	Summary: "All machines are locked, so the persona cannot be played.",
	Why: "Every machine is the target of a link. Write is_entry_machine: true in the machine where the " +
		"story begins, or remove the links to it.",
	Good: "    condition_value: ACCEPT\n", Bad: "    condition_value: ACCEPT\n  - {source_machine_key: yard, target_machine_key: gate, condition_type: always}\n",
}

func findNoEntry(s *checkContext, report reporter) {
	if s.report != nil && s.areAllLocked() {
		report("machines", "no machine can be played: links lead to all of them and none has is_entry_machine: true; "+
			"add it to the machine where the story starts")
	}
}

var linkCycleLocked = Check{
	Name: "link-cycle-locked", Severity: Warning, mean: findLockedCycles,
	Summary: "Machines that unlock only each other stay locked.",
	Why: "Write is_entry_machine: true for one of them, or add a link from a machine that can be played. A " +
		"link from a machine to itself locks it too.",
	Good: "  - source_machine_key: gate\n    target_machine_key: yard", Bad: "  - source_machine_key: yard\n    target_machine_key: yard",
}

// findLockedCycles reports one machine of each cycle without a link from outside.
func findLockedCycles(s *checkContext, report reporter) {
	if s.report == nil || s.areAllLocked() {
		return
	}
	next, reported := make([][]int, len(s.p.Machines)), make([]bool, len(s.p.Machines))
	for i := range s.p.Links {
		from, to := s.machineByKey(s.p.Links[i].Source).position, s.machineByKey(s.p.Links[i].Target).position
		next[from] = append(next[from], to)
		reported[to] = reported[to] || s.report.Machines[from].Available
	}
	follow := func(i int) []int { return next[i] }
	locked := func(i int) bool { return !s.report.Machines[i].Available }
	seen := make([]bool, len(s.p.Machines))
	for i := range s.p.Machines {
		if reported[i] {
			visitFrom(i, seen, locked, follow)
		}
	}
	for _, i := range findRoots(len(s.p.Machines), func(i int) bool { return locked(i) && !seen[i] }, follow) {
		report(machinePath(i), "machine %q can never be unlocked: only %s leads to it, and that machine is locked "+
			"until this one ends; write is_entry_machine: true, or link to it from a machine that can be played",
			s.p.Machines[i].Key, quoteKeys(s.firstLinkSources(i)))
	}
}

const maxSources = 10

func (c *checkContext) firstLinkSources(i int) []string {
	var keys []string
	c.indexLinks()
	for _, j := range c.leading[i] {
		if l := &c.p.Links[j]; len(keys) < maxSources && !slices.Contains(keys, l.Source) {
			keys = append(keys, l.Source)
		}
	}
	return keys
}

var linkWithoutEffect = Check{
	Name: "link-without-effect", Severity: Warning, mean: findIdleLinks,
	Summary: "This link is a duplicate, or its target is open from the start.",
	Why: "An entry machine needs no link, and is_auto_advance works only for machines that were just " +
		"unlocked. Remove is_entry_machine if the machine should start locked; otherwise remove the link.",
	Good: "    condition_value: ACCEPT\n",
	Bad:  "    condition_value: ACCEPT\n  - {source_machine_key: gate, target_machine_key: yard, condition_type: outcome, condition_value: ACCEPT}\n",
}

func findIdleLinks(s *checkContext, report reporter) {
	type key struct {
		source, target string
		condition      personas.Condition
		outcome        personas.Outcome
		score          int
	}
	first := map[key]int{}
	for i := range s.p.Links {
		l := &s.p.Links[i]
		path, k := fmt.Sprintf("machine_links[%d]", i), key{l.Source, l.Target, l.Condition, l.Outcome, l.Score}
		before, twice := first[k]
		switch {
		case s.machineByKey(l.Target).IsEntry:
			report(path, "this link has no effect: machine %q has is_entry_machine: true and is open from the start; "+
				"remove one of the two",
				l.Target)
		case twice:
			report(path, "this link repeats the %s link; remove one of them", personas.Ordinal(before))
		default:
			first[k] = i
		}
	}
}

var autoAdvanceAmbiguous = Check{
	Name: "auto-advance-ambiguous", Severity: Warning, mean: findAmbiguous,
	Summary: "Two links with is_auto_advance can be satisfied at once.",
	Why: "A client follows one of them, usually the first in the file. Make the conditions exclude each " +
		"other, such as ACCEPT and REJECT, or keep is_auto_advance on one.",
	Good: "machine_links:\n  - source_machine_key: gate\n    target_machine_key: yard\n    condition_type: outcome\n    condition_value: ACCEPT\n",
	Bad: "  - machine_key: tower\n    scoring_mode: pass_fail\n    states:\n      - {state_key: top, is_initial_state: true, is_terminal_state: true}\n    transitions: []\n" +
		"machine_links:\n  - {source_machine_key: gate, target_machine_key: yard, condition_type: outcome, condition_value: ACCEPT, is_auto_advance: true}\n" +
		"  - {source_machine_key: gate, target_machine_key: tower, condition_type: always, is_auto_advance: true}\n",
}

func findAmbiguous(s *checkContext, report reporter) {
	proof := s.report
	if proof == nil {
		return
	}
	leading := map[string][]int{}
	for i := range s.p.Links {
		link := &s.p.Links[i]
		if !link.AutoAdvance || !proof.Links[i].CanOpen || s.machineByKey(link.Target).IsEntry {
			continue
		}
		source, clash := s.machineByKey(link.Source), false
		for _, other := range leading[link.Source] {
			if o := &s.p.Links[other]; o.Target != link.Target && source.canHoldTogether(o, link) {
				clash = true
				path := fmt.Sprintf("machine_links[%d].is_auto_advance", i)
				report(path, "when machine %q ends, the conditions of the %s link, to %q, and of this link, to %q, can both "+
					"be true, and both links advance; keep is_auto_advance on one, or make the conditions exclude each other",
					link.Source, personas.Ordinal(other), o.Target, link.Target)
				break
			}
		}
		if !clash {
			leading[link.Source] = append(leading[link.Source], i)
		}
	}
}

func (m *machineContext) canHoldTogether(a, b *personas.Link) bool {
	for _, o := range m.proof.Outcomes {
		if !o.Reachable || !allowsOutcome(a, o.Outcome) || !allowsOutcome(b, o.Outcome) {
			continue
		}
		low, high := scoreRange(a)
		least, greatest := scoreRange(b)
		if max(low, least, int(*o.Min)) <= min(high, greatest, int(*o.Max)) {
			return true
		}
	}
	return false
}

func allowsOutcome(l *personas.Link, o personas.Outcome) bool {
	return l.Condition != personas.IfOutcome || l.Outcome == o
}

func scoreRange(l *personas.Link) (low, high int) {
	switch l.Condition {
	case personas.IfScoreGTE:
		return l.Score, math.MaxInt
	case personas.IfScoreLTE:
		return math.MinInt, l.Score
	}
	return math.MinInt, math.MaxInt
}
