package playtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/wire"
)

const (
	maxMessages = 20_000
	// maxRead bounds the work for all different messages. A message's work is its characters times
	// the bytes of the compared texts.
	maxRead     = 25_000_000_000
	messageCost = 40 // characters
)

// ErrTooMuch is returned for a Talk with too many messages.
var ErrTooMuch = errors.New("use fewer conversations")

type place struct{ machine, state int }

type message struct {
	place

	text, source string
	count        int    // times sent
	decision     string // text about the verdict
}

// Talk contains the messages of players to a persona.
type Talk struct {
	doc      *personas.Persona
	machines *engine.Persona
	reader   *intent.Reader

	order             []*message // in order of addition
	byPlace           map[place]map[string]*message
	messages, leftOut int // leftOut could not be judged
	read              int64
	texts             int // bytes of the state with the largest texts
}

// NewTalk returns a Talk without messages. The persona must not be changed while the Talk is used.
func NewTalk(doc *personas.Persona) (*Talk, error) {
	machines, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	return &Talk{
		doc: doc, machines: machines, reader: intent.NewReader(),
		byPlace: make(map[place]map[string]*message), texts: intent.CountTexts(doc),
	}, nil
}

// AddHistory adds a player's messages on one machine, each in the state of the previous reply.
// source is shown to the author. The only possible error is ErrTooMuch.
func (t *Talk) AddHistory(machine string, messages []wire.HistoryMessage, source string) error {
	state := ""
	for i := range messages {
		m := &messages[i]
		if m.Role != wire.RoleUser {
			state = m.StateKeyAtTime
			continue
		}
		if err := t.add(machine, state, m.Content, source); err != nil {
			return err
		}
	}
	return nil
}

func (t *Talk) add(machine, state, text, source string) error {
	if t.messages++; t.messages > maxMessages {
		return fmt.Errorf("there are more than %d messages: %w", maxMessages, ErrTooMuch)
	}
	text = strings.Join(strings.Fields(text), " ")
	_, marked := CutMark(text)
	position, ok := t.findState(machine, state)
	if !ok || marked || text == "" || utf8.RuneCountInString(text) > intent.MaxLineText {
		t.leftOut++
		return nil
	}
	folded := strings.ToLower(text)
	if same := t.byPlace[position][folded]; same != nil {
		same.count++
		return nil
	}
	if t.read += int64(utf8.RuneCountInString(text)+messageCost) * int64(t.texts); t.read > maxRead {
		return fmt.Errorf("comparing the messages up to %s with the %d bytes of a state takes too long: %w",
			source, t.texts, ErrTooMuch)
	}
	if t.byPlace[position] == nil {
		t.byPlace[position] = make(map[string]*message)
	}
	s := &message{place: position, text: text, source: source, count: 1}
	t.byPlace[position][folded], t.order = s, append(t.order, s)
	return nil
}

func (t *Talk) findState(machine, state string) (position place, ok bool) {
	m := slices.IndexFunc(t.doc.Machines, func(m personas.Machine) bool { return m.Key == machine })
	if m < 0 {
		return place{}, false
	}
	s := slices.IndexFunc(t.doc.Machines[m].States, func(s personas.State) bool { return s.Key == state })
	return place{m, s}, s >= 0
}

func (t *Talk) placeOf(position place) intent.Place {
	m := &t.doc.Machines[position.machine]
	s := &m.States[position.state]
	outgoing := t.machines.Machine(m.Key).Outgoing(s.Key)
	return intent.Place{Persona: t.doc, Machine: m, State: s, Outgoing: outgoing, FollowUpAllowed: true, InGame: true}
}

// Judge judges every message and groups the unforeseen messages. Judge stops when ctx ends.
func (t *Talk) Judge(ctx context.Context) (*UnforeseenReport, error) {
	report := &UnforeseenReport{Messages: t.messages, LeftOut: t.leftOut, Groups: []UnforeseenGroup{}}
	// The reader caches few states, so the messages of one state come together.
	slices.SortStableFunc(t.order, func(a, b *message) int {
		if a.place != b.place {
			return slices.Compare([]int{a.machine, a.state}, []int{b.machine, b.state})
		}
		return b.count - a.count
	})
	var missed []*message
	for _, s := range t.order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if v := t.reader.Decide(t.placeOf(s.place), s.text); isUnforeseen(&v) {
			s.decision = v.Decision
			if v.Intent != "" {
				s.decision += ", " + strings.ReplaceAll(string(v.Intent), "_", " ")
			}
			missed = append(missed, s)
		}
	}
	slices.SortStableFunc(missed, func(a, b *message) int { return b.count - a.count })
	groupings := make(map[place]*grouping)
	for _, s := range missed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if groupings[s.place] == nil {
			groupings[s.place] = &grouping{Grouping: intent.NewGrouping(t.reader.Lexicon())}
		}
		report.add(t, groupings[s.place], s)
	}
	slices.SortStableFunc(report.Groups, func(a, b UnforeseenGroup) int { return b.Count - a.Count })
	for i := range report.Groups {
		report.Groups[i].N = i + 1
	}
	return report, nil
}

func isUnforeseen(v *intent.Verdict) bool {
	if v.Example != nil {
		return false
	}
	if v.Answer != nil && v.Answer.Intent != personas.IntentQuestion && v.Answer.Intent != personas.IntentRemark {
		return false
	}
	switch v.Decision {
	case personas.AsideName, personas.FollowUpName, string(personas.DecideRedirect):
		return true
	}
	return false
}

