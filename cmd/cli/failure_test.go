package cli

import (
	"bytes"
	"errors"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestFailuresHideUserInfo: an error that repeats an address does not repeat who signs in there.
func TestFailuresHideUserInfo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`--public-url "https://ann:hush@a.example/x": no`:   `--public-url "https://a.example/x": no`,
		"ask http://ann@b: nothing answers":                 "ask http://b: nothing answers",
		"mail ann@b.example about http://a.example/@ann:no": "mail ann@b.example about http://a.example/@ann:no",
	} {
		var said bytes.Buffer
		s, _ := onlyOut(false)
		s.Err = &said
		s.Style = s.NewStyle()
		s.ReportFailure(nil, &Failure{Code: ExitNo, Err: errors.New(text), Hint: text})
		got := said.String()
		assert.Equal(t, got, "parley: "+want+"\n  "+want+"\n", "%q: %q", text, got)
		assert.NotContains(t, got, "hush")
	}
}
