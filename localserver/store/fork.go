package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
)

// Bounds of a tree of branches, since a fork copies what was said.
const (
	MaxBranches     = 1000
	MaxTreeMessages = 1_000_000
)

// ErrManyBranches: a tree has as many branches, or messages in them, as it takes.
var ErrManyBranches = errors.New("too many branches")

// Fork is a new player who has the past of another one. Sessions of Past have their Engine.
type Fork struct {
	PlayerRef // who is forked
	Past      *Past
	// NewUserSessionID and NewSessionIDs, one for each session of Past, name the new player
	// and its sessions.
	NewUserSessionID string
	NewSessionIDs    []string
	Label            string
	At               time.Time
	Idempotency      *IdempotentCall
}

// SaveFork stores all of a fork, or nothing; who is forked is not changed. It refuses
// ErrChanged where a session was reset or replaced since its past was loaded, and
// ErrManyBranches. When the call was answered in the meantime it stores nothing and gives
// that answer.
func (s *Store) SaveFork(ctx context.Context, f Fork) (answer []byte, err error) {
	newID := ""
	_, err = s.database.writePlayer(ctx, &newID, func(ctx context.Context, q db.Querier) error {
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

func saveFork(ctx context.Context, q db.Querier, f *Fork, newID string) error {
	if _, err := findHead(ctx, q, f.PlayerRef); err != nil {
		return err
	}
	id, err := findPlayer(ctx, q, f.PlayerRef)
	switch {
	case err != nil:
		return err
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
		RootID: root, ParentID: source.ID, ForkedMachineID: f.Past.MachineID, ForkedTurn: f.Past.named().Turn, ForkedAt: toMillis(f.At), Label: f.Label,
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

// rootOf is the id of the player with whom a tree began.
func rootOf(p *db.Player) string {
	if p.RootID != "" {
		return p.RootID
	}
	return p.ID
}

// named is the session whose turn was named.
func (p *Past) named() *PastSession {
	for i := range p.Sessions {
		if p.Sessions[i].MachineID == p.MachineID {
			return &p.Sessions[i]
		}
	}
	return &PastSession{}
}

func copySession(ctx context.Context, q db.Querier, n *PastSession, newID, playerID string) error {
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

func copyProgress(ctx context.Context, q db.Querier, p *Past, playerID string) error {
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
	return q.CopyEarlierProgress(ctx, db.CopyEarlierProgressParams{PlayerID: playerID, SourceID: p.playerID, Moment: p.at.moment})
}

// Branch is one player of a tree, with the session that was played last. ParentID and the
// following two are empty for the player with whom the tree began; ParentID also where the
// parent is gone.
type Branch struct {
	UserSessionID, Label string
	Parent               string // user_session_id
	ForkedMachineID      string
	ForkedTurn           int64
	SessionID, MachineID string
	Turn                 int64
	State                string
	Score, Redirects     int
	Outcome              personas.Outcome
	LastMessageAt        time.Time
}

// Branches returns the tree in which the player is, in the order in which its branches were
// made. It refuses as LoadSession does.
func (s *Store) Branches(ctx context.Context, w PlayerRef) (head PersonaHead, list []Branch, err error) {
	err = s.database.Read(ctx, func(ctx context.Context, q db.Querier) error {
		if head, err = findHead(ctx, q, w); err != nil {
			return err
		}
		list, err = loadBranches(ctx, q, w)
		return err
	})
	return head, list, err
}

func loadBranches(ctx context.Context, q db.Querier, w PlayerRef) ([]Branch, error) {
	id, err := findPlayer(ctx, q, w)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, ErrNoSession
	}
	player, err := q.PlayerRow(ctx, id)
	if err != nil {
		return nil, err
	}
	rows, err := q.Branches(ctx, db.BranchesParams{RootID: rootOf(&player), Space: w.ownSpace(), Shared: w.sharedSpace()})
	names := map[string]string{}
	for i := range rows {
		names[rows[i].ID] = rows[i].UserSessionID
	}
	list := make([]Branch, len(rows))
	for i := range rows {
		r := &rows[i]
		list[i] = Branch{
			UserSessionID: r.UserSessionID, Label: r.Label, Parent: names[r.ParentID], ForkedMachineID: r.ForkedMachineID, ForkedTurn: r.ForkedTurn,
			SessionID: r.SessionID, MachineID: r.MachineID, Turn: r.Turn, State: r.State, Score: int(r.Score), Redirects: int(r.Redirects),
			Outcome: personas.Outcome(r.Outcome), LastMessageAt: fromMillis(r.LastMessageAt),
		}
	}
	return list, err
}
