package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// Past is a player's complete state after a turn of a session.
type Past struct {
	Persona PersonaHead
	// MachineID identifies the machine of the requested session.
	MachineID   string
	Sessions    []PastSession // most recently opened first
	Completions []Completion  // oldest first
	Unlocked    []string      // machine ids
	Vars        map[string]string

	playerID string
	turn     int64 // number of turns of the requested session
	moment   int64 // number of the player's opening, turn or reset
	route    []db.RouteRow
}

// PastSession is a session in the state of a Past. ID and Revision are current.
type PastSession struct {
	Session
	row db.Session
}

// NoTurnError means that a session has fewer turns than requested.
type NoTurnError struct{ Turns int64 }

func (e *NoTurnError) Error() string { return fmt.Sprintf("the session has %d turns", e.Turns) }

// PastGoneError means that the state after a turn cannot be restored.
type PastGoneError struct{ Why string }

func (e *PastGoneError) Error() string { return "the state at that turn is not stored: " + e.Why }

const (
	goneSession  = "the session with machine %s was opened again, reset or deleted since then"
	goneRoute    = "too many machines were opened since then"
	goneProgress = "too many machines were completed since then"
	goneState    = "an older version of the server played the turn and did not store the state after it"
)

// LoadPast returns the player's state after a number of turns of the session that LoadSession would
// return. It returns the errors of LoadSession, *NoTurnError and *PastGoneError.
func (s *Store) LoadPast(ctx context.Context, ref PlayerRef, machine string, turn int64) (*Past, error) {
	return fetch(ctx, s.database.Read, func(ctx context.Context, q *db.Queries) (*Past, error) {
		l, err := findSession(ctx, q, ref, machine)
		if err != nil {
			return nil, err
		}
		n := &l.Session
		if turn < 0 || turn > n.Turn {
			return nil, &NoTurnError{n.Turn}
		}
		m, err := q.MessageAt(ctx, db.MessageAtParams{SessionID: n.ID, Seq: 2 * turn})
		if err != nil {
			return nil, err
		}
		if m.Moment == 0 {
			return nil, &PastGoneError{goneState}
		}
		p := &Past{Persona: l.Persona, MachineID: n.MachineID, playerID: n.PlayerID, turn: turn, moment: m.Moment}
		if err := p.loadRoute(ctx, q); err != nil {
			return nil, err
		}
		if err := p.loadSessions(ctx, q, n.ID, db.PastMessageRow(m)); err != nil {
			return nil, err
		}
		return p, p.loadProgress(ctx, q)
	})
}

func (p *Past) loadRoute(ctx context.Context, q *db.Queries) error {
	rows, err := q.Route(ctx, p.playerID)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Moment <= p.moment {
			p.route = append(p.route, r)
		}
	}
	if len(p.route) < len(rows) && rows[0].Seq > 1 {
		return &PastGoneError{goneRoute}
	}
	return nil
}

func (p *Past) loadSessions(ctx context.Context, q *db.Queries, namedID string, last db.PastMessageRow) error {
	rows, err := q.Sessions(ctx, p.playerID)
	if err != nil {
		return err
	}
	for i := range rows {
		m, err := last, error(nil)
		if rows[i].ID != namedID {
			m, err = q.PastMessage(ctx, db.PastMessageParams{SessionID: rows[i].ID, Moment: p.moment})
		}
		if errors.Is(err, sql.ErrNoRows) {
			continue // The session was opened later.
		}
		if err != nil {
			return err
		}
		n, err := pastSession(ctx, q, rows[i], m)
		if err != nil {
			return err
		}
		p.Sessions = append(p.Sessions, n)
	}
	for _, r := range p.route {
		if !slices.ContainsFunc(p.Sessions, func(n PastSession) bool { return n.MachineID == r.MachineID }) {
			return &PastGoneError{fmt.Sprintf(goneSession, p.Persona.Machines.Keys[r.MachineID])}
		}
	}
	return nil
}

