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

// Limits of a Talk.
const (
	maxMessages = 20_000
	// maxRead bounds the work for all different messages. The work for a message is its length in
	// characters times the size in bytes of the author's texts with which it is compared.
	maxRead     = 25_000_000_000
	messageCost = 40 // added to the length of each message, in characters
)

// ErrTooMuch is returned if a Talk gets too many messages.
var ErrTooMuch = errors.New("use fewer conversations")

type place struct{ machine, state int }

type said struct {
	place

	text, source string
	count        int    // how often the message was sent
	decision     string // description of the verdict
}

// Talk contains the messages of players to a persona.
type Talk struct {
	doc      *personas.Persona
	machines *engine.Persona
	reader   *intent.Reader

	said []*said // in the order of their addition
	at   map[place]map[string]*said
	// messages is the number of all messages. leftOut is the number of messages that could not be
	// judged.
	messages, leftOut int
	read              int64
	texts             int // size in bytes of the author's texts in the state that has the most
}

// NewTalk returns a Talk without messages. The persona must not be changed while the Talk is used.
// NewTalk returns an error if the engine cannot compile the persona.
func NewTalk(doc *personas.Persona) (*Talk, error) {
	machines, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	return &Talk{doc: doc, machines: machines, reader: intent.NewReader(), at: make(map[place]map[string]*said), texts: intent.CountTexts(doc)}, nil
}

// AddHistory adds the player's messages of a conversation on one machine. A message was sent in the
// state of the character's message before it. source is shown to the author. The only possible
// error is ErrTooMuch.
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
	at, known := t.findState(machine, state)
	if !known || marked || text == "" || utf8.RuneCountInString(text) > intent.MaxLineText {
		t.leftOut++
		return nil
	}
	folded := strings.ToLower(text)
	if same := t.at[at][folded]; same != nil {
		same.count++
		return nil
	}
	if t.read += int64(utf8.RuneCountInString(text)+messageCost) * int64(t.texts); t.read > maxRead {
		return fmt.Errorf("comparing the messages up to %s with the %d bytes of a state takes too long: %w", source, t.texts, ErrTooMuch)
	}
	if t.at[at] == nil {
		t.at[at] = make(map[string]*said)
	}
	s := &said{place: at, text: text, source: source, count: 1}
	t.at[at][folded], t.said = s, append(t.said, s)
	return nil
}

func (t *Talk) findState(machine, state string) (at place, known bool) {
	m := slices.IndexFunc(t.doc.Machines, func(m personas.Machine) bool { return m.Key == machine })
	if m < 0 {
		return place{}, false
	}
	s := slices.IndexFunc(t.doc.Machines[m].States, func(s personas.State) bool { return s.Key == state })
	return place{m, s}, s >= 0
}

func (t *Talk) placeOf(at place) intent.Place {
	m := &t.doc.Machines[at.machine]
	s := &m.States[at.state]
	return intent.Place{Persona: t.doc, Machine: m, State: s, Outgoing: t.machines.Machine(m.Key).Outgoing(s.Key), FollowUpAllowed: true, InGame: true}
}

// Judge judges every message and groups the unforeseen ones. It stops with the context's error when
// ctx ends.
func (t *Talk) Judge(ctx context.Context) (*UnforeseenReport, error) {
	report := &UnforeseenReport{Messages: t.messages, LeftOut: t.leftOut, Groups: []UnforeseenGroup{}}
	// Process the messages of one state together, because the reader caches few states.
	slices.SortStableFunc(t.said, func(a, b *said) int {
		if a.place != b.place {
			return slices.Compare([]int{a.machine, a.state}, []int{b.machine, b.state})
		}
		return b.count - a.count
	})
	var missed []*said
	for _, s := range t.said {
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
	slices.SortStableFunc(missed, func(a, b *said) int { return b.count - a.count })
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

// isUnforeseen reports whether no example and no answer of the author fits a message. General
// answers to any question or remark do not count, because they fit everything.
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
