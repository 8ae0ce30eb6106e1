package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
)

// readPages reads a part of a history to its end.
func readPages(t testing.TB, h *History) (messages []Message) {
	t.Helper()
	for !h.IsAtEnd() {
		planned := h.PageBytes()
		page := assert.Value(h.NextPage(context.Background()))(t)
		size := int64(0)
		for _, m := range page {
			size += int64(len(m.Content) + len(m.Trace))
		}
		if size > planned || size > MaxPageBytes && len(page) > 1 {
			t.Errorf("a page of %d messages has %d bytes, planned %d", len(page), size, planned)
		}
		messages = append(messages, page...)
	}
	return messages
}

// readHistory reads the whole history of a session.
func readHistory(t testing.TB, s *Store, ref PlayerRef, machine string) (Session, []Message) {
	t.Helper()
	h := assert.Value(s.OpenHistory(context.Background(), ref, machine, HistoryPart{}))(t)
	return h.Session, readPages(t, h)
}

// withoutTraces are messages as a history has them.
func withoutTraces(messages ...Message) []Message {
	for i := range messages {
		messages[i].Trace = ""
	}
	return messages
}

// sayMany plays turns with texts of a length and returns all messages of the session.
func sayMany(t testing.TB, s *Store, o *Opening, turns, length int) []Message {
	t.Helper()
	messages := []Message{o.Line}
	for i := range turns {
		turn := sayLine(t, s, o.PlayerRef, "gate", fmt.Sprint(i, strings.Repeat("ü", length/2)), false)
		messages = append(messages, turn.Said, turn.Reply)
	}
	return messages
}

func TestHistoryPages(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		s := withUsers(t, open(t, Options{Durability: Normal}))
		p := publishPersona(t, s, "gate")
		o := enterMachine(t, s, p, "gate", "v")
		all := sayMany(t, s, &o, 40, 16_000)
		all = append(all, sayMany(t, s, &o, 1, MaxPageBytes)[1:]...) // longer than a page
		told := withoutTraces(slices.Clone(all)...)
		for name, c := range map[string]struct {
			part HistoryPart
			want []Message
		}{
			"whole":                        {HistoryPart{}, told},
			"the last ones":                {HistoryPart{Limit: 3}, told[len(told)-3:]},
			"exactly all":                  {HistoryPart{Limit: len(told)}, told},
			"more than there are":          {HistoryPart{Limit: 1000}, told},
			"before a message":             {HistoryPart{Before: told[7].ID}, told[:7]},
			"the last ones before it":      {HistoryPart{Before: told[7].ID, Limit: 2}, told[5:7]},
			"before the opening":           {HistoryPart{Before: told[0].ID, Limit: 2}, nil},
			"the opening and nothing else": {HistoryPart{Before: told[1].ID, Limit: 2}, told[:1]},
		} {
			t.Run(name, func(t *testing.T) {
				h := assert.Value(s.OpenHistory(t.Context(), o.PlayerRef, "gate", c.part))(t)
				assert.DeepEqual(t, readPages(t, h), c.want)
				assert.Equal(t, h.HasEarlier, len(c.want) > 0 && c.want[0].ID != told[0].ID, "earlier messages")
			})
		}
		refused(s.OpenHistory(t.Context(), o.PlayerRef, "gate", HistoryPart{Before: uuid.NewString()}))(t, "a message of no session", ErrNoMessage)
		other := enterMachine(t, s, p, "gate", "other")
		refused(s.OpenHistory(t.Context(), o.PlayerRef, "gate", HistoryPart{Before: other.Line.ID}))(t, "a message of another session", ErrNoMessage)
	})
}