func pastSession(ctx context.Context, q *db.Queries, row db.Session, m db.PastMessageRow) (n PastSession, err error) {
	n = PastSession{Session: sessionOf(&row), row: row}
	n.Turn, n.LastMessageAt = m.Seq/2, fromMillis(m.CreatedAt)
	n.row.Moment = m.Moment
	switch {
	case n.Turn == row.Turn:
		return n, nil
	case m.Moment == 0:
		return n, &PastGoneError{goneState}
	}
	n.Engine = engine.Session{
		State: m.State, Score: int(m.Score), Redirects: int(m.Redirects),
		FollowUpPending: m.FollowUpPending, Asides: int(m.Asides), Outcome: personas.Outcome(m.Outcome),
	}
	kept, err := q.PastSummary(ctx, db.PastSummaryParams{SessionID: row.ID, Seq: m.Seq})
	n.Summary, n.SummaryTo = kept.Summary, kept.SummaryTo
	return n, ifMissing(err, nil)
}

const maxEarlierProgress = 200

type keptCompletion struct {
	MachineID string           `json:"machine_id"`
	Outcome   personas.Outcome `json:"outcome"`
	Score     int              `json:"score"`
	At        int64            `json:"at"`
}

// keepEarlierProgress must be called before a session completes its machine.
func keepEarlierProgress(ctx context.Context, q *db.Queries, n *Session) error {
	st := PlayerProgress{PlayerID: n.PlayerID}
	if err := fillAchieved(ctx, q, &st); err != nil {
		return err
	}
	completions := make([]keptCompletion, len(st.Completions))
	for i, c := range st.Completions {
		completions[i] = keptCompletion{c.MachineID, c.Outcome, c.Score, toMillis(c.At)}
	}
	completionText, err := json.Marshal(completions)
	unlockText, err2 := json.Marshal(st.Unlocked)
	variableText, err3 := json.Marshal(st.Vars)
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	err = q.KeepEarlierProgress(ctx, db.KeepEarlierProgressParams{
		SessionID: n.ID, Completions: string(completionText), Unlocks: string(unlockText), Variables: string(variableText),
	})
	if err != nil {
		return err
	}
	return q.TrimEarlierProgress(ctx, db.TrimEarlierProgressParams{PlayerID: n.PlayerID, Most: maxEarlierProgress})
}

func (p *Past) loadProgress(ctx context.Context, q *db.Queries) error {
	kept, err := q.EarlierProgress(ctx, db.EarlierProgressParams{PlayerID: p.playerID, Moment: p.moment})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		st := PlayerProgress{PlayerID: p.playerID}
		err = fillAchieved(ctx, q, &st)
		p.Completions, p.Unlocked, p.Vars = st.Completions, st.Unlocked, st.Vars
	case err == nil && kept.Older == 0 && kept.Kept >= maxEarlierProgress:
		return &PastGoneError{goneProgress}
	case err == nil:
		var completions []keptCompletion
		err = errors.Join(
			json.Unmarshal([]byte(kept.Completions), &completions),
			json.Unmarshal([]byte(kept.Unlocks), &p.Unlocked),
			json.Unmarshal([]byte(kept.Variables), &p.Vars))
		for _, c := range completions {
			p.Completions = append(p.Completions, Completion{c.MachineID, c.Outcome, c.Score, fromMillis(c.At)})
		}
	}
	return err
}

// Limits of a tree of forks. Each fork copies messages.
const (
	MaxBranches     = 1000
	MaxTreeMessages = 1_000_000
)

// ErrManyBranches means that a tree has MaxBranches branches or MaxTreeMessages messages.
var ErrManyBranches = errors.New("too many branches")

// Fork is a new player with the past of another player.
type Fork struct {
	PlayerRef // the original player
	Past      *Past
	// NewUserSessionID identifies the new player. NewSessionIDs has an id for each session in Past.
	NewUserSessionID string
	NewSessionIDs    []string
	Label            string
	At               time.Time
	Latest           int64 // the required latest version of the persona, or 0
	Idempotency      *IdempotentCall
}

// SaveFork stores a fork in one transaction. It returns ErrChanged if the session or the persona
// has changed since LoadPast, and ErrManyBranches. If an equal call was answered meanwhile,
// SaveFork returns that answer.
func (s *Store) SaveFork(ctx context.Context, f Fork) (answer []byte, err error) {
	newID := ""
	_, err = s.database.writePlayer(ctx, &newID, func(ctx context.Context, q *db.Queries) error {
		if answer, err = s.findAnswer(ctx, q, f.Idempotency); err != nil || answer != nil {
			return err
		}
		newID = s.newID()
		if err := saveFork(ctx, q, &f, newID); err != nil {
			return err
		}
		return s.keepAnswer(ctx, q, f.Idempotency, answerSubject{personaID: f.PersonaID, playerID: f.Past.playerID})
	})
	return answer, err
}

