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

// Bounds of a Talk.
const (
	maxMessages = 20_000
	// maxRead bounds the sum, over different messages, of their characters times the bytes of the
	// author's texts that they are compared with.
	maxRead     = 25_000_000_000
	messageCost = 40 // characters that a message counts beside its own
)

// ErrTooMuch refuses more messages than a Talk takes.
var ErrTooMuch = errors.New("name fewer conversations")

// place is a state of a persona.
type place struct{ machine, state int }

// said is a message of players in a state, its number of occurrences, and its first source.
type said struct {
	place

	text, source string
	count        int
	decision     string // the verdict in words
}

// Talk is the messages of players to a persona.
type Talk struct {
	doc      *personas.Persona
	machines *engine.Persona
	reader   *intent.Reader

	said []*said // in reading order
	at   map[place]map[string]*said
	// messages and leftOut count what was read, and what fits no state.
	messages, leftOut int
	read              int64
	texts             int // bytes of the author's texts in the largest state
}

// NewTalk returns a Talk without messages. The persona must not change while it is used. It returns
// an error if the persona cannot be played.
func NewTalk(doc *personas.Persona) (*Talk, error) {
	machines, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	return &Talk{doc: doc, machines: machines, reader: intent.NewReader(), at: make(map[place]map[string]*said), texts: intent.CountTexts(doc)}, nil
}

// AddHistory adds the messages of one machine. The state of a player's message is that of the
// character's message before it. source is shown to the author. The error is ErrTooMuch.
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

// add counts a message. One with a director's mark is not a player's own.
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
		return fmt.Errorf("the messages up to %s are too much to compare with the %d bytes of a state: %w", source, t.texts, ErrTooMuch)
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

// placeOf returns the place of a message for the built-in model.
func (t *Talk) placeOf(at place) intent.Place {
	m := &t.doc.Machines[at.machine]
	s := &m.States[at.state]
	return intent.Place{Persona: t.doc, Machine: m, State: s, Outgoing: t.machines.Machine(m.Key).Outgoing(s.Key), FollowUpAllowed: true}
}

// Judge decides every message once and groups the unforeseen ones. It stops with the context's
// error when that is done.
func (t *Talk) Judge(ctx context.Context) (*Report, error) {
	report := &Report{Messages: t.messages, LeftOut: t.leftOut, Groups: []Group{}}
	// Messages of one state one after another: the reader keeps few states ready.
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
			s.decision = describeDecision(&v)
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
	report.sort()
	return report, nil
}

// isUnforeseen reports whether nothing of the author's fits a message: no example and no answer is
// near it, and the verdict is an aside, a redirect or a question back. An answer to any question
// or remark fits everything and does not count.
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
