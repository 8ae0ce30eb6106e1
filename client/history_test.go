package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

type historyService struct {
	session string
	ids     []string // of its messages
	// ignores means that the service does not know the parts of a history, refuses that it
	// refuses unknown values.
	ignores, refuses bool
	calls            int
	before           func(call int) // called before each answer
}

func (s *historyService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.calls++
	if s.before != nil {
		s.before(s.calls)
	}
	query := r.URL.Query()
	ids := s.ids
	switch {
	case s.refuses && len(query) > 1:
		http.Error(w, `{"error":"unknown parameter"}`, http.StatusBadRequest)
		return
	case !s.ignores && !s.refuses:
		var err error
		if ids, err = s.part(query.Get("limit"), query.Get("before")); err != nil {
			http.Error(w, `{"error":"`+err.Error()+`","code":"invalid"}`, http.StatusUnprocessableEntity)
			return
		}
		if len(ids) > 0 && ids[0] != s.ids[0] {
			query.Set("before", ids[0])
			w.Header().Set("Link", fmt.Sprintf(`<%s?%s>; rel="next"`, r.URL.Path, query.Encode()))
		}
	}
	messages, turns := []wire.HistoryMessage{}, []wire.TurnTrace{}
	for _, id := range ids {
		messages, turns = append(messages, wire.HistoryMessage{ID: id, Content: "said " + id}), append(turns, wire.TurnTrace{MessageID: id})
	}
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/trace") {
		_ = json.NewEncoder(w).Encode(wire.Trace{SessionID: s.session, Turns: turns})
		return
	}
	_ = json.NewEncoder(w).Encode(wire.History{SessionID: s.session, Messages: messages, Score: len(s.ids)})
}

func (s *historyService) part(limit, before string) ([]string, error) {
	behind := len(s.ids)
	if before != "" {
		if behind = slices.Index(s.ids, before); behind < 0 {
			return nil, errors.New("before: no such message")
		}
	}
	n, err := strconv.Atoi(limit)
	return s.ids[max(behind-n, 0):behind], err
}

func messageIDs(session string, count int) (ids []string) {
	for i := range count {
		ids = append(ids, fmt.Sprint(session, "-", i))
	}
	return ids
}

// TestHistoryIsWhole: a history of any length is complete and in order, with or without support for parts.
func TestHistoryIsWhole(t *testing.T) {
	for name, c := range map[string]struct {
		service historyService
		calls   int
	}{
		"short":                          {historyService{ids: messageIDs("s", 3)}, 1},
		"empty":                          {historyService{}, 1},
		"exactly a part":                 {historyService{ids: messageIDs("s", 500)}, 1},
		"one more":                       {historyService{ids: messageIDs("s", 501)}, 2},
		"long":                           {historyService{ids: messageIDs("s", 20_001)}, 41},
		"of a service without parts":     {historyService{ids: messageIDs("s", 1200), ignores: true}, 1},
		"of a service that refuses them": {historyService{ids: messageIDs("s", 1200), refuses: true}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			service := c.service
			service.session = "s"
			server := startServer(t, service.ServeHTTP)
			k, _ := newTestClient(t, server.URL)
			h, err := k.History(t.Context(), "p", "v", "")
			var ids []string
			for _, m := range h.Messages {
				ids = append(ids, m.ID)
			}
			assert.EqualSlices(t, ids, service.ids)
			assert.Equal(t, h.SessionID, "s")
			assert.NoError(t, err)
			assert.Equal(t, service.calls, c.calls)
			assert.Equal(t, len(assert.Value(k.Trace(t.Context(), "p", "v", ""))(t).Turns), len(service.ids))
		})
	}
}

// TestHistoryThatChanges: a session that restarts during a read gives an error, not a mixed history.
func TestHistoryThatChanges(t *testing.T) {
	service := &historyService{session: "old", ids: messageIDs("old", 1200)}
	service.before = func(call int) { service.ids = messageIDs(fmt.Sprint("again", call), 700) }
	server := startServer(t, service.ServeHTTP)
	k, _ := newTestClient(t, server.URL)
	_, err := k.History(t.Context(), "p", "v", "")
	assert.ErrorContains(t, err, "no such message")
}

func TestEndlessHistory(t *testing.T) {
	calls := 0
	server := startServer(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.Header().Set("Link", `</more?before=x>; rel="next"`)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"session_id":"s","messages":[{"id":"m%d"}]}`, calls)
	})
	k, _ := newTestClient(t, server.URL)
	_, err := k.History(t.Context(), "p", "v", "")
	assert.ErrorContains(t, err, "more than 1000 parts")
	assert.Equal(t, calls, 1000)
}

func TestHistoryPart(t *testing.T) {
	service := &historyService{session: "s", ids: messageIDs("s", 10)}
	server := startServer(t, service.ServeHTTP)
	k, _ := newTestClient(t, server.URL)
	for part, want := range map[client.HistoryPart]string{
		{Limit: 2}: "s-8 s-9 true", {Limit: 2, Before: "s-8"}: "s-6 s-7 true", {Limit: 5, Before: "s-2"}: "s-0 s-1 false",
	} {
		h, earlier, err := k.HistoryPart(t.Context(), "p", "v", "", part)
		assert.NoError(t, err)
		assert.Must(t, len(h.Messages) == 2, "%+v: %+v, earlier %t, %v", part, h.Messages, earlier, err)
		assert.Equal(t, fmt.Sprint(h.Messages[0].ID, " ", h.Messages[1].ID, " ", earlier), want)
	}
}
