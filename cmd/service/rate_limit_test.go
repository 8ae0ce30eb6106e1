//go:build !windows

package service_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// crowded is a server with no requests left. Its clock stops until the next request passes after wait.
func crowded(t *testing.T, wait time.Duration) *localserver.Server {
	t.Helper()
	start := time.Now()
	var running atomic.Pointer[time.Time]
	server, err := localserver.Start(t.Context(), localserver.Options{
		Listen: "127.0.0.1:0", Data: datafolder.Memory, RateLimit: true,
		Now: func() time.Time {
			if since := running.Load(); since != nil {
				return start.Add(time.Minute - wait + time.Since(*since))
			}
			return start
		},
	})
	assert.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	for left := ""; left != "0"; {
		answer, err := http.Get(server.URL() + wire.PathPersonas)
		assert.Must(t, err == nil && answer.StatusCode == http.StatusOK, "%v, %v", answer, err)
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		left = answer.Header.Get("RateLimit-Remaining")
		assert.Must(t, left != "", "nothing is counted")
	}
	running.Store(new(time.Now()))
	return server
}

// TestClientWaitsForTheLimit: a patient client waits once, an impatient one learns how long to wait.
func TestClientWaitsForTheLimit(t *testing.T) {
	t.Parallel()
	server := crowded(t, 1500*time.Millisecond)
	_, err := cmdtest.NewClient(t, server.URL(), "").Personas(t.Context(), client.PersonaList{})
	refusal, ok := errors.AsType[*wire.Error](err)
	assert.Must(t, ok, "error %v", err)
	assert.Equal(t, refusal.Status, http.StatusTooManyRequests)
	assert.True(t, refusal.RetryAfter >= time.Second && refusal.RetryAfter <= 2*time.Second, "after %v", refusal.RetryAfter)
	var waits []time.Duration
	patient, err := client.New(client.Options{BaseURL: server.URL(), Version: "test", OnRetry: func(r client.Retry) { waits = append(waits, r.Wait) }})
	assert.NoError(t, err)
	_, err = patient.Personas(t.Context(), client.PersonaList{})
	assert.NoError(t, err)
	assert.Must(t, len(waits) == 1, "waits of %v", waits)
	assert.True(t, waits[0] <= 2*time.Second, "a wait of %v", waits[0])
}

func TestCommandShowsTheWait(t *testing.T) {
	t.Parallel()
	server := crowded(t, 800*time.Millisecond)
	p := exec.Command(os.Args[0], "persona", "list", "--server", server.URL())
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=dumb", "HOME="+t.TempDir())
	shown := cmdtest.RunOnTerminal(t, p, 24, 80)
	assert.Equal(t, p.ProcessState.ExitCode(), 0, "exit code")
	assert.Contains(t, shown, "the rate limit is reached; trying again in 1s")
}
