package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// LoadSession returns the player's session with a machine id or key, and its last messages, oldest
// first. An empty machine selects the session that was opened last. LoadSession returns the errors
// of LoadProgress, ErrNoMachine and ErrNoSession.
func (s *Store) LoadSession(
	ctx context.Context, ref PlayerRef, machine string, recent int,
) (loaded LoadedSession, err error) {
	name := sessionName{ref, machine}
	if l, ok, err := loadCached(ctx, s.sessions, s.database, name, recent); ok || err != nil {
		return l, err
	}
	var marks db.PlayerMarksRow
	err = s.database.Read(ctx, func(ctx context.Context, q *db.Queries) error {
		if loaded, err = findSession(ctx, q, ref, machine); err != nil {
			return err
		}
		if loaded.Recent, err = lastMessages(ctx, q, &loaded.Session, recent); err != nil {
			return err
		}
		if loaded.Vars, err = loadVariables(ctx, q, loaded.Session.PlayerID); err != nil {
			return err
		}
		marks, err = q.PlayerMarks(ctx, ref.marksOf(loaded.Session.PlayerID))
		return err
	})
	if err == nil && recent == cachedMessages {
		// The caller may change Recent.
		loaded = s.sessions.keep(cachedSession{name: name, loaded: loaded, marks: marks}).copyLoaded(recent)
	}
	return loaded, err
}

// An unchanged stamp means that this process has not written since. In a shared database, only the
// marks are reliable.
func loadCached(
	ctx context.Context, sessions sessionCache, backend *countedDatabase, name sessionName, recent int,
) (l LoadedSession, ok bool, err error) {
	cached, ok := sessions.Find(name)
	if !ok || !cached.hasMessages(recent) {
		return LoadedSession{}, false, nil
	}
	stamp := backend.counts.stamp(cached.loaded.Session.PlayerID)
	if cached.stamp == stamp && !backend.IsShared() {
		return cached.copyLoaded(recent), true, nil
	}
	now, err := query(ctx, backend.database, (*db.Queries).PlayerMarks, name.marksOf(cached.loaded.Session.PlayerID))
	if err = ifMissing(err, nil); err != nil {
		return LoadedSession{}, false, err
	}
	if now != cached.marks {
		sessions.Drop(name)
		return LoadedSession{}, false, nil
	}
	current := *cached
	current.stamp = stamp
	return sessions.keep(current).copyLoaded(recent), true, nil
}

func findSession(ctx context.Context, q *db.Queries, ref PlayerRef, machine string) (loaded LoadedSession, err error) {
	if loaded.Persona, err = findHead(ctx, q, ref); err != nil {
		return LoadedSession{}, err
	}
	id, ok := loaded.Persona.Machines.FindID(machine)
	if machine != "" && !ok {
		return LoadedSession{}, ErrNoMachine
	}
	playerID, err := findPlayer(ctx, q, ref)
	if err != nil {
		return LoadedSession{}, err
	}
	var row db.Session
	if id == "" {
		row, err = q.NewestSession(ctx, playerID)
	} else {
		row, err = q.SessionOn(ctx, db.SessionOnParams{PlayerID: playerID, MachineID: id})
	}
	if err != nil {
		return LoadedSession{}, ifMissing(err, ErrNoSession)
	}
	loaded.Session = sessionOf(&row)
	return loaded, nil
}

// FindID returns the id of a machine. idOrKey is an id in any case, or a key.
func (m Machines) FindID(idOrKey string) (id string, ok bool) {
	if id = strings.ToLower(idOrKey); m.Keys[id] != "" {
		return id, true
	}
	id, ok = m.IDs[idOrKey]
	return id, ok
}

// LastMessages returns the last count messages of a loaded session, oldest first. Ids, scores,
// times and traces are not set.
func (s *Store) LastMessages(ctx context.Context, session *Session, count int) ([]Message, error) {
	return fetch(ctx, s.database.Query, func(ctx context.Context, q *db.Queries) ([]Message, error) {
		return lastMessages(ctx, q, session, count)
	})
}

