package serve_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas"
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

// TestKilledServerLosesNothing kills a real server process repeatedly while players talk, and
// compares the stored messages with the acknowledged ones: every acknowledged message is there, in
// order, and no turn is incomplete.
func TestKilledServerLosesNothing(t *testing.T) {
	t.Parallel()
	killAndCompare(t)
}

// TestKilledNodeLosesNothing is the same with PostgreSQL, where the database survives a killed
// server and has to end its transaction.
func TestKilledNodeLosesNothing(t *testing.T) {
	t.Parallel()
	var cluster storetest.Cluster
	address, err := cluster.NewDatabase(t.Context())
	if errors.Is(err, storetest.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Error(err)
		}
	})
	killAndCompare(t, "PARLEY_DATABASE="+address)
}

func killAndCompare(t *testing.T, environment ...string) {
	t.Helper()
	kills, begun := *killCount, time.Now()
	data := t.TempDir()
	s := cmdtest.StartLocalServer(t, data, environment...)
	persona := plantTalkative(t, s.Address, data)
	acknowledged, kept := make([][]string, players), map[string][]string{}
	var answers atomic.Int32
	for round := range kills {
		if round%stay == 0 {
			acknowledged = make([][]string, players)
			beginSessions(t, s.Address, persona, round)
		}
		var group sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for p := range players {
			group.Go(func() { acknowledged[p] = talk(ctx, t, s.Address, persona, p, round, acknowledged[p], &answers) })
		}
		before := answers.Load() // A busy machine is waited for: something is to be lost.
		for limit := time.Now().Add(cmdtest.Patience); answers.Load() == before && time.Now().Before(limit); {
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
		}
	}
	for player, said := range kept {
		compareKept(t, s.Address, persona, player, said)
	}
	total := int(answers.Load())
	if total < kills {
		t.Errorf("only %d messages were acknowledged over %d kills: the load is too small to show anything", total, kills)
	}
	t.Logf("%d messages over %d kills in %s, none lost", total, kills, time.Since(begun).Round(time.Second))
}

func plantTalkative(t *testing.T, address, data string) string {
	t.Helper()
	token := cmdtest.MustOutput(t, "localserver", "token", "--data", data, "--user", "author@example.com")
	doc, _, faults := personas.Parse("echo.yaml", []byte(cmdtest.EndlessPersona))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	c := cmdtest.NewClient(t, address, token)
	saved, _, err := c.SavePersona(t.Context(), "", doc, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.PublishPersona(t.Context(), saved.ID); err != nil {
		t.Fatal(err)
	}
	return saved.ID
}

func beginSessions(t *testing.T, address, persona string, round int) {
	t.Helper()
	anybody := cmdtest.NewClient(t, address, "")
	for p := range players {
		body := wire.InitSession{UserSessionID: playerID(p, round), PlayerName: "P", PlayerGender: "female"}
		if _, err := anybody.InitSession(t.Context(), persona, "", body); err != nil {
			t.Fatal(err)
		}
	}
}

func playerID(p, round int) string { return fmt.Sprintf("player-%d-%d", round/stay, p) }

// talk sends messages until the server is gone, and appends and counts the answered ones.
func talk(ctx context.Context, t *testing.T, address, persona string, p, round int, said []string, answers *atomic.Int32) []string {
	c := cmdtest.NewClient(t, address, "")
	for i := 0; ctx.Err() == nil; i++ {
		text := fmt.Sprintf("round %d message %d", round, i)
		if _, err := c.SendMessage(ctx, persona, "", wire.Message{Message: text, UserSessionID: playerID(p, round)}); err != nil {
			return said
		}
		said = append(said, text)
		answers.Add(1)
	}
	return said
}

// compareKept reads the history and returns the player's messages as the server has them. Beyond
// the acknowledged turns there may be one complete turn with a lost answer.
func compareKept(t *testing.T, address, persona, player string, said []string) []string {
	t.Helper()
	h, err := cmdtest.NewClient(t, address, "").History(t.Context(), persona, player, "")
	if err != nil {
		t.Fatal(err)
	}
	turns := h.Messages[1:] // the opening line is the first message
	if len(turns)%2 != 0 {
		t.Fatalf("%s: half a turn was kept: %d messages after the opening", player, len(turns))
	}
	var kept []string
	for i := 0; i < len(turns); i += 2 {
		if turns[i].Role != wire.RoleUser || turns[i+1].Role != wire.RoleAssistant {
			t.Fatalf("%s: turn %d is %s, %s", player, i/2, turns[i].Role, turns[i+1].Role)
		}
		kept = append(kept, turns[i].Content)
	}
	if len(kept) < len(said) || len(kept) > len(said)+1 {
		t.Fatalf("%s: %d turns kept, %d acknowledged", player, len(kept), len(said))
	}
	for i := range said {
		if kept[i] != said[i] {
			t.Fatalf("%s: turn %d is %q, acknowledged was %q", player, i, kept[i], said[i])
		}
	}
	return kept
}
