//go:build !windows

package persona_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// fakeGit makes a directory with a git that records its arguments and environment, and answers by the script.
func fakeGit(t *testing.T, script string) (path, noted string) {
	t.Helper()
	path = t.TempDir()
	noted = filepath.Join(path, "noted")
	text := "#!/bin/sh\n{ echo \"words: $*\"; env; } >> '" + noted + "'\n" + script
	assert.NoError(t, os.WriteFile(filepath.Join(path, "git"), []byte(text), 0o700))
	return path, noted
}

func diffAgainst(t *testing.T, folder, path, revision string) (said string, code int) {
	t.Helper()
	p := cmdtest.AuthorCommand(folder, t.TempDir(), "http://127.0.0.1:1", "persona", "diff", "--against="+revision, ".")
	p.Env = append(append(p.Env, cmdtest.Secrets()...), "PATH="+path, "GIT_DIR=/elsewhere", "GIT_INDEX_FILE=/elsewhere/index")
	out, _ := p.CombinedOutput()
	return string(out), p.ProcessState.ExitCode()
}

// TestGitInheritsNoKeys: git gets no secret, works on the directory's repository, and never asks or fetches.
func TestGitInheritsNoKeys(t *testing.T) {
	t.Parallel()
	path, noted := fakeGit(t, "case \"$*\" in *rev-parse*) echo 0123456789012345678901234567890123456789;; esac\n")
	said, _ := diffAgainst(t, crowd(t, 1), path+":/bin:/usr/bin", "HEAD")
	text := assert.Value(os.ReadFile(noted))(t, said)
	assert.NotContains(t, string(text), cmdtest.Swordfish)
	assert.NotContains(t, string(text), "/elsewhere")
	for _, want := range []string{"words: --no-pager --literal-pathspecs rev-parse --verify --quiet HEAD^{commit}\n",
		"GIT_TERMINAL_PROMPT=0\n", "GIT_ALLOW_PROTOCOL=none\n"} {
		assert.Contains(t, string(text), want)
	}
}

func TestRevisionIsNoOption(t *testing.T) {
	t.Parallel()
	path, noted := fakeGit(t, "")
	for _, revision := range []string{"--output=x", "-h", "", "a\nb", strings.Repeat("a", 1001)} {
		said, code := diffAgainst(t, crowd(t, 1), path+":/bin:/usr/bin", revision)
		assert.True(t, revision == "" || code == 2, "%q: exit code %d: %s", revision, code, said)
	}
	text, err := os.ReadFile(noted)
	assert.True(t, err != nil, "git was started: %s", text)
}

// TestGitThatMisbehaves: diff reports any bad answer of git as an error, and writes nothing outside the directory.
func TestGitThatMisbehaves(t *testing.T) {
	t.Parallel()
	const commit = "echo 0123456789012345678901234567890123456789"
	for name, c := range map[string]struct {
		script, says string
	}{
		"no commit":    {"echo --help\n", "git returned no commit for HEAD"},
		"a refusal":    {"echo 'fatal: detected dubious ownership' >&2; exit 128\n", "git: fatal: detected dubious ownership"},
		"a flood":      {"yes\n", "git wrote more than 1000 bytes"},
		"a wrong tree": {"case \"$*\" in *rev-parse*) " + commit + ";; *ls-tree*) printf '100644 blob x 1\\t../../a.yaml\\0nonsense';; esac\n", "added 1"},
		"a lost blob": {"case \"$*\" in *rev-parse*) " + commit +
			";; *ls-tree*) printf '100644 blob 0123456789012345678901234567890123456789 9\\techo-000.yaml\\0';;" +
			" *) echo 'fatal: bad object' >&2; exit 128;; esac\n", "read echo-000.yaml at HEAD: git: fatal: bad object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, _ := fakeGit(t, c.script)
			said, code := diffAgainst(t, crowd(t, 1), path+":/bin:/usr/bin", "HEAD")
			assert.True(t, code != 0, "exit code %d: %s", code, said)
			assert.Contains(t, said, c.says)
		})
	}
	said, code := diffAgainst(t, crowd(t, 1), t.TempDir(), "HEAD")
	assert.Equal(t, code, 3, "without git: exit code %d: %s", code, said)
	assert.Contains(t, said, "there is no git in PATH", "without git: exit code %d: %s", code, said)
}
