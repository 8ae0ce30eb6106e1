package store

import (
	"container/list"
	"hash/maphash"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
)

// Bounds of the cache. A session with twenty messages of a hundred bytes takes about 6 KiB, so
// thousands fit.
const (
	maxCachedBytes = 16 << 20
	// cachedMessages is how many of a session's last messages are cached.
	cachedMessages = 20
)

// The memory of a cached session and its parts without their texts, in bytes.
const (
	cachedSessionBytes  = 1792
	cachedMessageBytes  = 80
	cachedVariableBytes = 64
	cachedMachineBytes  = 256
)

// sessionCache caches the sessions that were played last as stored in the database, so that a turn
// does not read back what the previous turn wrote. A cached session is only used if it is known to
// be current: by the player's marks, queried in one statement, or, if no other process writes the
// database, by a stamp that shows that nothing was written since. A turn is guarded by its
// session's revision anyway. Without it a turn takes 1.45 times the processor time on SQLite, and
// 1.25 times on PostgreSQL (BenchmarkTurnNormal).
type sessionCache struct {
	mu     sync.Mutex
	recent *list.List // of *cachedSession, the one used last first
	named  map[sessionName]*list.Element
	byID   map[string]*list.Element
	bytes  int
}

// sessionName is how a caller names a session.
type sessionName struct {
	PlayerRef
	machine string
}

// cachedSession is a session in the cache. It is shared and never changed.
type cachedSession struct {
	name     sessionName
	loaded   LoadedSession   // without Recent
	messages []cachedMessage // the last ones, oldest first
	marks    db.PlayerMarksRow
	stamp    writeStamp // of the last check that it is current; zero before the first
	bytes    int
}

// cachedMessage is the part of a message that a turn needs.
type cachedMessage struct {
	role, content, state string
	decision             personas.Decision
	followUp, aside      bool
}

func newCachedMessage(m *Message) cachedMessage {
	return cachedMessage{m.Role, m.Content, m.State, m.Decision, m.FollowUp, m.Aside}
}

func (h *cachedMessage) message() Message {
	return Message{Role: h.role, Content: h.content, State: h.state, Decision: h.decision, FollowUp: h.followUp, Aside: h.aside}
}

func newSessionCache() *sessionCache {
	return &sessionCache{recent: list.New(), named: map[sessionName]*list.Element{}, byID: map[string]*list.Element{}}
}

// newCachedSession is a session as it was loaded, with the marks of the same moment.
func newCachedSession(name sessionName, l LoadedSession, marks db.PlayerMarksRow) *cachedSession {
	h := &cachedSession{name: name, loaded: l, marks: marks, messages: make([]cachedMessage, len(l.Recent))}
	for i := range l.Recent {
		h.messages[i] = newCachedMessage(&l.Recent[i])
	}
	h.loaded.Recent = nil
	h.weigh()
	return h
}

// weigh sets bytes to the memory of the session, rounded up.
func (h *cachedSession) weigh() {
	n := &h.loaded.Session
	h.bytes = cachedSessionBytes + len(h.name.UserSessionID) + len(n.Summary) + len(n.PlayerName) + len(n.Engine.State)
	for i := range h.messages {
		h.bytes += cachedMessageBytes + len(h.messages[i].content) + len(h.messages[i].state)
	}
	for key, value := range h.loaded.Vars {
		h.bytes += cachedVariableBytes + len(key) + len(value)
	}
	for key := range h.loaded.Persona.Machines.IDs {
		h.bytes += cachedMachineBytes + 2*len(key)
	}
}

// hasMessages reports whether the last count messages are cached, or all of them.
func (h *cachedSession) hasMessages(count int) bool {
	return int64(len(h.messages)) >= min(int64(count), h.loaded.Session.MessageCount())
}

// copyLoaded returns the session with its last count messages.
func (h *cachedSession) copyLoaded(count int) LoadedSession {
	l, last := h.loaded, h.messages[max(len(h.messages)-count, 0):]
	l.Recent = make([]Message, len(last))
	for i := range last {
		l.Recent[i] = last[i].message()
	}
	return l
}