const (
	// maxGroups limits the listed groups. Further messages are only counted.
	maxGroups = 500
	maxOthers = 5
)

// UnforeseenReport contains the messages without a similar text of the author. Groups are in
// decreasing order of their counts.
type UnforeseenReport struct {
	Persona       string            `json:"persona"`
	Conversations int               `json:"conversations"`
	Messages      int               `json:"messages"`
	LeftOut       int               `json:"left_out"` // in an unknown state, too long, or with a mark
	Unforeseen    int               `json:"unforeseen"`
	Unlisted      int               `json:"unlisted,omitempty"` // beyond maxGroups groups
	Groups        []UnforeseenGroup `json:"groups"`
	Added         []Added           `json:"added,omitempty"`
}

// UnforeseenGroup contains similar messages in one state. Text is the most frequent message.
type UnforeseenGroup struct {
	N        int      `json:"n"`
	Count    int      `json:"count"`
	Machine  string   `json:"machine_key"`
	State    string   `json:"state_key"`
	Decision string   `json:"decision"`
	Text     string   `json:"text"`
	Others   []string `json:"others"`
	Source   string   `json:"source"`

	position place
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

	groups []int // in the report
}

func (r *UnforeseenReport) add(t *Talk, similar *grouping, s *message) {
	r.Unforeseen += s.count
	if i := similar.Nearest(s.text); i >= 0 {
		g := &r.Groups[similar.groups[i]]
		if g.Count += s.count; len(g.Others) < maxOthers {
			g.Others = append(g.Others, s.text)
		}
		return
	}
	if len(r.Groups) == maxGroups {
		r.Unlisted += s.count
		return
	}
	similar.Begin(s.text)
	similar.groups = append(similar.groups, len(r.Groups))
	place := t.placeOf(s.place)
	r.Groups = append(r.Groups, UnforeseenGroup{
		Count: s.count, Machine: place.Machine.Key, State: place.State.Key, Decision: s.decision, Text: s.text,
		Others: []string{}, Source: s.source, position: s.place,
	})
}

// FindExamples returns the path of the examples for a decision in the group's state. "pass:STATE"
// selects the examples of one transition.
func (g *UnforeseenGroup) FindExamples(doc *personas.Persona, wish string) (string, error) {
	decision, target, hasTarget := strings.Cut(wish, ":")
	machine := &doc.Machines[g.position.machine]
	switch {
	case slices.Contains(exampleDecisions, decision):
	case decision == personas.AsideName:
		return "", errors.New("an aside requires an answer: add it to answers in the file")
	default:
		return "", fmt.Errorf("unknown decision %q: use pass, redirect, reject, kick_out or follow_up", decision)
	}
	var transitions []int
	var targets []string
	for i := range machine.Transitions {
		if t := &machine.Transitions[i]; t.From == g.State && string(t.Decision) == decision {
			transitions = append(transitions, i)
			if !slices.Contains(targets, t.To) {
				targets = append(targets, t.To)
			}
		}
	}
	isFree := decision == string(personas.DecideRedirect) || decision == personas.FollowUpName
	switch i := slices.IndexFunc(transitions, func(j int) bool { return machine.Transitions[j].To == target }); {
	case len(transitions) == 0 && !isFree:
		return "", fmt.Errorf("state %q has no %s transition", g.State, decision)
	case hasTarget && (i < 0 || decision != string(personas.DecidePass)):
		return "", fmt.Errorf("state %q has no %s to %q", g.State, decision, target)
	case hasTarget:
		return fmt.Sprintf("machines[%d].transitions[%d].offline.examples", g.position.machine, transitions[i]), nil
	case decision == string(personas.DecidePass) && len(transitions) > 1:
		return "", fmt.Errorf("state %q has several passes: select one by its target state, %d=pass:%s",
			g.State, g.N, strings.Join(targets, " or pass:"))
	}
	return fmt.Sprintf("machines[%d].states[%d].offline.examples.%s", g.position.machine, g.position.state, decision), nil
}

type follower struct {
	*Talk
	machine *engine.Machine
	script  *personas.Machine
	session engine.Session
}

// AddPlay adds the messages of a play-through to the Talk.
func (t *Talk) AddPlay(play *Play, source string) error {
	f := follower{Talk: t}
	f.begin("")
	for i := range play.Steps {
		step := &play.Steps[i]
		if step.Start {
			f.begin(step.Machine)
		}
		if step.Say == "" || f.machine == nil || f.session.IsFinished() {
			continue
		}
		if err := t.add(f.script.Key, f.session.State, step.Say, source); err != nil {
			return err
		}
		f.move(step)
	}
	return nil
}

func (f *follower) begin(key string) {
	if key == "" {
		key = f.machines.Primary()
	}
	f.script, f.machine = f.doc.Machine(key), f.machines.Machine(key)
	if f.machine != nil {
		f.session = f.machine.Start()
	}
}

func (f *follower) move(step *Step) {
	verdict, marked := readMark(f.script, f.machine, f.session.State, step.Say)
	if !marked {
		v := Version{f.doc, f.machines, judgeWith(f.reader)}
		// Only an ended context causes an error.
		turn := &Turn{Message: step.Say}
		verdict, _, _ = v.judge(context.Background(), f.machine, f.session, f.script.Key, turn, intent.Asked{})
	}
	if result, err := f.machine.Step(f.session, verdict); err == nil {
		f.session = result.Session
	}
	for _, e := range step.Expect {
		if _, ok := f.findState(f.script.Key, e.Want); ok && e.Member == ExpectState {
			f.session.State = e.Want
		}
	}
}
