package localservercmd_test

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// killCount is how often the server is killed: a few times with all tests, and a
// thousand times by .ci/run.
var killCount = flag.Int("kills", 20, "how often TestKilledServerLosesNothing kills the server")

const (
	players = 4
	pauses  = 20 // lengths of time that a server works before it is killed
	stay    = 50 // kills after which other players come, so that histories stay short
)

// TestKilledServerLosesNothing: acknowledged messages and forks survive kills, whole and in order.
func TestKilledServerLosesNothing(t *testing.T) {
	t.Parallel()
	killAndCompare(t)
}

// TestKilledNodeLosesNothing is the same with PostgreSQL, which has to end the killed transactions.
func TestKilledNodeLosesNothing(t *testing.T) {
	t.Parallel()
	_, address := storetest.Start(t)
	killAndCompare(t, "PARLEY_DATABASE="+address)
}

func killAndCompare(t *testing.T, environment ...string) {
	t.Helper()
	kills, begun := *killCount, time.Now()
	data := t.TempDir()
	s := cmdtest.StartLocalServer(t, data, environment...)
	persona := plantTalkative(t, s.Address, data)
	acknowledged, kept, branches := make([][]string, players), map[string][]string{}, 0
	forks := make([]forked, players)
	var answers atomic.Int32
	for round := range kills {
		if round%stay == 0 {
			acknowledged, forks = make([][]string, players), make([]forked, players)
			beginSessions(t, s.Address, persona, round)
		}
		var group sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for p := range players {
			group.Go(func() {
				acknowledged[p] = talk(ctx, t, s.Address, persona, p, round, acknowledged[p], &forks[p], &answers)
			})
		}
		before := answers.Load() // A busy machine is waited for: something is to be lost.
		for limit := time.Now().Add(cmdtest.Timeout); answers.Load() == before && time.Now().Before(limit); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(7*(round%pauses)) * time.Millisecond)
		s.Kill()
		cancel()
		group.Wait()
		s = cmdtest.StartLocalServer(t, data, environment...)
		for p := range players {
			acknowledged[p] = compareKept(t, s.Address, persona, playerID(p, round), acknowledged[p])
			kept[playerID(p, round)] = acknowledged[p]
			branches += forks[p].compare(t, s.Address, persona, playerID(p, round), acknowledged[p])
		}
	}
	for player, said := range kept {
		compareKept(t, s.Address, persona, player, said)
	}
	total := int(answers.Load())
	assert.True(t, total >= kills,
		"only %d messages were acknowledged over %d kills: the load is too small to show anything", total, kills)
	assert.True(t, branches >= kills, "only %d forks over %d kills", branches, kills)
	t.Logf("%d messages and %d forks over %d kills in %s, none lost", total, branches, kills, time.Since(begun).Round(time.Second))
}

func plantTalkative(t *testing.T, address, data string) string {
	t.Helper()
	token := cmdtest.MustOutput(t, "localserver", "token", "--data", data, "--user", "author@example.com")
	doc, _, faults := personas.Parse("echo.yaml", []byte(cmdtest.EndlessPersona))
	assert.Empty(t, faults)
	c := cmdtest.NewClient(t, address, token)
	saved, _, err := c.SavePersona(t.Context(), "", doc, "")
	assert.NoError(t, err)
	assert.Value(c.PublishPersona(t.Context(), saved.ID))(t)
	return saved.ID
}

func beginSessions(t *testing.T, address, persona string, round int) {
	t.Helper()
	anybody := cmdtest.NewClient(t, address, "")
	for p := range players {
		body := wire.InitSession{UserSessionID: playerID(p, round), PlayerName: "P", PlayerGender: "female"}
		assert.Value(anybody.InitSession(t.Context(), persona, "", body))(t)
	}
}

func playerID(p, round int) string { return fmt.Sprintf("player-%d-%d", round/stay, p) }

func talk(ctx context.Context, t *testing.T, address, persona string, p, round int, said []string, forks *forked, answers *atomic.Int32) []string {
	c := cmdtest.NewClient(t, address, "")
	for i := 0; ctx.Err() == nil; i++ {
		if i%5 == 0 && !forks.fork(ctx, c, persona, playerID(p, round), len(said)) {
			return said
		}
		text := fmt.Sprintf("round %d message %d", round, i)
		if _, err := c.SendMessage(ctx, persona, "", wire.Message{Message: text, UserSessionID: playerID(p, round)}); err != nil {
			return said
		}
		said = append(said, text)
		answers.Add(1)
	}
	return said
}

// compareKept returns the stored messages of a player. One turn may be stored whose answer was lost.
func compareKept(t *testing.T, address, persona, player string, said []string) []string {
	t.Helper()
	h := assert.Value(cmdtest.NewClient(t, address, "").History(t.Context(), persona, player, ""))(t)
	turns := h.Messages[1:] // the opening line is the first message
	assert.Must(t, len(turns)%2 == 0, "%s: half a turn was kept: %d messages after the opening", player, len(turns))
	var kept []string
	for i := 0; i < len(turns); i += 2 {
		if turns[i].Role != wire.RoleUser || turns[i+1].Role != wire.RoleAssistant {
			t.Fatalf("%s: turn %d is %s, %s", player, i/2, turns[i].Role, turns[i+1].Role)
		}
		kept = append(kept, turns[i].Content)
	}
	assert.Must(t, len(kept) >= len(said) && len(kept) <= len(said)+1,
		"%s: %d turns kept, %d acknowledged", player, len(kept), len(said))
	for i := range said {
		if kept[i] != said[i] {
			t.Fatalf("%s: turn %d is %q, acknowledged was %q", player, i, kept[i], said[i])
		}
	}
	return kept
}

type forked struct {
	acknowledged []string
	compared     map[string]bool
}

// maxForked is how many forks of a player there are at most; the service takes 1000.
const maxForked = 100

func (f *forked) fork(ctx context.Context, c *client.Client, persona, player string, at int) bool {
	if len(f.acknowledged) >= maxForked {
		return true
	}
	branch, err := c.Fork(ctx, persona, "", wire.Fork{UserSessionID: player, At: at})
	if err == nil {
		f.acknowledged = append(f.acknowledged, branch.UserSessionID)
	}
	return err == nil
}

func (f *forked) compare(t *testing.T, address, persona, player string, said []string) (compared int) {
	t.Helper()
	c := cmdtest.NewClient(t, address, "")
	tree := assert.Value(c.Branches(t.Context(), persona, player))(t)
	if f.compared == nil {
		f.compared = map[string]bool{player: true}
	}
	for i := range tree.Branches {
		b := &tree.Branches[i]
		if f.compared[b.UserSessionID] {
			continue
		}
		f.compared[b.UserSessionID] = true
		compared++
		got := compareKept(t, address, persona, b.UserSessionID, said[:*b.ForkedAt])
		if len(got) != *b.ForkedAt || b.Turn != len(got) {
			t.Fatalf("%s: a fork at %d has %d turns, and lists %d", player, *b.ForkedAt, len(got), b.Turn)
		}
	}
	for _, id := range f.acknowledged {
		assert.Must(t, f.compared[id], "%s: fork %s was acknowledged and is lost", player, id)
	}
	return compared
}
