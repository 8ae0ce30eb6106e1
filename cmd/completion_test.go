package cmd_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
)

// TestCompletionOfSilentService: a service that never answers yields no names with any settings.
func TestCompletionOfSilentService(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer s.Close()
	defer close(over)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p := exec.CommandContext(ctx, os.Args[0], "__complete", "persona", "show", "")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir(), "PARLEY_SERVER="+s.URL, "PARLEY_TIMEOUT=1h")
	if out, err := p.Output(); err != nil || string(out) != ":4\n" {
		t.Errorf("%q, %v", out, err)
	}
}
