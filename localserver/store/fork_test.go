package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas/assert"
)

// addition matches what a migration adds to a schema.
var addition = regexp.MustCompile(`(?m)^(?:CREATE (TABLE|INDEX) (\w+)|ALTER TABLE (\w+) ADD COLUMN (\w+))`)

// undoMigrations takes away what the migrations from a version on have added to a schema.
func undoMigrations(t testing.TB, s *Store, from int64) {
	t.Helper()
	files, versions := db.SQLiteMigrations(), "goose_db_version"
	if s.database.IsShared() {
		files, versions = db.PostgresMigrations(), "parley_migrations"
	}
	undo := []string{fmt.Sprint("DELETE FROM ", versions, " WHERE version_id >= ", from)}
	names := assert.Value(fs.Glob(files, "*.sql"))(t)
	for _, name := range names {
		version := assert.Value(goose.NumericComponent(name))(t)
		if version < from {
			continue
		}
		text := assert.Value(fs.ReadFile(files, name))(t)
		for _, added := range addition.FindAllStringSubmatch(string(text), -1) {
			if added[1] != "" {
				undo = append(undo, fmt.Sprintf("DROP %s %s", added[1], added[2]))
			} else {
				undo = append(undo, fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s", added[3], added[4]))
			}
		}
	}
	for _, statement := range slices.Backward(undo) {
		assert.Value(rawPool(t, s).ExecContext(t.Context(), statement))(t)
	}
}

// keptState is everything that is stored of a player, without its ids.
type keptState struct {
	Progress PlayerProgress
	Messages [][]Message
	Traces   [][]Message
}

func keptOf(t testing.TB, s *Store, ref PlayerRef) (k keptState) {
	t.Helper()
	st := assert.Value(s.LoadProgressWithRoute(t.Context(), ref))(t)
	for i := range st.Sessions {
		n := &st.Sessions[i]
		_, messages := readHistory(t, s, ref, n.MachineID)
		k.Messages = append(k.Messages, messages)
		var traces []Message
		h := assert.Value(s.OpenHistory(t.Context(), ref, n.MachineID, HistoryPart{}))(t)
		for h.traces = true; !h.IsAtEnd(); {
			page := assert.Value(h.NextPage(t.Context()))(t)
			traces = append(traces, page...)
		}
		k.Traces = append(k.Traces, traces)
		n.ID, n.PlayerID, n.Revision = "", "", 0
	}
	st.PlayerID = ""
	slices.Sort(st.Unlocked)
	k.Progress = st
	return k
}

// forkAt forks a player, with the stored engine states.
func forkAt(t testing.TB, s *Store, ref PlayerRef, machine string, turn int64) (PlayerRef, error) {
	t.Helper()
	past, err := s.LoadPast(t.Context(), ref, machine, turn)
	if err != nil {
		return PlayerRef{}, err
	}
	f := newFork(ref, past)
	_, err = s.SaveFork(t.Context(), f)
	ref.UserSessionID = f.NewUserSessionID
	return ref, err
}

func newFork(ref PlayerRef, past *Past) Fork {
	f := Fork{PlayerRef: ref, Past: past, NewUserSessionID: uuid.NewString(), At: RoundTime(time.Now())}
	for range past.Sessions {
		f.NewSessionIDs = append(f.NewSessionIDs, uuid.NewString())
	}
	return f
}

func randomTurn(r *rand.Rand, l LoadedSession, step int) Turn {
	turn := nextTurn(l, fmt.Sprint("words ", step), r.IntN(5) == 0)
	e := &turn.Session.Engine
	e.State, e.Score, e.Redirects, e.Asides, e.FollowUpPending = fmt.Sprint("s", r.IntN(3)), r.IntN(9)-4, r.IntN(3), r.IntN(3), r.IntN(2) == 0
	turn.Reply.State, turn.Reply.Score = e.State, e.Score
	if c := turn.Completion; c != nil {
		c.Score = e.Score
		turn.Unlocked = []string{l.Persona.Machines.IDs[fmt.Sprint("m", r.IntN(3))]}
		turn.Vars = map[string]string{fmt.Sprint("k", r.IntN(2)): fmt.Sprint(step)}
	}
	if r.IntN(4) == 0 {
		turn.IsSummarized, turn.Session.Summary, turn.Session.SummaryTo = true, fmt.Sprint("summary ", step), turn.Session.MessageCount()-1
	}
	return turn
}

// TestForkHasThePast: on both kinds of database a fork has the player's state at that turn.
func TestForkHasThePast(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "m0", "m1", "m2")
		for seed := range 12 {
			r := rand.New(rand.NewPCG(uint64(seed), 3))
			w := PlayerRef{PersonaID: p.ID, UserSessionID: fmt.Sprint("v", seed)}
			type moment struct {
				machine string
				turn    int64
				kept    keptState
			}
			var moments []moment
			opened := map[string]bool{}
			for step := range 20 {
				machine := fmt.Sprint("m", r.IntN(3))
				n := int64(0)
				if opened[machine] {
					l := mustLoad(t, s, w, machine)
					turn := randomTurn(r, l, step)
					assert.Value(s.SaveTurn(t.Context(), turn))(t)
					n = turn.Session.Turn
				} else {
					enterMachine(t, s, p, machine, w.UserSessionID)
					opened[machine] = true
				}
				moments = append(moments, moment{machine, n, keptOf(t, s, w)})
			}
			after := keptOf(t, s, w)
			for _, m := range moments {
				fork := assert.Value(forkAt(t, s, w, m.machine, m.turn))(t)
				got := keptOf(t, s, fork)
				assert.Must(t, reflect.DeepEqual(got, m.kept), "seed %d, %s after turn %d:\n got %+v\nwant %+v", seed, m.machine, m.turn, got, m.kept)
			}
			assert.Must(t, reflect.DeepEqual(keptOf(t, s, w), after), "seed %d: who was forked changed", seed)
			_, list, err := s.Branches(t.Context(), w)
			assert.Must(t, err == nil && len(list) == 1+len(moments) && list[1].Parent == w.UserSessionID, "%d branches of %d, %v", len(list), len(moments), err)
		}
	})
}

