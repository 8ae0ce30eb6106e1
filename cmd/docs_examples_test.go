//go:build !windows

package cmd_test

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/wire"
)

// TestTwoMachinesTutorial: the file of the tutorial is sound, and plays as described.
func TestTwoMachinesTutorial(t *testing.T) {
	t.Parallel()
	folder, env := project(t)
	writeFile(t, filepath.Join(folder, "gate.yaml"), blockWith(t, "docs/authoring.md", "yaml", "name: Hobb"), 0o600)
	said, err := bash(t, folder, env, "parley persona lint --fail-on info gate.yaml && parley persona prove gate.yaml && printf 'Open the gate\\nHeron\\nGood dog\\n' | parley chat gate.yaml")
	for _, want := range []string{"and leads straight on\tcan open in 1 turn", "Hobb: What is the word?", "Going on to yard.", "[house] [pass or fail] [ended: accepted]"} {
		if err != nil || !strings.Contains(said, want) {
			t.Errorf("%v, %q is not said:\n%s", err, want, said)
		}
	}
}

// TestCallsOfAGame: the calls on the page, sent unchanged, play a turn.
func TestCallsOfAGame(t *testing.T) {
	t.Parallel()
	server, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: localserver.Memory, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	folder, env := project(t)
	env = append(env, "PARLEY_SERVER="+server.URL(), "PARLEY_TOKEN="+server.Token())
	script := "parley persona save --publish --no-lock personas/starter.yaml > /dev/null\n" +
		strings.NewReplacer("http://127.0.0.1:8787", server.URL(), "curl ", "command -p curl ").Replace(blockWith(t, "docs/server.md", "sh", "persona=$(parley"))
	said, err := bash(t, folder, env, script)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	decoder := json.NewDecoder(strings.NewReader(said[max(strings.Index(said, "{"), 0):]))
	var opening map[string]any
	var reply wire.Reply
	var history wire.History
	for _, into := range []any{&opening, &reply, &history} {
		if err := decoder.Decode(into); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	if opening["message"] == "" || !reply.MachineCompleted || len(history.Messages) != 3 {
		t.Errorf("the calls bring:\n%s", said)
	}
}

// blockWith is the block of a language in a page that begins with a text.
func blockWith(t *testing.T, page, language, first string) string {
	t.Helper()
	for _, block := range fencedBlocks(t, page, language) {
		if strings.HasPrefix(block, first) {
			return block
		}
	}
	t.Fatalf("%s has no block of %s that begins with %s", page, language, first)
	return ""
}
