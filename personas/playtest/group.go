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
	// maxGroups is the maximum number of groups. Further messages without a similar group are counted
	// but not listed.
	maxGroups = 500
	maxOthers = 5
)

// UnforeseenReport contains the players' messages for which the author wrote no similar text. It is
// encoded as JSON. Groups are in decreasing order of their counts.
type UnforeseenReport struct {
	Persona       string            `json:"persona"`
	Conversations int               `json:"conversations"`
	Messages      int               `json:"messages"`
	LeftOut       int               `json:"left_out"` // number of messages in an unknown state, with a director's mark, or too long
	Unforeseen    int               `json:"unforeseen"`
	Unlisted      int               `json:"unlisted,omitempty"` // number of unforeseen messages beyond maxGroups groups
	Groups        []UnforeseenGroup `json:"groups"`
	Added         []Added           `json:"added,omitempty"`
}

// UnforeseenGroup contains similar messages in one state. Text is the most frequent one.
type UnforeseenGroup struct {
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

// Added is a message that was added to the persona file as an example.
type Added struct {
	N        int    `json:"n"`
	Decision string `json:"decision"`
	Path     string `json:"path"`
	Text     string `json:"text"`
}

type grouping struct {
	*intent.Grouping

	groups []int // indexes in the report
}

func (r *UnforeseenReport) add(t *Talk, of *grouping, s *said) {
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
	r.Groups = append(r.Groups, UnforeseenGroup{
		Count: s.count, Machine: at.Machine.Key, State: at.State.Key, Decision: s.decision, Text: s.text, Others: []string{}, Source: s.source, at: s.place,
	})
}

// FindExamples returns the path of the list of examples for a decision in the group's state. For a
// pass with a target state ("pass:STATE") it is the list of that transition, and otherwise the list
// of the state.
func (g *UnforeseenGroup) FindExamples(doc *personas.Persona, wish string) (string, error) {
	decision, target, hasTarget := strings.Cut(wish, ":")
	m := &doc.Machines[g.at.machine]
	switch decision {
	case string(personas.DecidePass), string(personas.DecideReject), string(personas.DecideKickOut), string(personas.DecideRedirect), personas.FollowUpName:
	case personas.AsideName:
		return "", errors.New("an aside requires an answer: add it to answers in the file")
	default:
		return "", fmt.Errorf("unknown decision %q: use pass, redirect, reject, kick_out or follow_up", decision)
	}
	var transitions []int
	var targets []string
	for i := range m.Transitions {
		if t := &m.Transitions[i]; t.From == g.State && string(t.Decision) == decision {
			transitions = append(transitions, i)
			if !slices.Contains(targets, t.To) {
				targets = append(targets, t.To)
			}
		}
	}
	isFree := decision == string(personas.DecideRedirect) || decision == personas.FollowUpName
	switch i := slices.IndexFunc(transitions, func(j int) bool { return m.Transitions[j].To == target }); {
	case len(transitions) == 0 && !isFree:
		return "", fmt.Errorf("state %q has no %s transition", g.State, decision)
	case hasTarget && (i < 0 || decision != string(personas.DecidePass)):
		return "", fmt.Errorf("state %q has no %s to %q", g.State, decision, target)
	case hasTarget:
		return fmt.Sprintf("machines[%d].transitions[%d].offline.examples", g.at.machine, transitions[i]), nil
	case decision == string(personas.DecidePass) && len(transitions) > 1:
		return "", fmt.Errorf("state %q has several passes: select one by its target state, %d=pass:%s", g.State, g.N, strings.Join(targets, " or pass:"))
	}
	return fmt.Sprintf("machines[%d].states[%d].offline.examples.%s", g.at.machine, g.at.state, decision), nil
}
