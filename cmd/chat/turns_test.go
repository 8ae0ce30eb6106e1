//go:build !windows

package chat_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func narrator(gate <-chan struct{}) func(llmtest.Request) llmtest.Script {
	return func(r llmtest.Request) llmtest.Script {
		switch {
		case r.IsJudgement():
			return llmtest.Script{Pieces: []string{r.JudgedAs("redirect")}}
		case strings.HasPrefix(r.LastMessage(), "slow"):
			return llmtest.Script{Pieces: []string{"The first words", " and the last."}, WaitAfter: map[int]<-chan struct{}{0: gate}}
		}
		return llmtest.Script{Text: "An echo of " + r.LastMessage() + "."}
	}
}

// serverFixture is a real server process with a narrator that plays its characters, and a persona that
// never ends.
type serverFixture struct {
	*cmdtest.Server
	t       testing.TB
	data    string
	model   *httptest.Server
	persona string
	flags   []string
}

func newServerFixture(t testing.TB, gate <-chan struct{}, flags ...string) *serverFixture {
	t.Helper()
	return newServerFixtureOf(t, cmdtest.EndlessPersona, narrator(gate), flags...)
}

func newServerFixtureOf(t testing.TB, document string, script func(llmtest.Request) llmtest.Script, flags ...string) *serverFixture {
	t.Helper()
	model := httptest.NewServer(llmtest.New(script).ListModels("llama3.2:latest", "llama3.2"))
	t.Cleanup(model.Close)
	s := &serverFixture{t: t, data: t.TempDir(), model: model, flags: flags}
	address := assert.Value(cmdtest.FreeAddress())(t)
	s.open(address)
	doc, _, faults := personas.Parse("persona.yaml", []byte(document))
	assert.Empty(t, faults)
	c := cmdtest.NewClient(t, s.Address, cmdtest.MustOutput(t, "localserver", "token", "--data", s.data, "--user", "author@example.com"))
	saved, _, err := c.SavePersona(t.Context(), "", doc, "")
	if err == nil {
		_, err = c.PublishPersona(t.Context(), saved.ID)
	}
	assert.NoError(t, err)
	s.persona = saved.ID
	return s
}

// open starts the server, at its former address if that is given.
func (s *serverFixture) open(address string) {
	s.t.Helper()
	args := append([]string{"localserver", "--listen", address, "--llm", "ollama/llama3.2"}, s.flags...)
	p := exec.Command(os.Args[0], args...)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "OLLAMA_HOST="+s.model.URL, "PARLEY_DATA_DIR="+s.data, "PARLEY_CONFIG_DIR="+s.data, "HOME="+s.data)
	var err error
	if s.Server, err = cmdtest.StartServer(p); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(s.Kill)
}

// said returns the player's messages that the server has stored.
func (s *serverFixture) said(user string) []string { return s.saidIn(user, "") }

// keeps waits until the server has stored exactly these messages of a player.
func (s *serverFixture) keeps(user string, want ...string) {
	s.t.Helper()
	said := s.said(user)
	for limit := time.Now().Add(cmdtest.Timeout); !slices.Equal(said, want) && time.Now().Before(limit); {
		time.Sleep(20 * time.Millisecond)
		said = s.said(user)
	}
	assert.EqualSlices(s.t, said, want, "the server has kept")
}

type terminalPlayer struct {
	t        *testing.T
	p        *exec.Cmd
	home     string
	terminal *os.File
	screen   vt10x.Terminal
	ended    chan []byte
}

func newTerminalPlayer(t *testing.T, s *serverFixture) *terminalPlayer {
	return newTerminalPlayerIn(t, s, t.TempDir())
}

// newTerminalPlayerIn returns a player with a home directory that remembers sessions.
func newTerminalPlayerIn(t *testing.T, s *serverFixture, home string) *terminalPlayer {
	p := exec.Command(os.Args[0], "chat", "--server", s.Address, "--player-name", "Mara", "--player-gender", "female", s.persona)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+home,
		"PARLEY_DATA_DIR="+home, "PARLEY_CONFIG_DIR="+home, "PARLEY_STATE_DIR="+home)
	at := newTerminalPlayerOf(t, p, 90, 24)
	at.home = home
	return at
}

func newTerminalPlayerOf(t *testing.T, p *exec.Cmd, cols, rows int) *terminalPlayer {
	terminal := assert.Value(pty.StartWithSize(p, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)}))(t)
	at := &terminalPlayer{t: t, p: p, terminal: terminal, screen: vt10x.New(vt10x.WithSize(cols, rows)), ended: make(chan []byte, 1)}
	go cmdtest.FollowScreen(terminal, at.screen, at.ended)
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = terminal.Close()
	})
	return at
}

