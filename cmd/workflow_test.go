//go:build !windows

package cmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// obeyed matches what a runner obeys in a step's output: :: at the start of a line, for any line
// end that it accepts, and ##[ with or without a word before the bracket.
var obeyed = regexp.MustCompile(`(?:\A|[\n\r\v\f\x{85}\x{2028}\x{2029}])[\s\p{Z}\p{Cf}]*:[\p{Cf}]*:|##[\p{Cf}]*[A-Za-z]*\[`)

func runForRunner(t *testing.T, folder, address string, args ...string) {
	t.Helper()
	p := cmdtest.BareCommand(folder, []string{
		"HOME=" + folder, "PARLEY_SERVER=" + address, "PARLEY_TOKEN=secret", "PARLEY_API_KEY=pk_live_none", "PARLEY_TIMEOUT=2s", "DBUS_SESSION_BUS_ADDRESS=none",
	}, args...)
	said, _ := p.CombinedOutput() // Most of these commands fail.
	assert.True(t, !obeyed.Match(said), "parley %q says what a runner obeys:\n%s", args, said)
}

// TestFileNamesInWorkflowLogs: for any file name, no line of output is a command for a GitHub runner.
func TestFileNamesInWorkflowLogs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"::error::x.yaml", " ::error::x.yaml", "a\n::error::x.yaml", "a\r::error::x.yaml",
		"##[error]x.yaml", "a##[error]x.yaml", "\u00a0::error::x.yaml"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			assert.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("{name: 1: 2\n"), 0o600))
			sound := strings.Replace(name, "x.yaml", "y.yaml", 1)
			assert.NoError(t, os.WriteFile(filepath.Join(folder, sound), []byte("name:   N\n\n\nx-y: 1\n"), 0o600))
			for _, command := range []string{
				"persona lint", "persona lint --format oneline", "persona lint --fix --dry-run", "persona fmt",
				"persona fmt --check", "persona fmt --diff", "persona test", "persona prove", "persona graph",
				"persona simulate", "persona save", "persona publish", "persona diff", "persona polish", "persona delete --yes",
				"persona pull", "chat --plain --local", "api --input", "localserver restore", "persona new --name N",
			} {
				words := strings.Fields(command)
				runForRunner(t, folder, "http://127.0.0.1:1", append(words, name)...)
				runForRunner(t, folder, "http://127.0.0.1:1", append(words, sound, name+".none")...)
			}
		})
	}
}

// TestServerErrorsInWorkflowLogs: for any answer of a server, no line of the error message is a command for a runner.
func TestServerErrorsInWorkflowLogs(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"an error":  `{"error": {"code": "refused", "message": "no\n::error::x\r::set-output name=a::b ##[error]x"}}`,
		"a text":    "::error::x\n::add-mask::y\n##[error]x",
		"an object": `{"error": "::error::x\n  ::error::y"}`,
	} {
		for _, status := range []int{400, 500} {
			t.Run(fmt.Sprint(name, " with ", status), func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.WriteHeader(status)
					_, _ = w.Write([]byte(body))
				}))
				defer server.Close()
				folder := t.TempDir()
				for _, line := range []string{"persona list", "persona show p", "say p hello", "session list p", "progress show p",
					"key list", "api /api/v1/personas", "doctor", "auth login --device", "auth status", "persona delete --yes p"} {
					runForRunner(t, folder, server.URL, strings.Fields(line)...)
				}
			})
		}
	}
}

// FuzzBreakCommands: no command is left, and removing the added spaces restores the text.
func FuzzBreakCommands(f *testing.F) {
	for _, text := range []string{"", "::a", " \t::", "a::b", "a\n::b", "###[x", "##[", ":", ":::::", "\u2003::x",
		"#\n#[", "::\r::", "##vso[a", "a\u2028::b", ":\u200b:", "##\u200b[", "\ufeff::a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := cli.BreakCommands(text)
		assert.True(t, !obeyed.MatchString(got), "%q became %q", text, got)
		assert.Equal(t, strings.ReplaceAll(got, " ", ""), strings.ReplaceAll(text, " ", ""), "%q became %q", text, got)
	})
}
