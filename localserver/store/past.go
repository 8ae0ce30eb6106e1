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
// return. LoadPast returns the errors of LoadSession, *NoTurnError and *PastGoneError.
func (s *Store) LoadPast(ctx context.Context, ref PlayerRef, machine string, turn int64) (*Past, error) {
	return fetch(ctx, s.database.Read, func(ctx context.Context, q *db.Queries) (*Past, error) {
		loaded, err := findSession(ctx, q, ref, machine)
		if err != nil {
			return nil, err
		}
		session := &loaded.Session
		if turn < 0 || turn > session.Turn {
			return nil, &NoTurnError{session.Turn}
		}
		message, err := q.MessageAt(ctx, db.MessageAtParams{SessionID: session.ID, Seq: 2 * turn})
		if err != nil {
			return nil, err
		}
		if message.Moment == 0 {
			return nil, &PastGoneError{goneState}
		}
		p := &Past{
			Persona: loaded.Persona, MachineID: session.MachineID, playerID: session.PlayerID, turn: turn,
			moment: message.Moment,
		}
		if err := p.loadRoute(ctx, q); err != nil {
			return nil, err
		}
		if err := p.loadSessions(ctx, q, session.ID, db.PastMessageRow(message)); err != nil {
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
		message, err := last, error(nil)
		if rows[i].ID != namedID {
			message, err = q.PastMessage(ctx, db.PastMessageParams{SessionID: rows[i].ID, Moment: p.moment})
		}
		if errors.Is(err, sql.ErrNoRows) {
			continue // The session was opened later.
		}
		if err != nil {
			return err
		}
		session, err := pastSession(ctx, q, rows[i], message)
		if err != nil {
			return err
		}
		p.Sessions = append(p.Sessions, session)
	}
	for _, r := range p.route {
		isSame := func(session PastSession) bool { return session.MachineID == r.MachineID }
		if !slices.ContainsFunc(p.Sessions, isSame) {
			return &PastGoneError{fmt.Sprintf(goneSession, p.Persona.Machines.Keys[r.MachineID])}
		}
	}
	return nil
}

func pastSession(
	ctx context.Context, q *db.Queries, row db.Session, message db.PastMessageRow,
) (session PastSession, err error) {
	session = PastSession{Session: sessionOf(&row), row: row}
	session.Turn, session.LastMessageAt = message.Seq/2, fromMillis(message.CreatedAt)
	session.row.Moment = message.Moment
	switch {
	case session.Turn == row.Turn:
		return session, nil
	case message.Moment == 0:
		return session, &PastGoneError{goneState}
	}
	session.Engine = engine.Session{
		State: message.State, Score: int(message.Score), Redirects: int(message.Redirects),
		FollowUpPending: message.FollowUpPending, Asides: int(message.Asides),
		Outcome: personas.Outcome(message.Outcome),
	}
	summary, err := q.PastSummary(ctx, db.PastSummaryParams{SessionID: row.ID, Seq: message.Seq})
	session.Summary, session.SummaryTo = summary.Summary, summary.SummaryTo
	return session, ifMissing(err, nil)
}

const maxEarlierProgress = 200

type keptCompletion struct {
	MachineID string           `json:"machine_id"`
	Outcome   personas.Outcome `json:"outcome"`
	Score     int              `json:"score"`
	At        int64            `json:"at"`
}

// keepEarlierProgress must be called before a session completes its machine.
func keepEarlierProgress(ctx context.Context, q *db.Queries, session *Session) error {
	progress := PlayerProgress{PlayerID: session.PlayerID}
	if err := fillAchieved(ctx, q, &progress); err != nil {
		return err
	}
	completions := make([]keptCompletion, len(progress.Completions))
	for i, c := range progress.Completions {
		completions[i] = keptCompletion{c.MachineID, c.Outcome, c.Score, toMillis(c.At)}
	}
	completionText, err := json.Marshal(completions)
	unlockText, err2 := json.Marshal(progress.Unlocked)
	variableText, err3 := json.Marshal(progress.Vars)
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	err = q.KeepEarlierProgress(ctx, db.KeepEarlierProgressParams{
		SessionID: session.ID, Completions: string(completionText), Unlocks: string(unlockText),
		Variables: string(variableText),
	})
	if err != nil {
		return err
	}
	return q.TrimEarlierProgress(ctx, db.TrimEarlierProgressParams{
		PlayerID: session.PlayerID, Most: maxEarlierProgress,
	})
}

func (p *Past) loadProgress(ctx context.Context, q *db.Queries) error {
	row, err := q.EarlierProgress(ctx, db.EarlierProgressParams{PlayerID: p.playerID, Moment: p.moment})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		progress := PlayerProgress{PlayerID: p.playerID}
		err = fillAchieved(ctx, q, &progress)
		p.Completions, p.Unlocked, p.Vars = progress.Completions, progress.Unlocked, progress.Vars
	case err == nil && row.Older == 0 && row.Kept >= maxEarlierProgress:
		return &PastGoneError{goneProgress}
	case err == nil:
		var completions []keptCompletion
		err = errors.Join(
			json.Unmarshal([]byte(row.Completions), &completions),
			json.Unmarshal([]byte(row.Unlocks), &p.Unlocked),
			json.Unmarshal([]byte(row.Variables), &p.Vars))
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

// SaveFork stores a fork in one transaction. SaveFork returns ErrChanged if the session or the
// persona has changed since LoadPast, and ErrManyBranches for a full tree. If an equal call was
// answered meanwhile, SaveFork returns that answer.
func (s *Store) SaveFork(ctx context.Context, fork Fork) (answer []byte, err error) {
	newID := ""
	_, err = s.database.writePlayer(ctx, &newID, func(ctx context.Context, q *db.Queries) error {
		if answer, err = s.findAnswer(ctx, q, fork.Idempotency); err != nil || answer != nil {
			return err
		}
		newID = s.newID()
		if err := saveFork(ctx, q, &fork, newID); err != nil {
			return err
		}
		return s.keepAnswer(ctx, q, fork.Idempotency, answerSubject{
			personaID: fork.PersonaID, playerID: fork.Past.playerID,
		})
	})
	return answer, err
}

func saveFork(ctx context.Context, q *db.Queries, fork *Fork, newID string) error {
	head, err := findHead(ctx, q, fork.PlayerRef)
	if err != nil {
		return err
	}
	id, err := findPlayer(ctx, q, fork.PlayerRef)
	switch {
	case err != nil:
		return err
	case fork.Latest != 0 && fork.Latest != head.Version:
		return ErrChanged
	case id == "":
		return ErrNoSession
	case id != fork.Past.playerID:
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
		ID: newID, Space: source.Space, PersonaID: source.PersonaID, UserSessionID: fork.NewUserSessionID,
		OwnerID: source.OwnerID,
		RootID:  root, ParentID: source.ID, ForkedMachineID: fork.Past.MachineID, ForkedTurn: fork.Past.turn,
		ForkedAt: toMillis(fork.At), Label: fork.Label,
	})
	if err != nil {
		return err
	}
	for i := range fork.Past.Sessions {
		if err := copySession(ctx, q, &fork.Past.Sessions[i], fork.NewSessionIDs[i], newID); err != nil {
			return err
		}
	}
	return copyProgress(ctx, q, fork.Past, newID)
}

func rootOf(p *db.Player) string {
	if p.RootID != "" {
		return p.RootID
	}
	return p.ID
}

func copySession(ctx context.Context, q *db.Queries, session *PastSession, newID, playerID string) error {
	resets, err := q.SessionResets(ctx, session.ID)
	switch {
	case err != nil:
		return ifMissing(err, ErrChanged)
	case resets != session.row.Revision-session.row.Turn:
		return ErrChanged
	}
	copied := session.Session
	copied.ID, copied.PlayerID = newID, playerID
	row := sessionRow(&copied, session.row.PersonaID)
	row.Entered, row.Moment, row.Begun = session.row.Entered, session.row.Moment, session.row.Begun
	if err := q.InsertSession(ctx, row); err != nil {
		return err
	}
	return q.CopyMessages(ctx, db.CopyMessagesParams{SessionID: newID, SourceID: session.ID, Seq: 2 * session.Turn})
}

func copyProgress(ctx context.Context, q *db.Queries, past *Past, playerID string) error {
	for _, r := range past.route {
		err := q.InsertEntry(ctx, db.InsertEntryParams{
			PlayerID: playerID, Seq: r.Seq, MachineID: r.MachineID, EnteredAt: r.EnteredAt, Moment: r.Moment,
		})
		if err != nil {
			return err
		}
	}
	for i := range past.Completions {
		if err := addCompletion(ctx, q, playerID, &past.Completions[i]); err != nil {
			return err
		}
	}
	if err := addUnlocks(ctx, q, playerID, past.Unlocked, past.Vars); err != nil {
		return err
	}
	return q.CopyEarlierProgress(ctx, db.CopyEarlierProgressParams{
		PlayerID: playerID, SourceID: past.playerID, Moment: past.moment,
	})
}

// RepeatedReply returns the reply to a message in the session before the fork. words is the text of
// the message. RepeatedReply returns ErrNotFound for another text, or after a turn since the fork.
func (s *Store) RepeatedReply(ctx context.Context, session *Session, words string) (Message, error) {
	row, err := query(ctx, s.database, (*db.Queries).RepeatedReply, db.RepeatedReplyParams{
		PlayerID: session.PlayerID, MachineID: session.MachineID, Turn: session.Turn, Version: session.Version,
		Words: words,
	})
	reply := Message{
		Content: row.Content, Decision: personas.Decision(row.Decision), FollowUp: row.FollowUp, Aside: row.Aside,
		Trace: row.Trace,
	}
	return reply, ifMissing(err, ErrNotFound)
}
