//go:build !windows

package check_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestLintWatch: the watch checks at once, and again when a file or the project's settings change.
func TestLintWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a.yaml", faultyPersona)
	p := exec.Command(os.Args[0], "persona", "lint", "--watch", "--format", "oneline")
	p.Dir = dir
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1")
	talk, err := p.StderrPipe()
	assert.NoError(t, err)
	assert.NoError(t, p.Start())
	defer func() { _ = p.Process.Kill() }()
	lines := readLines(talk)
	waitForLine(t, lines, "1 file: 4 errors, 2 warnings, 1 info")
	put(t, dir, ".parley.yaml", "lint: {ignore: [{check: unknown-member}]}\n")
	waitForLine(t, lines, "2 ignored")
	put(t, dir, "b.yaml", "name: 1\npersona_identity_prompt: x\n")
	waitForLine(t, lines, "2 files: ")
	put(t, dir, ".parley.yaml", "lint: [\n")
	waitForLine(t, lines, "settings file")
	assert.NoError(t, p.Process.Signal(os.Interrupt))
	for range lines {
	}
	err = p.Wait()
	assert.Equal(t, p.ProcessState.ExitCode(), 130, "interrupted: %v", err)
}

// TestLintWatchesPortraits: a picture beside the file that is changed, goes or comes is seen.
func TestLintWatchesPortraits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a.yaml", faultyPersona+"portrait: face.png\n")
	p := exec.Command(os.Args[0], "persona", "lint", "--watch", "--format", "oneline")
	p.Dir = dir
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1")
	talk := assert.Value(p.StderrPipe())(t)
	assert.NoError(t, p.Start())
	defer func() { _ = p.Process.Kill() }()
	lines := readLines(talk)
	waitForLine(t, lines, "1 file: 5 errors, 2 warnings, 1 info")
	var face bytes.Buffer
	assert.NoError(t, png.Encode(&face, image.NewGray(image.Rect(0, 0, 8, 8))))
	put(t, dir, "face.png", face.String())
	waitForLine(t, lines, "1 file: 4 errors, 2 warnings, 1 info")
	put(t, dir, "face.png", face.String()[:face.Len()/2])
	waitForLine(t, lines, "1 file: 5 errors, 2 warnings, 1 info")
	assert.NoError(t, p.Process.Kill())
	for range lines {
	}
	_ = p.Wait()
}

func TestLintColours(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a.yaml", faultyPersona)
	coloured := func(env ...string) string {
		p := exec.Command(os.Args[0], "persona", "lint", "a.yaml")
		p.Dir = dir
		p.Env = append(append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "NO_COLOR="), env...)
		return cmdtest.RunOnTerminal(t, p, 24, 80)
	}
	plain := string(lintIn(t, dir, "a.yaml"))
	shown := coloured()
	assert.Contains(t, shown, "\x1b[1;31merror\x1b[0m: ")
	assert.Contains(t, shown, "\x1b[33mwarning\x1b[0m: ")
	words := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(shown, "")
	assert.True(t, strings.HasPrefix(words, plain), "the words differ:\n%s\n%s", words, plain)
	assert.NotContains(t, coloured("NO_COLOR=1"), "\x1b", "NO_COLOR is not heeded")
}