func TestTracePages(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		s := withUsers(t, open(t, Options{Durability: Normal}))
		o := enterMachine(t, s, publishPersona(t, s, "gate"), "gate", "v")
		var told []Message
		for _, m := range sayMany(t, s, &o, maxPageRows/2+5, 10) {
			if m.Trace != "" {
				told = append(told, Message{ID: m.ID, At: m.At, Trace: m.Trace})
			}
		}
		author := o.PlayerRef
		author.UserID = alice.ID
		for name, c := range map[string]struct {
			part HistoryPart
			want []Message
		}{
			"whole":                    {HistoryPart{}, told},
			"the last ones":            {HistoryPart{Limit: 3}, told[len(told)-3:]},
			"more than there are":      {HistoryPart{Limit: 1000}, told},
			"the last ones before one": {HistoryPart{Before: told[7].ID, Limit: 2}, told[5:7]},
			"before the first":         {HistoryPart{Before: told[0].ID, Limit: 2}, nil},
		} {
			t.Run(name, func(t *testing.T) {
				h := assert.Value(s.OpenTraces(t.Context(), author, "", c.part))(t)
				assert.DeepEqual(t, readPages(t, h), c.want)
			})
		}
	})
}

// TestHistoryOfWhatChanges: changes between two pages do not mix into a begun history.
func TestHistoryOfWhatChanges(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		s := withUsers(t, open(t, Options{Durability: Normal}))
		p := publishPersona(t, s, "gate")
		for name, c := range map[string]struct {
			do   func(o *Opening) error
			want error
		}{
			"a turn": {do: func(o *Opening) error { sayLine(t, s, o.PlayerRef, "gate", "meanwhile", false); return nil }},
			"a reset": {want: ErrChanged, do: func(o *Opening) error {
				_, err := s.RestartSessions(t.Context(), []Restart{{SessionID: o.Session.ID, Engine: engine.Session{State: "start"}}}, time.Now())
				return err
			}},
			"a reset, and as many turns": {want: ErrChanged, do: func(o *Opening) error {
				_, err := s.RestartSessions(t.Context(), []Restart{{SessionID: o.Session.ID, Engine: engine.Session{State: "start"}}}, time.Now())
				sayMany(t, s, o, 4, 10)
				return err
			}},
			"another session in its place": {want: ErrChanged, do: func(o *Opening) error { enterMachine(t, s, p, "gate", o.UserSessionID); return nil }},
			"no progress any more":         {want: ErrChanged, do: func(o *Opening) error { _, err := s.ResetProgress(t.Context(), o.PlayerRef); return err }},
		} {
			t.Run(name, func(t *testing.T) {
				o := enterMachine(t, s, p, "gate", t.Name())
				told := withoutTraces(sayMany(t, s, &o, 4, MaxPageBytes/2)...)
				h := assert.Value(s.OpenHistory(t.Context(), o.PlayerRef, "gate", HistoryPart{}))(t)
				first := assert.Value(h.NextPage(t.Context()))(t)
				assert.Must(t, !h.IsAtEnd(), "one page has it all")
				assert.NoError(t, c.do(&o))
				if c.want != nil {
					refused(h.NextPage(t.Context()))(t, "the next page", c.want)
					return
				}
				got := append(first, readPages(t, h)...)
				assert.DeepEqual(t, got, told, "%d messages, want the %d of the beginning", len(got), len(told))
			})
		}
	})
}

func TestRouteIsBounded(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		s := withUsers(t, open(t, Options{Durability: Normal}))
		p := publishPersona(t, s, "gate", "cellar")
		w := enterMachine(t, s, p, "cellar", "v").PlayerRef
		for range MaxRoute - 1 {
			enterMachine(t, s, p, "gate", "v")
		}
		for _, first := range []string{"cellar", "gate"} { // at the limit, and one past it
			st := assert.Value(s.LoadProgressWithRoute(t.Context(), w))(t)
			assert.True(t, len(st.Route) == MaxRoute && st.Route[0].MachineID == p.MachineIDs[first],
				"%d entries, the first in %s; want %d, the first in %s", len(st.Route), st.Route[0].MachineID, MaxRoute, first)
			enterMachine(t, s, p, "gate", "v")
		}
	})
}
