package playtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

const (
	// maxGroups bounds the groups; a message that fits none of them is counted and not listed.
	maxGroups = 500
	// maxOthers is how many other messages of a group are kept.
	maxOthers = 5
)

// Report lists, as JSON, the players' messages without a matching text of the author. Groups are in
// the order of their counts.
type Report struct {
	Persona       string  `json:"persona"`
	Conversations int     `json:"conversations"`
	Messages      int     `json:"messages"`
	LeftOut       int     `json:"left_out"` // in an unknown state, with a director's mark, or too long
	Unforeseen    int     `json:"unforeseen"`
	Unlisted      int     `json:"unlisted,omitempty"` // unforeseen messages beyond the most groups that are listed
	Groups        []Group `json:"groups"`
	Added         []Added `json:"added,omitempty"`
}

// Group is messages of one state that are alike. Text is the most frequent one.
type Group struct {
	N        int      `json:"n"`
	Count    int      `json:"count"`
	Machine  string   `json:"machine_key"`
	State    string   `json:"state_key"`
	Decision string   `json:"decision"`
	Text     string   `json:"text"`
	Others   []string `json:"others"`
	Source   string   `json:"source"`

	at place
}

// Added is a message that was written into the persona file as an example.
type Added struct {
	N        int    `json:"n"`
	Decision string `json:"decision"`
	Path     string `json:"path"`
	Text     string `json:"text"`
}

// grouping is the groups of one state while they are made.
type grouping struct {
	*intent.Grouping

	groups []int // in the report
}

// add puts a message into the group of its state that it is most like, else into a new one.
func (r *Report) add(t *Talk, of *grouping, s *said) {
	r.Unforeseen += s.count
	if i := of.Nearest(s.text); i >= 0 {
		g := &r.Groups[of.groups[i]]
		if g.Count += s.count; len(g.Others) < maxOthers {
			g.Others = append(g.Others, s.text)
		}
		return
	}
	if len(r.Groups) == maxGroups {
		r.Unlisted += s.count
		return
	}
	of.Begin(s.text)
	of.groups = append(of.groups, len(r.Groups))
	at := t.placeOf(s.place)
	r.Groups = append(r.Groups, Group{
		Count: s.count, Machine: at.Machine.Key, State: at.State.Key, Decision: s.decision, Text: s.text, Others: []string{}, Source: s.source, at: s.place,
	})
}

func (r *Report) sort() {
	slices.SortStableFunc(r.Groups, func(a, b Group) int { return b.Count - a.Count })
	for i := range r.Groups {
		r.Groups[i].N = i + 1
	}
}

// describeDecision names a verdict: "redirect", or "aside, greeting" with its built-in intent.
func describeDecision(v *intent.Verdict) string {
	if v.Intent == "" {
		return v.Decision
	}
	return v.Decision + ", " + strings.ReplaceAll(string(v.Intent), "_", " ")
}

// FindExamples returns the path of the list that has a decision's examples in the group's state:
// the state's own, or of a pass that is named by its target ("pass:STATE") that of the transition.
func (g *Group) FindExamples(doc *personas.Persona, wish string) (string, error) {
	decision, target, hasTarget := strings.Cut(wish, ":")
	m := &doc.Machines[g.at.machine]
	switch decision {
	case string(personas.DecidePass), string(personas.DecideReject), string(personas.DecideKickOut), string(personas.DecideRedirect), personas.FollowUpName:
	case personas.AsideName:
		return "", errors.New("an aside needs an answer: write it under answers in the file")
	default:
		return "", fmt.Errorf("%q is no decision: it is pass, redirect, reject, kick_out or follow_up", decision)
	}
	var rows []int
	var targets []string
	for i := range m.Transitions {
		if t := &m.Transitions[i]; t.From == g.State && string(t.Decision) == decision {
			rows = append(rows, i)
			if !slices.Contains(targets, t.To) {
				targets = append(targets, t.To)
			}
		}
	}
	isFree := decision == string(personas.DecideRedirect) || decision == personas.FollowUpName
	switch i := slices.IndexFunc(rows, func(row int) bool { return m.Transitions[row].To == target }); {
	case len(rows) == 0 && !isFree:
		return "", fmt.Errorf("state %q has no %s transition", g.State, decision)
	case hasTarget && (i < 0 || decision != string(personas.DecidePass)):
		return "", fmt.Errorf("state %q has no %s to %q", g.State, decision, target)
	case hasTarget:
		return fmt.Sprintf("machines[%d].transitions[%d].offline.examples", g.at.machine, rows[i]), nil
	case decision == string(personas.DecidePass) && len(rows) > 1:
		return "", fmt.Errorf("state %q has several passes: say to which state, %d=pass:%s", g.State, g.N, strings.Join(targets, " or pass:"))
	}
	return fmt.Sprintf("machines[%d].states[%d].offline.examples.%s", g.at.machine, g.at.state, decision), nil
}
