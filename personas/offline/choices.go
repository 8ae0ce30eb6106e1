package offline

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// choice is one thing that a message may mean.
type choice struct {
	kind     kind
	decision string
	rows     []int // transitions
	label    string
	examples []string
	criteria []string
}

// kind says which weights a choice has.
type kind int

const (
	pass kind = iota
	redirect
	reject
	kickOut
	followUp
	aside
	kindCount
)

func kindOf(decision string) kind {
	switch decision {
	case string(personas.DecidePass):
		return pass
	case string(personas.DecideReject):
		return reject
	case string(personas.DecideKickOut):
		return kickOut
	case personas.FollowUpName:
		return followUp
	}
	return redirect
}

// choicesOf returns what a message may mean in a state: each transition with
// examples or a condition of its own, else all of a decision; the last one is
// the aside.
func choicesOf(m *personas.Machine, s *personas.State, outgoing []int) []choice {
	var out []choice
	seen := make(map[string]int)
	add := func(decision string, row int) *choice {
		key := decision
		t := m.Transitions[max(row, 0)]
		if row >= 0 && (t.Condition != "" || t.Offline != nil && len(t.Offline.Examples) > 0) && decision == "pass" {
			key += "\x00" + t.To + t.Condition
		}
		i, ok := seen[key]
		if !ok {
			i = len(out)
			seen[key] = i
			out = append(out, choice{kind: kindOf(decision), decision: decision})
			if row >= 0 {
				out[i].label = t.To
			}
		}
		if row >= 0 {
			out[i].rows = append(out[i].rows, row)
		}
		return &out[i]
	}
	for _, i := range outgoing {
		t := &m.Transitions[i]
		c := add(string(t.Decision), i)
		if t.Offline != nil {
			c.examples = append(c.examples, t.Offline.Examples...)
		}
		if t.Condition != "" {
			c.criteria = append(c.criteria, t.Condition)
		}
	}
	for _, d := range []string{"pass", "redirect", "reject", "kick_out", personas.FollowUpName} {
		var ex []string
		if s.Offline != nil {
			ex = s.Offline.Examples.Of(d)
		}
		cr := s.Criteria.Of(d)
		if len(ex) == 0 && cr == "" && d != "redirect" {
			continue
		}
		found := false
		for i := range out {
			if out[i].decision == d {
				found = true
				out[i].examples = append(out[i].examples, ex...)
				if cr != "" {
					out[i].criteria = append(out[i].criteria, cr)
				}
			}
		}
		if !found && (d == "redirect" || d == personas.FollowUpName) {
			c := add(d, -1)
			c.examples = append(c.examples, ex...)
			if cr != "" {
				c.criteria = append(c.criteria, cr)
			}
		}
	}
	return append(out, choice{kind: aside, decision: "aside"})
}

// reporting words say who speaks and that he speaks; they are about the player
// and never by the player.
const reporting = `player user visitor traveller traveler character npc message says saying mentions mention states stating
	expresses clearly something anything someone either reply response the a an applicant guest customer patient applicants he she they them him her his their names name gives give`

// clausesOf cuts a description into its alternatives, without reporting words.
func clausesOf(text string) []string {
	var out, clause []string
	skip := strings.Fields(reporting)
	flush := func() {
		if len(clause) > 0 {
			out = append(out, strings.Join(clause, " "))
		}
		clause = nil
	}
	for _, w := range strings.Fields(text) {
		bare := strings.ToLower(strings.Trim(w, ".,;:!?()\"'"))
		if bare == "or" || bare == "oder" || bare == "o" || bare == "ou" {
			flush()
			continue
		}
		if !slices.Contains(skip, bare) {
			clause = append(clause, w)
		}
		if strings.ContainsAny(w[len(w)-1:], ".,;:!?") {
			flush()
		}
	}
	flush()
	return out
}
