//go:build !windows

package cmd_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

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
	for _, want := range []string{"and continues there at once\tcan open in 1 turn", "Hobb: What is the word?",
		"Continuing with yard.", "[house] [pass or fail] [ended: accepted]"} {
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
	assert.True(t, opening["message"] != "", "the calls bring:\n%s", said)
	assert.True(t, reply.MachineCompleted, "the calls bring:\n%s", said)
	assert.Equal(t, len(history.Messages), 3, "the calls bring:\n%s", said)
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

// TestReadmeArchive installs as the README says; an archive with a wrong checksum is not unpacked.
func TestReadmeArchive(t *testing.T) {
	t.Parallel()
	blocks := fencedBlocks(t, "README.md", "console")
	at := slices.IndexFunc(blocks, func(block string) bool { return strings.HasPrefix(block, "$ curl -fsSLO https://github.com") })
	assert.Must(t, at >= 0, "the README fetches no archive")
	script := strings.ReplaceAll(blocks[at], "$ ", "")
	for name, row := range map[string]struct {
		change string
		done   bool
	}{
		"the release's": {"true", true},
		"another":       {"printf x >> parley_0.1.0_linux_amd64.tar.gz", false},
		"unnamed":       {"sed -i.old 's/amd64.tar.gz$/amd64.tar.gz.sbom.json/' checksums.txt", false},
		"not there":     {"rm parley_0.1.0_linux_amd64.tar.gz", false},
	} {
		folder, bin := t.TempDir(), t.TempDir()
		curl := "#!/bin/sh\nfor url; do case $url in https:*.tar.gz) printf '#!/bin/sh\\n' > parley && chmod +x parley && tar -czf \"${url##*/}\" parley && rm parley ;;\n" +
			"https:*/checksums.txt) sha256sum *.tar.gz > checksums.txt ;; esac; done\n" + row.change + "\n"
		writeFile(t, filepath.Join(bin, "curl"), curl, 0o700)
		said, err := bash(t, folder, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH")), script)
		_, missing := os.Stat(filepath.Join(folder, "parley"))
		assert.Equal(t, err == nil, row.done, "%s: %v, %v\n%s", name, err, missing, said)
		assert.Equal(t, missing == nil, row.done, "%s: %v, %v\n%s", name, err, missing, said)
	}
}

// TestReadmeFirstCommands plays the README's three commands with the persona that it shows.
func TestReadmeFirstCommands(t *testing.T) {
	t.Parallel()
	folder, env := project(t)
	copyFiles(t, "../personas/examples/starter.yaml", folder)
	assert.NoError(t, os.Rename(filepath.Join(folder, "starter.yaml"), filepath.Join(folder, "my-cat.yaml")))
	block, server, _ := strings.Cut(blockOf(t, "README.md", "parley chat my-cat.yaml"), "$ parley localserver\n")
	assert.Equal(t, server, "", "the README's commands go on behind the server")
	playBlock(t, folder, env, block)
	s := assert.Value(cmdtest.StartServer(serverCommand(env)))(t)
	s.Kill()
}

// blockOf is the block of commands of a page that begins with one.
func blockOf(t *testing.T, page, first string) string {
	t.Helper()
	for _, block := range fencedBlocks(t, page, "console") {
		if strings.HasPrefix(block, "$ "+first+"\n") {
			return block
		}
	}
	t.Fatalf("%s has no block that begins with %s", page, first)
	return ""
}

func serverCommand(env []string) *exec.Cmd {
	p := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0")
	p.Env = append(env, "PARLEY_DATA_DIR=", "PARLEY_STATE_DIR=", "PARLEY_CONFIG_DIR=", "XDG_DATA_HOME=", "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
	return p
}

func TestServerPage(t *testing.T) {
	t.Parallel()
	folder, env := project(t)
	_ = os.Remove(filepath.Join(folder, "compose.yaml"))
	copyFiles(t, "../personas/examples/starter.yaml", folder)
	assert.NoError(t, os.Rename(filepath.Join(folder, "starter.yaml"), filepath.Join(folder, "my-cat.yaml")))
	writeFile(t, filepath.Join(folder, "npm"), "#!/bin/sh\nparley persona list --json=name\n", 0o700)
	p := serverCommand(env)
	var talk strings.Builder
	p.Stderr = &talk
	s := assert.Value(cmdtest.StartServer(p))(t)
	t.Cleanup(s.Kill)
	env = append(p.Env, "PARLEY_SERVER="+s.Address, "PARLEY_PLAYER_NAME=Mara", "PATH="+folder+":"+pathOf(env))
	block := blockOf(t, "docs/server.md", "parley persona save my-cat.yaml")
	playBlock(t, folder, env, block)
	saveOnce(t, folder, env)
	playBlock(t, folder, env, blockOf(t, "docs/server.md", "parley persona save --publish personas/ > ids.txt"))
	assert.Value(os.Stat(filepath.Join(folder, "biscuit.html")))(t)
	game := blockOf(t, "docs/server.md", "parley localserver --watch personas/")
	_, game, _ = strings.Cut(game, "\n") // --watch stays until it is stopped
	before, restore, _ := strings.Cut(game, "$ parley localserver restore")
	playBlock(t, folder, env, before)
	s.Kill()
	playBlock(t, folder, env, "$ parley localserver restore"+restore)
	labels := regexp.MustCompile(`(?m)^(\w+( \w+)?)  +`)
	shown := labels.FindAllString(blockOf(t, "docs/server.md", "parley localserver"), -1)
	got := labels.FindAllString(talk.String(), -1)
	assert.Equal(t, strings.Join(got, ""), strings.Join(shown, ""), "the server says %q, the page shows %q:\n%s", got, shown, talk.String())
}

func saveOnce(t *testing.T, folder string, env []string) {
	t.Helper()
	change := "parley persona save --new personas/ && sed 's/^name: .*/name: Crumb/' personas/starter.yaml > personas/crumb.yaml && sed -i.old 's/vain, dry/vain/' personas/starter.yaml && rm personas/*.old"
	said, err := bash(t, folder, env, change)
	assert.NoError(t, err, "%v\n%s", err, said)
}

func pathOf(env []string) (path string) {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			path = value
		}
	}
	return path
}

// playBlock runs the commands of a block and compares their output, except for ids, ports, counts and random lines.
func playBlock(t *testing.T, folder string, env []string, block string) {
	t.Helper()
	for _, part := range strings.Split(block, "$ ")[1:] {
		command, shown, _ := strings.Cut(part, "\n")
		said, err := bash(t, folder, env, command+" </dev/null")
		assert.NoError(t, err, "%s %s", command, said)
		if !strings.HasPrefix(command, "parley say") && shown != "" && shape(said) != shape(shown) {
			t.Errorf("%s says\n%s\nthe page shows\n%s", command, said, shown)
		}
	}
}

func shape(text string) string {
	text = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).ReplaceAllString(strings.TrimSpace(text), "ID")
	return regexp.MustCompile(`\d+`).ReplaceAllString(text, "N")
}