// MessagesFrom returns at most count messages of a loaded session from the index first, oldest
// first. Ids, scores, times and traces are not set.
func (s *Store) MessagesFrom(ctx context.Context, session *Session, first int64, count int) ([]Message, error) {
	return fetch(ctx, s.database.Query, func(ctx context.Context, q *db.Queries) ([]Message, error) {
		return messagesBetween(ctx, q, session, first, min(first+int64(count), session.MessageCount()))
	})
}

func lastMessages(ctx context.Context, q *db.Queries, session *Session, count int) ([]Message, error) {
	return messagesBetween(ctx, q, session, max(session.MessageCount()-int64(count), 0), session.MessageCount())
}

func messagesBetween(ctx context.Context, q *db.Queries, session *Session, first, end int64) ([]Message, error) {
	rows, err := q.MessagesBetween(ctx, db.MessagesBetweenParams{SessionID: session.ID, First: first, Behind: end})
	messages := make([]Message, len(rows))
	for i, r := range rows {
		messages[i] = Message{
			Role: r.Role, Content: r.Content, State: r.State,
			Decision: personas.Decision(r.Decision), FollowUp: r.FollowUp, Aside: r.Aside,
		}
	}
	return messages, err
}

func authorsSession(ctx context.Context, q *db.Queries, ref PlayerRef, machine string) (Session, error) {
	persona, err := findHead(ctx, q, PlayerRef{PersonaID: ref.PersonaID, UserID: ref.UserID})
	if err != nil {
		return Session{}, err
	}
	id, ok := persona.Machines.FindID(machine)
	switch {
	case persona.OwnerID != ref.UserID:
		return Session{}, ErrForbidden
	case machine != "" && !ok:
		return Session{}, ErrNoMachine
	}
	row, err := q.AuthorsSession(ctx, db.AuthorsSessionParams{
		PersonaID: ref.PersonaID, Owner: ref.UserID, UserSessionID: ref.UserSessionID, MachineID: id,
	})
	return sessionOf(&row), ifMissing(err, ErrNoSession)
}

func sessionOf(row *db.Session) Session {
	return Session{
		ID: row.ID, PlayerID: row.PlayerID, MachineID: row.MachineID, Version: row.Version,
		Engine: engine.Session{
			State: row.State, Score: int(row.Score), Redirects: int(row.Redirects),
			FollowUpPending: row.FollowUpPending, Asides: int(row.Asides), Outcome: personas.Outcome(row.Outcome),
		},
		Turn: row.Turn, Revision: row.Revision, Summary: row.Summary, SummaryTo: row.SummaryTo,
		PlayerName: row.PlayerName, PlayerGender: row.PlayerGender,
		StartedAt: fromMillis(row.StartedAt), LastMessageAt: fromMillis(row.LastMessageAt),
	}
}

// MaxRoute is the maximum number of openings in a player's route. Older openings are deleted.
const MaxRoute = 1000

// SaveOpening stores a new session, and deletes the player's earlier session with the machine. A
// signed-in caller becomes the owner of an anonymous player. SaveOpening returns ErrChanged if the
// persona has a newer version. If an equal call was answered meanwhile, SaveOpening returns that
// answer.
func (s *Store) SaveOpening(ctx context.Context, o Opening) (answer []byte, err error) {
	_, err = s.database.writePlayer(ctx, &o.Session.PlayerID, func(ctx context.Context, q *db.Queries) error {
		if answer, err = s.findAnswer(ctx, q, o.Idempotency); err != nil || answer != nil {
			return err
		}
		if err := s.saveOpening(ctx, q, &o); err != nil {
			return err
		}
		return s.keepAnswer(ctx, q, o.Idempotency, answerSubject{personaID: o.PersonaID, playerID: o.Session.PlayerID})
	})
	return answer, err
}

func (s *Store) saveOpening(ctx context.Context, q *db.Queries, opening *Opening) error {
	persona, err := findHead(ctx, q, opening.PlayerRef)
	if err != nil {
		return err
	}
	if persona.Version != opening.Session.Version {
		return ErrChanged
	}
	if opening.Session.PlayerID, err = s.ensurePlayer(ctx, q, opening.PlayerRef); err != nil {
		return err
	}
	if err := replaceSession(ctx, q, opening); err != nil {
		return err
	}
	m := &opening.Line
	err = q.InsertMessage(ctx, db.InsertMessageParams{
		SessionID: opening.Session.ID, Seq: 0, ID: m.ID, Role: m.Role, Content: m.Content, State: m.State,
		Score:    int64(m.Score),
		Decision: string(m.Decision), FollowUp: m.FollowUp, Aside: m.Aside, CreatedAt: toMillis(m.At), Trace: m.Trace,
	})
	if err != nil {
		return err
	}
	return q.DropVersions(ctx, opening.PersonaID)
}

