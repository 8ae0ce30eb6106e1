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

// Bounds of the memory of sessions. One with twenty messages of a hundred bytes takes some
// six KiB, so that thousands fit.
const (
	maxHotBytes = 16 << 20
	// hotMessages are how many of a session's last messages are remembered.
	hotMessages = 20
)

// What a remembered session and its parts weigh beside their texts, in bytes.
const (
	hotSessionBytes  = 1792
	hotMessageBytes  = 80
	hotVariableBytes = 64
	hotMachineBytes  = 256
)

// sessionMemory caches the sessions that were played last as stored in the database, so that a turn
// does not read back what the previous turn wrote. A cached session is only used if it is proved to
// be current: by the player's marks, queried in one statement, or, if no other process writes the
// database, by a stamp that shows that nothing was written since. A turn is guarded by its
// session's revision anyway. Without it a turn takes 1.45 times the processor time on SQLite, and
// 1.25 times on PostgreSQL (BenchmarkTurnNormal).
type sessionMemory struct {
	mu     sync.Mutex
	recent *list.List // of *hotSession, the one used last first
	named  map[sessionName]*list.Element
	byID   map[string]*list.Element
	bytes  int
}

// sessionName is how a caller names a session.
type sessionName struct {
	PlayerRef
	machine string
}

// hotSession is a remembered session. It is shared and never changed.
type hotSession struct {
	name     sessionName
	loaded   LoadedSession // without Recent
	messages []hotMessage  // the last ones, oldest first
	marks    db.PlayerMarksRow
	stamp    writeStamp // when it was proved last; the zero one for never
	bytes    int
}

// hotMessage is the part of a message that a turn needs.
type hotMessage struct {
	role, content, state string
	decision             personas.Decision
	followUp, aside      bool
}

func newHotMessage(m *Message) hotMessage {
	return hotMessage{m.Role, m.Content, m.State, m.Decision, m.FollowUp, m.Aside}
}

func (h *hotMessage) message() Message {
	return Message{Role: h.role, Content: h.content, State: h.state, Decision: h.decision, FollowUp: h.followUp, Aside: h.aside}
}

func newSessionMemory() *sessionMemory {
	return &sessionMemory{recent: list.New(), named: map[sessionName]*list.Element{}, byID: map[string]*list.Element{}}
}

// newHotSession is a session as it was loaded, with the marks of the same moment.
func newHotSession(name sessionName, l LoadedSession, marks db.PlayerMarksRow) *hotSession {
	h := &hotSession{name: name, loaded: l, marks: marks, messages: make([]hotMessage, len(l.Recent))}
	for i := range l.Recent {
		h.messages[i] = newHotMessage(&l.Recent[i])
	}
	h.loaded.Recent = nil
	h.weigh()
	return h
}

// weigh reports how many bytes the session takes, and a little more.
func (h *hotSession) weigh() {
	n := &h.loaded.Session
	h.bytes = hotSessionBytes + len(h.name.UserSessionID) + len(n.Summary) + len(n.PlayerName) + len(n.Engine.State)
	for i := range h.messages {
		h.bytes += hotMessageBytes + len(h.messages[i].content) + len(h.messages[i].state)
	}
	for key, value := range h.loaded.Vars {
		h.bytes += hotVariableBytes + len(key) + len(value)
	}
	for key := range h.loaded.Persona.Machines.IDs {
		h.bytes += hotMachineBytes + 2*len(key)
	}
}

// hasMessages reports whether the last count messages are cached, or all of them.
func (h *hotSession) hasMessages(count int) bool {
	return int64(len(h.messages)) >= min(int64(count), h.loaded.Session.MessageCount())
}

// copyLoaded returns the session with its last count messages.
func (h *hotSession) copyLoaded(count int) LoadedSession {
	l, last := h.loaded, h.messages[max(len(h.messages)-count, 0):]
	l.Recent = make([]Message, len(last))
	for i := range last {
		l.Recent[i] = last[i].message()
	}
	return l
}

// afterTurn returns the session after a stored turn. It still counts as proved if that turn was the
// player's only write.
func (h *hotSession) afterTurn(t *Turn, at writeStamp) *hotSession {
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
	earlier := h.messages[max(len(h.messages)+2-hotMessages, 0):]
	next.messages = make([]hotMessage, 0, len(earlier)+2)
	next.messages = append(append(next.messages, earlier...), newHotMessage(&t.Said), newHotMessage(&t.Reply))
	next.weigh()
	return &next
}

// findSession returns a cached session, or nil.
func (m *sessionMemory) findSession(name sessionName) *hotSession {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.named[name]
	if e == nil {
		return nil
	}
	m.recent.MoveToFront(e)
	return e.Value.(*hotSession)
}

// keepSession caches a session in place of an earlier state, and drops the least recently used
// ones.
func (m *sessionMemory) keepSession(h *hotSession) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keepLocked(h)
}

func (m *sessionMemory) keepLocked(h *hotSession) {
	m.dropLocked(m.named[h.name])
	m.dropLocked(m.byID[h.loaded.Session.ID])
	if h.bytes > maxHotBytes {
		return
	}
	for m.bytes+h.bytes > maxHotBytes {
		m.dropLocked(m.recent.Back())
	}
	e := m.recent.PushFront(h)
	m.named[h.name], m.byID[h.loaded.Session.ID] = e, e
	m.bytes += h.bytes
}

// noteProved remembers when a session was proved.
func (m *sessionMemory) noteProved(h *hotSession, at writeStamp) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.byID[h.loaded.Session.ID]; e != nil && e.Value == h {
		proved := *h
		proved.stamp = at
		e.Value = &proved
	}
}

// keepTurn caches the state after a stored turn; at is its stamp. If the cached session differs
// from the one that the turn found, it is dropped.
func (m *sessionMemory) keepTurn(t *Turn, at writeStamp) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.byID[t.Session.ID]
	if e == nil {
		return
	}
	if h := e.Value.(*hotSession); h.loaded.Session.Revision == t.Session.Revision {
		m.keepLocked(h.afterTurn(t, at))
		return
	}
	m.dropLocked(e)
}

// forgetSession forgets a session by its id.
func (m *sessionMemory) forgetSession(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropLocked(m.byID[id])
}

func (m *sessionMemory) dropLocked(e *list.Element) {
	if e == nil {
		return
	}
	h := m.recent.Remove(e).(*hotSession)
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
