package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
)

// turns lets a server continue after its output was printed.
type turns struct {
	strings.Builder
	next chan struct{}
}

func (w *turns) Write(p []byte) (int, error) {
	n, err := w.Builder.Write(p)
	select {
	case w.next <- struct{}{}:
	default:
	}
	return n, err
}

// TestStreamOfACall: events are printed as they come, and a terminal gets control characters as text.
func TestStreamOfACall(t *testing.T) {
	t.Parallel()
	const text = "data: a\x1b[2J\n\ndata: é\n\nlast"
	pieces := []string{"data: a\x1b", "[2J\n\ndata: \xc3", "\xa9\n\nlast"}
	for _, x := range []struct {
		args     string
		terminal bool
		want     string
	}{
		{"", false, text},
		{"", true, "data: a␛[2J\n\ndata: é\n\nlast"},
		{"--silent", false, ""},
		{"-i", false, "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n"},
	} {
		out := &turns{next: make(chan struct{}, 1)}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, piece := range pieces {
				_, _ = io.WriteString(w, piece)
				_ = http.NewResponseController(w).Flush()
				if x.args == "--silent" {
					continue
				}
				select {
				case <-out.next:
				case <-r.Context().Done():
					return
				}
			}
		}))
		a, _, _ := cmdtest.NewAccess(t, map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_TIMEOUT": "20s"})
		a.Out = &cli.CheckedWriter{Writer: out}
		a.TTY.Out = x.terminal
		code := cmdtest.Run(t.Context(), a, append([]string{"api", "events"}, strings.Fields(x.args)...), newAPICmd(a))
		s.Close()
		if got := out.String(); code != cli.ExitDone || got != x.want && (x.args != "-i" || !strings.HasPrefix(got, x.want) || !strings.HasSuffix(got, text)) {
			t.Errorf("%q: exit code %d, %q", x.args, code, got)
		}
	}
}