func (s *Store) ensurePlayer(ctx context.Context, q *db.Queries, ref PlayerRef) (string, error) {
	id, err := findPlayer(ctx, q, ref)
	if err != nil {
		return "", err
	}
	if id != "" {
		return id, q.ClaimPlayer(ctx, db.ClaimPlayerParams{ID: id, Space: ref.ownSpace(), OwnerID: orNull(ref.UserID)})
	}
	id = s.newID()
	return id, q.InsertPlayer(ctx, db.InsertPlayerParams{
		ID: id, Space: ref.ownSpace(), PersonaID: ref.PersonaID, UserSessionID: ref.UserSessionID,
		OwnerID: orNull(ref.UserID),
	})
}

func replaceSession(ctx context.Context, q *db.Queries, opening *Opening) error {
	session := &opening.Session
	moment, err := q.NextMoment(ctx, session.PlayerID)
	if err != nil {
		return err
	}
	replaced := db.DropSessionParams{PlayerID: session.PlayerID, MachineID: session.MachineID}
	if err := q.DropSession(ctx, replaced); err != nil {
		return err
	}
	entered, err := q.NextEntry(ctx, session.PlayerID)
	if err != nil {
		return err
	}
	if err := q.TrimRoute(ctx, db.TrimRouteParams{PlayerID: session.PlayerID, Last: entered - MaxRoute}); err != nil {
		return err
	}
	startedAt := toMillis(session.StartedAt)
	err = q.InsertEntry(ctx, db.InsertEntryParams{
		PlayerID: session.PlayerID, Seq: entered, MachineID: session.MachineID, EnteredAt: startedAt, Moment: moment,
	})
	if err != nil {
		return err
	}
	row := sessionRow(session, opening.PersonaID)
	row.Entered, row.LastMessageAt, row.Moment, row.Begun = entered, toMillis(opening.Line.At), moment, moment
	return q.InsertSession(ctx, row)
}

func sessionRow(session *Session, personaID string) db.InsertSessionParams {
	return db.InsertSessionParams{
		ID: session.ID, PlayerID: session.PlayerID, MachineID: session.MachineID, PersonaID: personaID,
		Version: session.Version,
		State:   session.Engine.State, Score: int64(session.Engine.Score), Redirects: int64(session.Engine.Redirects),
		FollowUpPending: session.Engine.FollowUpPending, Asides: int64(session.Engine.Asides),
		Outcome: string(session.Engine.Outcome),
		Turn:    session.Turn, Summary: session.Summary, SummaryTo: session.SummaryTo,
		PlayerName: session.PlayerName, PlayerGender: session.PlayerGender, StartedAt: toMillis(session.StartedAt),
		LastMessageAt: toMillis(session.LastMessageAt),
	}
}

func addTurnMessages(ctx context.Context, q *db.Queries, turn *Turn) error {
	session, sent, reply := &turn.Session, &turn.Said, &turn.Reply
	seq := session.MessageCount() - 2
	row := db.InsertTurnMessagesParams{
		SessionID: session.ID,
		SaidSeq:   seq, SaidID: sent.ID, SaidRole: sent.Role, SaidContent: sent.Content, SaidState: sent.State,
		SaidScore:    int64(sent.Score),
		SaidDecision: string(sent.Decision), SaidFollowUp: sent.FollowUp, SaidAside: sent.Aside,
		SaidCreatedAt: toMillis(sent.At), SaidTrace: sent.Trace,
		ReplySeq: seq + 1, ReplyID: reply.ID, ReplyRole: reply.Role, ReplyContent: reply.Content,
		ReplyState: reply.State, ReplyScore: int64(reply.Score),
		ReplyDecision: string(reply.Decision), ReplyFollowUp: reply.FollowUp, ReplyAside: reply.Aside,
		ReplyCreatedAt: toMillis(reply.At), ReplyTrace: reply.Trace,
		Redirects: int64(session.Engine.Redirects), FollowUpPending: session.Engine.FollowUpPending,
		Asides:  int64(session.Engine.Asides),
		Outcome: string(session.Engine.Outcome),
	}
	if turn.IsSummarized {
		row.Summary, row.SummaryTo = session.Summary, session.SummaryTo
	}
	return q.InsertTurnMessages(ctx, row)
}