// types types keys and waits for the resulting texts.
func (s *terminalPlayer) types(keys string, shows ...string) {
	s.t.Helper()
	if _, err := io.WriteString(s.terminal, keys); err != nil {
		s.t.Fatal(err)
	}
	for _, text := range shows {
		cmdtest.WaitForText(s.t, s.screen, text)
	}
}

func (s *terminalPlayer) resize(cols, rows uint16) {
	s.t.Helper()
	s.screen.Resize(int(cols), int(rows))
	assert.NoError(s.t, pty.Setsize(s.terminal, &pty.Winsize{Rows: rows, Cols: cols}))
}

func (s *terminalPlayer) leaves(code int) {
	s.t.Helper()
	last := <-s.ended
	_ = s.p.Wait()
	if got := s.p.ProcessState.ExitCode(); got != code {
		s.t.Errorf("the chat ends with %d, not %d: %q", got, code, last[max(len(last)-300, 0):])
	}
	for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?2004l"} {
		if !bytes.Contains(last, []byte(seq)) {
			s.t.Errorf("the terminal is not given back, %q is missing: %q", seq, last[max(len(last)-200, 0):])
		}
	}
}

// user is the user_session_id that the chat has made.
func (s *terminalPlayer) user(stage *serverFixture) string {
	s.t.Helper()
	known, ok, err := settings.OpenSessions(s.home).Recall(stage.Address, stage.persona)
	if err != nil || !ok {
		s.t.Fatalf("no session is remembered: %v", err)
	}
	return known.UserSessionID
}

// TestTurnsOnTheRealScreen: words stream while keys work, Esc cancels, and a killed server is found again.
func TestTurnsOnTheRealScreen(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	stage := newServerFixture(t, gate)
	at := newTerminalPlayer(t, stage)
	cmdtest.WaitForText(t, at.screen, "Say something")

	at.types("slow one\r", "The first words", "Echo is speaking")
	at.types("typed meanwhile", "› typed meanwhile")
	for _, size := range [][2]uint16{{44, 13}, {150, 50}, {90, 24}} {
		at.resize(size[0], size[1])
		at.types("!", "!", "The first words")
	}
	at.types("\x1b", "the turn did not count", "broken off and not saved", "› slow one", "typed meanwhile!!!")
	assert.Empty(t, stage.said(at.user(stage)), "the server has kept")

	at.types("\x15\x7f\x15hello\r", "An echo of hello.")
	at.types("slow two\r", "The first words")
	address := strings.TrimPrefix(stage.Address, "http://")
	stage.Kill()
	at.types("", "broken off and not saved", "not sent yet, again in", "waits: slow two")
	close(gate)
	stage.open(address)
	at.types("", "The first words and the last.")
	at.types("goodbye\r", "An echo of goodbye.")
	stage.keeps(at.user(stage), "hello", "slow two", "goodbye")
	at.types("\x03", "Ctrl+C once more leaves.")
	at.types("\x03")
	at.leaves(0)
}

// TestServiceWithoutStreams: a service without streams is asked for the whole reply, in the same turn.
func TestServiceWithoutStreams(t *testing.T) {
	t.Parallel()
	stage := newServerFixture(t, nil)
	target := assert.Value(url.Parse(stage.Address))(t)
	through := cmdtest.NewProxyTo(target)
	var refused atomic.Int32
	poor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stream") {
			refused.Add(1)
			http.NotFound(w, r)
			return
		}
		r.Host = target.Host
		through.ServeHTTP(w, r)
	}))
	defer poor.Close()
	behind := *stage
	behind.Server = &cmdtest.Server{Address: poor.URL}
	at := newTerminalPlayer(t, &behind)
	cmdtest.WaitForText(t, at.screen, "Say something")
	at.types("one\r", "An echo of one.")
	at.types("two\r", "An echo of two.")
	stage.keeps(at.user(&behind), "one", "two")
	assert.True(t, refused.Load() != 0, "nothing was refused")
	at.types("\x04")
	at.leaves(0)
}

// saidIn returns the player's messages that the server has stored for a machine.
func (s *serverFixture) saidIn(user, machine string) []string {
	s.t.Helper()
	h := assert.Value(cmdtest.NewClient(s.t, s.Address, "").History(s.t.Context(), s.persona, user, machine))(s.t)
	var said []string
	for _, m := range h.Messages {
		if m.Role == wire.RoleUser {
			said = append(said, m.Content)
		}
	}
	return said
}