// afterTurn returns the session after a stored turn. Its stamp stays valid if that turn was the
// player's only write.
func (h *cachedSession) afterTurn(t *Turn, at writeStamp) *cachedSession {
	next := *h
	next.stamp = writeStamp{}
	if h.stamp == (writeStamp{at.others, at.player - 1}) {
		next.stamp = at
	}
	next.loaded.Session = t.Session
	next.loaded.Session.Revision++
	next.loaded.Session.LastMessageAt = time.UnixMilli(t.Reply.At.UnixMilli()).UTC()
	next.marks.Revisions++
	next.marks.LastMessageAt = max(next.marks.LastMessageAt, t.Reply.At.UnixMilli())
	if t.Completion != nil && len(t.Vars) > 0 {
		next.loaded.Vars = maps.Clone(h.loaded.Vars)
		maps.Copy(next.loaded.Vars, t.Vars)
	}
	earlier := h.messages[max(len(h.messages)+2-cachedMessages, 0):]
	next.messages = make([]cachedMessage, 0, len(earlier)+2)
	next.messages = append(append(next.messages, earlier...), newCachedMessage(&t.Said), newCachedMessage(&t.Reply))
	next.weigh()
	return &next
}

// findSession returns a cached session, or nil.
func (m *sessionCache) findSession(name sessionName) *cachedSession {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.named[name]
	if e == nil {
		return nil
	}
	m.recent.MoveToFront(e)
	return e.Value.(*cachedSession)
}

// keepSession caches a session in place of an earlier state, and drops the least recently used
// ones.
func (m *sessionCache) keepSession(h *cachedSession) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keepLocked(h)
}

func (m *sessionCache) keepLocked(h *cachedSession) {
	m.dropLocked(m.named[h.name])
	m.dropLocked(m.byID[h.loaded.Session.ID])
	if h.bytes > maxCachedBytes {
		return
	}
	for m.bytes+h.bytes > maxCachedBytes {
		m.dropLocked(m.recent.Back())
	}
	e := m.recent.PushFront(h)
	m.named[h.name], m.byID[h.loaded.Session.ID] = e, e
	m.bytes += h.bytes
}

// noteCurrent stores the stamp at which a session was found to be current.
func (m *sessionCache) noteCurrent(h *cachedSession, at writeStamp) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.byID[h.loaded.Session.ID]; e != nil && e.Value == h {
		current := *h
		current.stamp = at
		e.Value = &current
	}
}

// keepTurn caches the state after a stored turn; at is its stamp. If the cached session differs
// from the one that the turn found, it is dropped.
func (m *sessionCache) keepTurn(t *Turn, at writeStamp) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.byID[t.Session.ID]
	if e == nil {
		return
	}
	if h := e.Value.(*cachedSession); h.loaded.Session.Revision == t.Session.Revision {
		m.keepLocked(h.afterTurn(t, at))
		return
	}
	m.dropLocked(e)
}

// forgetSession forgets a session by its id.
func (m *sessionCache) forgetSession(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropLocked(m.byID[id])
}

func (m *sessionCache) dropLocked(e *list.Element) {
	if e == nil {
		return
	}
	h := m.recent.Remove(e).(*cachedSession)
	delete(m.named, h.name)
	delete(m.byID, h.loaded.Session.ID)
	m.bytes -= h.bytes
}

// stampCount is how many counts the writes of players have together.
const stampCount = 256

// writeCounts counts the writes of this process: each once, after it is stored and before its
// caller returns.
type writeCounts struct {
	seed    maphash.Seed
	others  atomic.Uint64 // from 1: all but what concerns one player alone
	players [stampCount]atomic.Uint64
}

// writeStamp counts the writes that may concern a player up to a moment.
type writeStamp struct{ others, player uint64 }

func newWriteCounts() *writeCounts {
	c := &writeCounts{seed: maphash.MakeSeed()}
	c.others.Add(1)
	return c
}

func (c *writeCounts) ofPlayer(id string) *atomic.Uint64 {
	return &c.players[maphash.String(c.seed, id)%stampCount]
}

func (c *writeCounts) stamp(player string) writeStamp {
	return writeStamp{c.others.Load(), c.ofPlayer(player).Load()}
}