// SaveTurn stores a turn in one transaction. SaveTurn returns ErrChanged if the session has
// changed. If an equal call was answered meanwhile, SaveTurn returns that answer.
func (s *Store) SaveTurn(ctx context.Context, turn Turn) (answer []byte, err error) {
	stamp, err := s.database.writePlayer(ctx, &turn.Session.PlayerID, func(ctx context.Context, q *db.Queries) error {
		if answer, err = s.findAnswer(ctx, q, turn.Idempotency); err != nil || answer != nil {
			return err
		}
		if err := saveTurn(ctx, q, &turn); err != nil {
			return err
		}
		return s.keepAnswer(ctx, q, turn.Idempotency, answerSubject{
			turn.PersonaID, turn.Session.PlayerID, turn.Session.ID,
		})
	})
	switch h := turn.Session.cached; {
	case h == nil:
	case err == nil && answer == nil && h.loaded.Session.Revision == turn.Session.Revision:
		s.sessions.keep(h.afterTurn(&turn, stamp))
	default:
		s.sessions.Drop(h.name)
	}
	return answer, err
}

func saveTurn(ctx context.Context, q *db.Queries, turn *Turn) error {
	session := &turn.Session
	rows, err := q.AdvanceSession(ctx, db.AdvanceSessionParams{
		ID: session.ID, Revision: session.Revision, Turn: session.Turn, Summary: session.Summary,
		SummaryTo: session.SummaryTo,
		State:     session.Engine.State, Score: int64(session.Engine.Score), Redirects: int64(session.Engine.Redirects),
		FollowUpPending: session.Engine.FollowUpPending, Asides: int64(session.Engine.Asides),
		Outcome:       string(session.Engine.Outcome),
		LastMessageAt: toMillis(turn.Reply.At),
	})
	if err != nil {
		return err
	}
	if rows == 0 {
		return ErrChanged
	}
	if err := addTurnMessages(ctx, q, turn); err != nil {
		return err
	}
	return saveCompletion(ctx, q, turn)
}

// A new row keeps the rows in the order of completion, even within a millisecond.
func saveCompletion(ctx context.Context, q *db.Queries, turn *Turn) error {
	completion, playerID := turn.Completion, turn.Session.PlayerID
	if completion == nil {
		return nil
	}
	if err := keepEarlierProgress(ctx, q, &turn.Session); err != nil {
		return err
	}
	earlier := db.DropCompletionParams{PlayerID: playerID, MachineID: completion.MachineID}
	if err := q.DropCompletion(ctx, earlier); err != nil {
		return err
	}
	if err := addCompletion(ctx, q, playerID, completion); err != nil {
		return err
	}
	return addUnlocks(ctx, q, playerID, turn.Unlocked, turn.Vars)
}

func addCompletion(ctx context.Context, q *db.Queries, playerID string, completion *Completion) error {
	return q.InsertCompletion(ctx, db.InsertCompletionParams{
		PlayerID: playerID, MachineID: completion.MachineID, Outcome: string(completion.Outcome),
		Score:       int64(completion.Score),
		CompletedAt: toMillis(completion.At),
	})
}

func addUnlocks(
	ctx context.Context, q *db.Queries, playerID string, machineIDs []string, vars map[string]string,
) error {
	for _, id := range machineIDs {
		if err := q.Unlock(ctx, db.UnlockParams{PlayerID: playerID, MachineID: id}); err != nil {
			return err
		}
	}
	for key, value := range vars {
		if err := q.SetVariable(ctx, db.SetVariableParams{PlayerID: playerID, Key: key, Value: value}); err != nil {
			return err
		}
	}
	return nil
}

