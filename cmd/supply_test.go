package cmd_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	yaml "go.yaml.in/yaml/v4"
)

// TestActionsArePinned checks that workflows and actions name every action by its commit: a tag can be moved.
func TestActionsArePinned(t *testing.T) {
	t.Parallel()
	uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses: +(\S+)`)
	pinned := regexp.MustCompile(`^(\./|[\w./-]+@[0-9a-f]{40}$)`)
	err := filepath.WalkDir("../.github", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".yml" {
			return err
		}
		text, err := os.ReadFile(file)
		for _, m := range uses.FindAllStringSubmatch(string(text), -1) {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s uses %s: name its commit", file, m[1])
			}
		}
		return err
	})
	assert.NoError(t, err)
}

// TestNoticesAreFresh: docs/notices.txt has the licences of all that a release links, and nothing else.
func TestNoticesAreFresh(t *testing.T) {
	t.Parallel()
	const page = "../docs/notices.txt"
	p := exec.Command("go", "run", "./.ci/notices")
	p.Dir, p.Env = "..", append(os.Environ(), "GOFLAGS=-buildvcs=false")
	made, err := p.Output()
	if err != nil {
		var failed *exec.ExitError
		errors.As(err, &failed)
		t.Fatalf("%v\n%s", err, failed.Stderr)
	}
	assert.Golden(t, page, made)
	var c releaseSystems
	assert.NoError(t, yaml.Unmarshal([]byte(readPage(t, ".goreleaser.yaml")), &c))
	head, _, _ := strings.Cut(string(made), "\n\n")
	for _, b := range c.Builds {
		assert.Contains(t, head, b.Goos[0]+"/"+b.Goarch[0], "the notices")
	}
}

// releaseSystems is the part of .goreleaser.yaml that names the systems of a release.
type releaseSystems struct {
	Builds []struct{ Goos, Goarch []string }
}
