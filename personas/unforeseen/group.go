package unforeseen

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/offline"
)

const (
	// likeEnough is the share of the words of two messages that they have in common in a group.
	likeEnough = 0.5
	// maxGroups bounds the groups; a message that is like none of them is counted and not listed.
	maxGroups = 500
	// maxOthers is how many other messages of a group are kept.
	maxOthers = 5
)

// Report is what players said that nothing of the author's fits, as JSON. Groups are in the order
// of their counts.
type Report struct {
	Persona       string  `json:"persona"`
	Conversations int     `json:"conversations"`
	Messages      int     `json:"messages"`
	LeftOut       int     `json:"left_out"` // of no state of the file, with a director's mark, or too long
	Unforeseen    int     `json:"unforeseen"`
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

	at    place
	words map[string]bool
}

// Added is a message that was written into the persona file as an example.
type Added struct {
	N        int    `json:"n"`
	Decision string `json:"decision"`
	Path     string `json:"path"`
	Text     string `json:"text"`
}

// add puts a message into the first group of its state that it is like, else into a new one.
func (r *Report) add(s *said, at *offline.Place, v *offline.Verdict, words map[string]bool) {
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.at != s.place || shareOf(g.words, words) < likeEnough {
			continue
		}
		g.Count += s.count
		if len(g.Others) < maxOthers {
			g.Others = append(g.Others, s.text)
		}
		return
	}
	if len(r.Groups) < maxGroups {
		r.Groups = append(r.Groups, Group{
			Count: s.count, Machine: at.Machine.Key, State: at.State.Key, Decision: describeDecision(v), Text: s.text, Others: []string{}, Source: s.source,
			at: s.place, words: words,
		})
	}
}

func (r *Report) sort() {
	slices.SortStableFunc(r.Groups, func(a, b Group) int { return b.Count - a.Count })
	for i := range r.Groups {
		r.Groups[i].N = i + 1
	}
}

// describeDecision names a verdict: "redirect", or "aside, greeting" with its built-in intent.
func describeDecision(v *offline.Verdict) string {
	if v.Intent == "" {
		return v.Decision
	}
	return v.Decision + ", " + strings.ReplaceAll(string(v.Intent), "_", " ")
}

// contentWords returns the stems of a message's words, without common ones if there are others.
func (t *Talk) contentWords(text string) map[string]bool {
	x := t.reader.Lexicon()
	all, content := map[string]bool{}, map[string]bool{}
	for _, word := range nlu.Words(text) {
		all[x.Stem(word)] = true
		if !x.IsCommon(word) {
			content[x.Stem(word)] = true
		}
	}
	if len(content) > 0 {
		return content
	}
	return all
}

// shareOf returns how many of two texts' words are in both, of 1.
func shareOf(a, b map[string]bool) float64 {
	both := 0
	for word := range maps.Keys(a) {
		if b[word] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
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
