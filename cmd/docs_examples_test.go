//go:build !windows

package cmd_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestTwoMachinesTutorial: the file of the tutorial is sound, and plays as described.
func TestTwoMachinesTutorial(t *testing.T) {
	t.Parallel()
	folder, env := project(t)
	writeFile(t, filepath.Join(folder, "gate.yaml"), blockWith(t, "docs/authoring.md", "yaml", "name: Hobb"), 0o600)
	said, err := bash(t, folder, env, "parley persona lint --fail-on info gate.yaml && parley persona prove gate.yaml && printf 'Open the gate\\nHeron\\nGood dog\\n' | parley chat gate.yaml")
	for _, want := range []string{"and leads straight on\tcan open in 1 turn", "Hobb: What is the word?", "Going on to yard.", "[house] [pass or fail] [ended: accepted]"} {
		assert.NoError(t, err)
		assert.Contains(t, said, want)
	}
}

// TestCallsOfAGame: the calls on the page, sent unchanged, play a turn.
func TestCallsOfAGame(t *testing.T) {
	t.Parallel()
	server, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Log: slog.New(slog.DiscardHandler)})
	assert.NoError(t, err)
	defer func() { _ = server.Close() }()
	folder, env := project(t)
	env = append(env, "PARLEY_SERVER="+server.URL(), "PARLEY_TOKEN="+server.Token())
	script := "parley persona save --publish --no-lock personas/starter.yaml > /dev/null\n" +
		strings.NewReplacer("http://127.0.0.1:8787", server.URL(), "curl ", "command -p curl ").Replace(blockWith(t, "docs/server.md", "sh", "persona=$(parley"))
	said, err := bash(t, folder, env, script)
	assert.NoError(t, err, said)
	decoder := json.NewDecoder(strings.NewReader(said[max(strings.Index(said, "{"), 0):]))
	var opening map[string]any
	var reply wire.Reply
	var history wire.History
	for _, into := range []any{&opening, &reply, &history} {
		assert.NoError(t, decoder.Decode(into), said)
	}
	assert.True(t, opening["message"] != "" && reply.MachineCompleted && len(history.Messages) == 3,
		"the calls bring:\n%s", said)
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

// TestWriteAndListen plays and edits a file as the page of authors shows.
func TestWriteAndListen(t *testing.T) {
	t.Parallel()
	const command = "$ parley chat biscuit.yaml --watch --plain\n"
	want := strings.TrimPrefix(blockWith(t, "docs/authoring.md", "console", command), command)
	folder, env := project(t)
	file := filepath.Join(folder, "biscuit.yaml")
	source := assert.Value(os.ReadFile("../personas/examples/starter.yaml"))(t)
	writeFile(t, file, string(source), 0o600)
	p := exec.Command("parley", "chat", "biscuit.yaml", "--watch", "--plain")
	p.Path, p.Dir = os.Args[0], folder
	p.Env = append(env, "TERM=xterm", "LC_ALL=C.UTF-8", "PARLEY_PLAYER_NAME=Mara", "PARLEY_PLAYER_GENDER=female")
	terminal := assert.Value(pty.StartWithSize(p, &pty.Winsize{Rows: 40, Cols: 200}))(t)
	defer func() { _ = terminal.Close() }()
	shown := &cmdtest.Buffer{}
	go func() { _, _ = io.Copy(shown, terminal) }()
	prompts := 0
	enter := func(line string) {
		prompts++
		shown.Await(t, "You: ", prompts)
		assert.Value(io.WriteString(terminal, line))(t)
	}
	save := func(replaced ...string) {
		enter("")
		source = []byte(strings.NewReplacer(replaced...).Replace(string(source)))
		writeFile(t, file, string(source), 0o600)
	}
	enter("I need that book\n")
	enter("I need that book, your majesty\n")
	save("Mm. And what is in it for me?", "Mm. And what would a cat want with that?")
	save(`pass: ["What lovely`, `pass: ["I need that book, your majesty", "What lovely`)
	enter("/update\n")
	enter("I need that book, your majesty\n")
	shown.Await(t, "You made it.", 1)
	enter("/quit\n")
	assert.NoError(t, p.Wait())
	assert.Contains(t, strings.NewReplacer("\r\n", "\n", "You: \r\n", "You:\n").Replace(shown.String()), want, "the chat")
}