func saveFork(ctx context.Context, q *db.Queries, f *Fork, newID string) error {
	head, err := findHead(ctx, q, f.PlayerRef)
	if err != nil {
		return err
	}
	id, err := findPlayer(ctx, q, f.PlayerRef)
	switch {
	case err != nil:
		return err
	case f.Latest != 0 && f.Latest != head.Version:
		return ErrChanged
	case id == "":
		return ErrNoSession
	case id != f.Past.playerID:
		return ErrChanged
	}
	source, err := q.PlayerRow(ctx, id)
	if err != nil {
		return err
	}
	root := rootOf(&source)
	size, err := q.TreeSize(ctx, root)
	switch {
	case err != nil:
		return err
	case size.Branches >= MaxBranches || size.Messages >= MaxTreeMessages:
		return ErrManyBranches
	}
	err = q.InsertFork(ctx, db.InsertForkParams{
		ID: newID, Space: source.Space, PersonaID: source.PersonaID, UserSessionID: f.NewUserSessionID, OwnerID: source.OwnerID,
		RootID: root, ParentID: source.ID, ForkedMachineID: f.Past.MachineID, ForkedTurn: f.Past.turn, ForkedAt: toMillis(f.At), Label: f.Label,
	})
	if err != nil {
		return err
	}
	for i := range f.Past.Sessions {
		if err := copySession(ctx, q, &f.Past.Sessions[i], f.NewSessionIDs[i], newID); err != nil {
			return err
		}
	}
	return copyProgress(ctx, q, f.Past, newID)
}

func rootOf(p *db.Player) string {
	if p.RootID != "" {
		return p.RootID
	}
	return p.ID
}

func copySession(ctx context.Context, q *db.Queries, n *PastSession, newID, playerID string) error {
	resets, err := q.SessionResets(ctx, n.ID)
	if errors.Is(err, sql.ErrNoRows) || err == nil && resets != n.row.Revision-n.row.Turn {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	copied := n.Session
	copied.ID, copied.PlayerID = newID, playerID
	row := sessionRow(&copied, n.row.PersonaID)
	row.Entered, row.Moment, row.Begun = n.row.Entered, n.row.Moment, n.row.Begun
	if err := q.InsertSession(ctx, row); err != nil {
		return err
	}
	return q.CopyMessages(ctx, db.CopyMessagesParams{SessionID: newID, SourceID: n.ID, Seq: 2 * n.Turn})
}

func copyProgress(ctx context.Context, q *db.Queries, p *Past, playerID string) error {
	for _, r := range p.route {
		err := q.InsertEntry(ctx, db.InsertEntryParams{PlayerID: playerID, Seq: r.Seq, MachineID: r.MachineID, EnteredAt: r.EnteredAt, Moment: r.Moment})
		if err != nil {
			return err
		}
	}
	for i := range p.Completions {
		if err := addCompletion(ctx, q, playerID, &p.Completions[i]); err != nil {
			return err
		}
	}
	if err := addUnlocks(ctx, q, playerID, p.Unlocked, p.Vars); err != nil {
		return err
	}
	return q.CopyEarlierProgress(ctx, db.CopyEarlierProgressParams{PlayerID: playerID, SourceID: p.playerID, Moment: p.moment})
}

// RepeatedReply returns the reply to the text in the session before the fork. It returns
// ErrNotFound without that text, or after a turn since the fork.
func (s *Store) RepeatedReply(ctx context.Context, n *Session, words string) (Message, error) {
	row, err := query(ctx, s.database, (*db.Queries).RepeatedReply, db.RepeatedReplyParams{
		PlayerID: n.PlayerID, MachineID: n.MachineID, Turn: n.Turn, Version: n.Version, Words: words,
	})
	reply := Message{Content: row.Content, Decision: personas.Decision(row.Decision), FollowUp: row.FollowUp, Aside: row.Aside, Trace: row.Trace}
	return reply, ifMissing(err, ErrNotFound)
}