// RestartSessions resets sessions in one transaction and returns their opening lines.
// RestartSessions deletes all other messages. RestartSessions returns ErrChanged if a session was
// replaced.
func (s *Store) RestartSessions(ctx context.Context, rs []Restart, openedAt time.Time) (lines []string, err error) {
	err = s.database.Write(ctx, func(ctx context.Context, q *db.Queries) error {
		lines = nil
		for i := range rs {
			line, err := restartSession(ctx, q, &rs[i], toMillis(openedAt))
			if err != nil {
				return err
			}
			lines = append(lines, line)
		}
		return nil
	})
	return lines, err
}

func restartSession(ctx context.Context, q *db.Queries, restart *Restart, openedAt int64) (line string, err error) {
	rows, err := q.RestartSession(ctx, db.RestartSessionParams{
		ID: restart.SessionID, State: restart.Engine.State, Score: int64(restart.Engine.Score),
		Redirects:       int64(restart.Engine.Redirects),
		FollowUpPending: restart.Engine.FollowUpPending, Asides: int64(restart.Engine.Asides),
		Outcome:       string(restart.Engine.Outcome),
		LastMessageAt: openedAt,
	})
	if err != nil {
		return "", err
	}
	if rows == 0 {
		return "", ErrChanged
	}
	if err := q.DropConversation(ctx, restart.SessionID); err != nil {
		return "", err
	}
	if err := q.DropSessionAnswers(ctx, orNull(restart.SessionID)); err != nil {
		return "", err
	}
	return q.SayOpeningAgain(ctx, db.SayOpeningAgainParams{SessionID: restart.SessionID, CreatedAt: openedAt})
}

// LoadAnswer returns the stored answer of a repeated call. LoadAnswer returns ErrKeyReused for
// another body, and the errors of LoadSession.
func (s *Store) LoadAnswer(ctx context.Context, call *IdempotentCall) (answer []byte, ok bool, err error) {
	if !call.isWanted() {
		return nil, false, nil
	}
	answer, err = fetch(ctx, s.database.Read, func(ctx context.Context, q *db.Queries) ([]byte, error) {
		return s.findAnswer(ctx, q, call)
	})
	return answer, answer != nil, err
}

func (o *IdempotentCall) isWanted() bool { return o != nil && o.Key != "" }

// Each idempotent write calls findAnswer again, because an equal call may have been answered since
// LoadAnswer.
func (s *Store) findAnswer(ctx context.Context, q *db.Queries, call *IdempotentCall) ([]byte, error) {
	if !call.isWanted() {
		return nil, nil
	}
	row, err := q.Answer(ctx, db.AnswerParams{Scope: call.Scope, Key: call.Key, Since: s.oldestAnswer()})
	if err != nil {
		return nil, ifMissing(err, nil)
	}
	if isOwn, err := isOwnAnswer(ctx, q, call, row.PlayerID); err != nil || !isOwn {
		return nil, err
	}
	if row.BodyHash != call.BodyHash {
		return nil, ErrKeyReused
	}
	return row.Answer, nil
}

func isOwnAnswer(ctx context.Context, q *db.Queries, call *IdempotentCall, playerID sql.NullString) (bool, error) {
	if call.Player == nil {
		return true, nil
	}
	if _, err := findHead(ctx, q, *call.Player); err != nil {
		return false, err
	}
	id, err := findPlayer(ctx, q, *call.Player)
	return id != "" && id == playerID.String, err
}

func (s *Store) oldestAnswer() int64 { return toMillis(s.now().Add(-IdempotencyWindow)) }

// The answer to an opening survives its session. A late repetition of init-session then cannot
// replace a newer session.
type answerSubject struct{ personaID, playerID, sessionID string }

func (s *Store) keepAnswer(ctx context.Context, q *db.Queries, call *IdempotentCall, about answerSubject) error {
	if !call.isWanted() {
		return nil
	}
	if err := q.PurgeAnswers(ctx, s.oldestAnswer()); err != nil {
		return err
	}
	return q.KeepAnswer(ctx, db.KeepAnswerParams{
		Scope: call.Scope, Key: call.Key, BodyHash: call.BodyHash, Answer: call.Answer,
		PersonaID: about.personaID, PlayerID: orNull(about.playerID), SessionID: orNull(about.sessionID),
		CreatedAt: toMillis(s.now()),
	})
}
