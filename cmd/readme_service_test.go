//go:build !windows

package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

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
		assert.True(t, (err == nil) == row.done && (missing == nil) == row.done, "%s: %v, %v\n%s", name, err, missing, said)
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

// serverCommand returns a server on any free port, with private directories.
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

// saveOnce saves the folder, and then changes one file and adds one.
func saveOnce(t *testing.T, folder string, env []string) {
	t.Helper()
	change := "parley persona save --new personas/ && sed 's/^name: .*/name: Crumb/' personas/starter.yaml > personas/crumb.yaml && sed -i.old 's/vain, dry/vain/' personas/starter.yaml && rm personas/*.old"
	said, err := bash(t, folder, env, change)
	assert.NoError(t, err, "%v\n%s", err, said)
}

// pathOf is the path of an environment.
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

// shape is a text with every id and number alike.
func shape(text string) string {
	text = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).ReplaceAllString(strings.TrimSpace(text), "ID")
	return regexp.MustCompile(`\d+`).ReplaceAllString(text, "N")
}
