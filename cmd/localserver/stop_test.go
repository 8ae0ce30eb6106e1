//go:build !windows

package localservercmd_test

import (
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestDrainDelay: a server that is told to stop is not ready from then on, and goes on answering for --drain-delay.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	p := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0", "--data", ":memory:", "--drain-delay", "2s")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir())
	s := assert.Value(cmdtest.StartServer(p))(t)
	t.Cleanup(s.Kill)
	ask := func(path string) int {
		answer := assert.Value(http.Get(s.Address + path))(t)
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	got := ask("/readyz")
	assert.Must(t, got == http.StatusOK, "ready: %d", got)
	begun, stopped := time.Now(), make(chan error, 1)
	go func() { stopped <- s.Interrupt() }()
	for ask("/readyz") != http.StatusServiceUnavailable {
		assert.Must(t, time.Since(begun) <= time.Second, "it is ready still")
		time.Sleep(10 * time.Millisecond)
	}
	assert.Equal(t, ask("/api/v1/personas"), http.StatusOK, "a call is answered")
	if err := <-stopped; err != nil || time.Since(begun) < 2*time.Second {
		t.Errorf("it has ended after %s: %v", time.Since(begun), err)
	}
}