// TestForkOfEarlierDatabase: a turn of an earlier version is refused, and later turns are forked exactly.
func TestForkOfEarlierDatabase(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		s := withUsers(t, open(t, Options{}))
		p := publishPersona(t, s, "gate", "cellar")
		w := enterMachine(t, s, p, "gate", "v").PlayerRef
		sayLine(t, s, w, "gate", "m1", false)
		enterMachine(t, s, p, "cellar", "v")
		sayLine(t, s, w, "cellar", "dark", true)
		undoMigrations(t, s, 5)
		later := open(t, Options{Path: addressOf(s)})
		sayLine(t, later, w, "gate", "m2", false)
		want := keptOf(t, later, w)
		fork := assert.Value(forkAt(t, later, w, "gate", 2))(t)
		assert.DeepEqual(t, keptOf(t, later, fork), want)
		sayLine(t, later, w, "cellar", "light", true)
		for _, machine := range []string{"gate", "cellar"} {
			_, err := later.LoadPast(t.Context(), w, machine, 1)
			gone, ok := errors.AsType[*PastGoneError](err)
			assert.True(t, ok && gone.Why == goneState, "turn 1 of %s: %v", machine, err)
		}
		_, err := later.LoadPast(t.Context(), w, "gate", 2)
		gone, ok := errors.AsType[*PastGoneError](err)
		assert.True(t, ok && gone.Why == goneState, "a turn with an earlier turn of the other session: %v", err)
	})
}

// TestForkIsRefused: forks of missing sessions, or somebody else's, change nothing.
func TestForkIsRefused(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate")
		hers := newOpening(p, "gate", "hers")
		hers.UserID = alice.ID
		assert.Value(s.SaveOpening(t.Context(), hers))(t)
		for _, w := range []PlayerRef{
			{PersonaID: p.ID, UserSessionID: "hers"}, {PersonaID: p.ID, UserSessionID: "hers", UserID: bob.ID}, {PersonaID: p.ID, UserSessionID: "hers", UserID: alice.ID, Space: alice.ID},
		} {
			_, err := forkAt(t, s, w, "gate", 0)
			checkRefuses(t, fmt.Sprintf("fork of hers by %+v", w), err, ErrNoSession)
			_, _, err = s.Branches(t.Context(), w)
			checkRefuses(t, fmt.Sprintf("branches of hers by %+v", w), err, ErrNoSession)
		}
		_, err := forkAt(t, s, hers.PlayerRef, "gate", 1)
		short, ok := errors.AsType[*NoTurnError](err)
		assert.True(t, ok && short.Turns == 0, "a turn that is not there: %v", err)
		fork := assert.Value(forkAt(t, s, hers.PlayerRef, "gate", 0))(t)
		refused(s.LoadSession(t.Context(), PlayerRef{PersonaID: p.ID, UserSessionID: fork.UserSessionID}, "gate", 1))(t, "her fork without her token", ErrNoSession)

		w := enterMachine(t, s, p, "gate", "v").PlayerRef
		past := assert.Value(s.LoadPast(t.Context(), w, "gate", 0))(t)
		enterMachine(t, s, p, "gate", "v")
		refused(s.SaveFork(t.Context(), newFork(w, past)))(t, "a session that was opened again meanwhile", ErrChanged)
		past = assert.Value(s.LoadPast(t.Context(), w, "gate", 0))(t)
		assert.Value(s.ResetProgress(t.Context(), w))(t)
		refused(s.SaveFork(t.Context(), newFork(w, past)))(t, "a player who has gone", ErrNoSession)
		_, list, err := s.Branches(t.Context(), hers.PlayerRef)
		assert.True(t, err == nil && len(list) == 2, "%d branches, %v", len(list), err)
	})
}

// TestForksAtOnce: simultaneous forks and turns of one player are all stored.
func TestForksAtOnce(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		w := enterMachine(t, s, publishPersona(t, s, "gate"), "gate", "v").PlayerRef
		assert.Value(s.SaveTurn(t.Context(), randomTurn(rand.New(rand.NewPCG(1, 1)), mustLoad(t, s, w, "gate"), 0)))(t)
		want := keptOf(t, s, w)
		var all sync.WaitGroup
		forks := make([]PlayerRef, 8)
		for i := range forks {
			all.Go(func() {
				var err error
				forks[i], err = forkAt(t, s, w, "gate", 1)
				assert.True(t, err == nil, err)
			})
		}
		sayLine(t, s, w, "gate", "more", false)
		all.Wait()
		for _, fork := range forks {
			assert.DeepEqual(t, keptOf(t, s, fork), want)
		}
	})
}

func TestForkAllOrNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		w := enterMachine(t, s, publishPersona(t, s, "gate"), "gate", "v").PlayerRef
		sayLine(t, s, w, "gate", "hello", true)
		past := assert.Value(s.LoadPast(t.Context(), w, "gate", 1))(t)
		f := newFork(w, past)
		past.Completions = append(past.Completions, past.Completions[0]) // The last row is refused.
		_, err := s.SaveFork(t.Context(), f)
		assert.Must(t, err != nil, "two completions of a machine were kept")
		for _, table := range []string{"players", "sessions"} {
			var rows int
			assert.NoError(t, rawPool(t, s).QueryRow("SELECT count(*) FROM "+table).Scan(&rows))
			assert.Equal(t, rows, 1, "rows %s", table)
		}
	})
}
