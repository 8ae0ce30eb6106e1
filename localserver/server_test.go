package localserver

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func inFolder(dir string) func(*Options) { return func(o *Options) { o.Data = dir } }

func TestStartRefuses(t *testing.T) {
	taken := begin(t)
	file := filepath.Join(t.TempDir(), "file")
	assert.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"every interface", Options{Listen: "0.0.0.0:0", Data: datafolder.Memory}, "open to other machines"},
		{"every IPv6 interface", Options{Listen: "[::]:0", Data: datafolder.Memory}, "open to other machines"},
		{"no host", Options{Listen: ":0", Data: datafolder.Memory}, "open to other machines"},
		{"another address", Options{Listen: "192.0.2.1:0", Data: datafolder.Memory}, "open to other machines"},
		{"no port", Options{Listen: "127.0.0.1", Data: datafolder.Memory}, "missing port"},
		{"no address", Options{Data: datafolder.Memory}, "address"},
		{"a port in use", Options{Listen: taken.Addr(), Data: datafolder.Memory}, "in use"},
		{"no folder", Options{Listen: "127.0.0.1:0"}, "data folder"},
		{"a file", Options{Listen: "127.0.0.1:0", Data: file}, "data folder"},
		{"chat auth", Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, ChatAuth: "maybe"}, `"maybe"`},
		{"an origin", Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, CORSOrigins: []string{"*"}}, "such as"},
		{"durability", Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Durability: "maybe"}, `"maybe"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, err := Start(t.Context(), c.o)
			if err == nil {
				_ = server.Close()
			}
			assert.ErrorContains(t, err, c.want, c.name)
		})
	}
	assert.Value(net.Dial("tcp", taken.Addr()))(t, "the server that was there")
}

func TestStartLeavesNothingBehindWhenItFails(t *testing.T) {
	dir := t.TempDir()
	assert.NoError(t, os.WriteFile(datafolder.DatabaseFile(dir), []byte("this is no database, it is longer than a header"), 0o600))
	if _, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: dir}); err == nil {
		t.Fatal("started on a file that is no database")
	}
	if _, err := ReadSignIn(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("sign-in file: %v", err)
	}
	unlock := assert.Value(datafolder.LockFolder(dir))(t, "still locked")
	_ = unlock()
}

func TestOneServerPerFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	begin(t, inFolder(dir))
	for _, lock := range []string{"held", "deleted"} {
		_, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: dir})
		assert.True(t, errors.Is(err, datafolder.ErrBusy) && strings.Contains(err.Error(), dir),
			"while the lock file is %s: %v", lock, err)
		_ = os.Remove(filepath.Join(dir, "server.lock")) // Windows refuses it.
	}
	in, err := ReadSignIn(dir)
	assert.True(t, err == nil && in.Token != "", "the first server's sign-in file: %v", err)
}

// TestOneServerPerFile: a database that another server uses is refused under every name: a hard
// link, a symbolic link to it, and a symbolic link in one data folder to the file in another.
func TestOneServerPerFile(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	used := datafolder.DatabaseFile(dir)
	begin(t, inFolder(dir), func(o *Options) { o.Database.Address = "sqlite:" + used }) // SQLite even with -postgres
	hard, soft, inFolder := filepath.Join(other, "h.db"), filepath.Join(other, "s.db"), datafolder.DatabaseFile(filepath.Join(other, "data"))
	assert.NoError(t, os.Mkdir(filepath.Dir(inFolder), 0o700))
	check := func(name string, o Options, want error, link error) {
		t.Helper()
		if link != nil {
			t.Logf("no links here: %v", link)
			return
		}
		o.Listen = "127.0.0.1:0"
		server, err := Start(t.Context(), o)
		if err == nil {
			_ = server.Close()
		}
		assert.ErrorIs(t, err, want, name)
	}
	check("a symbolic link", Options{Data: datafolder.Memory, Database: Database{Address: "sqlite:" + soft}}, datafolder.ErrBusy, os.Symlink(used, soft))
	check("a data folder with one", Options{Data: filepath.Dir(inFolder)}, datafolder.ErrBusy, os.Symlink(used, inFolder))
	check("a hard link", Options{Data: datafolder.Memory, Database: Database{Address: "sqlite:" + hard}}, store.ErrLinked, os.Link(used, hard))
	check("a symbolic link to that", Options{Data: filepath.Dir(inFolder)}, store.ErrLinked, errors.Join(os.Remove(inFolder), os.Symlink(hard, inFolder)))
}

func TestEverythingOutlivesTheServer(t *testing.T) {
	dir := t.TempDir()
	first := begin(t, inFolder(dir))
	id := playFirstMachine(first)
	token := first.token(alice)
	before := first.send("", "GET", wire.Path(wire.PathProgress, id)+"?user_session_id=ann", "").body
	assert.NoError(t, first.Close())
	if info, err := os.Stat(datafolder.DatabaseFile(dir) + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("the log has %d bytes left", info.Size())
	}
	second := begin(t, inFolder(dir))
	after := second.send("", "GET", wire.Path(wire.PathProgress, id)+"?user_session_id=ann", "").body
	assert.Equal(t, string(after), string(before), "progress")
	second.tokens[alice] = token
	second.send(alice, "GET", wire.PathMe, "").want(200)
}

func TestSignInFile(t *testing.T) {
	dir := t.TempDir()
	h := begin(t, inFolder(dir))
	in := assert.Value(ReadSignIn(dir))(t)
	assert.True(t, in.Address == h.URL() && in.User == h.User() && in.Token == h.Token() && time.Until(in.ExpiresAt) >= 24*time.Hour,
		"sign-in %+v", in)
	h.tokens[in.User] = in.Token
	checkJSON(t, h.send(in.User, "GET", wire.PathMe, "").want(200), jsonOf(t, map[string]any{"email": in.User}))
	assert.NoError(t, h.Close())
	_, err := ReadSignIn(dir)
	assert.ErrorIs(t, err, fs.ErrNotExist, "after the stop")
}

func TestDevTokenWithoutAServer(t *testing.T) {
	dir := t.TempDir()
	token := assert.Value(DevToken(dir, alice, time.Hour))(t)
	h := begin(t, inFolder(dir))
	h.tokens[alice] = token
	h.send(alice, "GET", wire.PathMe, "").want(200)
}

func TestMemoryKeepsNothing(t *testing.T) {
	skipOnPostgres(t)
	h := begin(t)
	dir := h.Dir()
	_, err := os.Stat(datafolder.DatabaseFile(dir))
	assert.NoError(t, err)
	assert.NoError(t, h.Close())
	_, err = os.Stat(dir)
	assert.ErrorIs(t, err, fs.ErrNotExist, "the folder is still there")
}

// thinking returns a server with a model that waits for "think" messages until it is released or
// the request ends.
func thinking(t *testing.T) (h *harness, send func() (*http.Response, error), entered, release chan struct{}) {
	entered, release = make(chan struct{}), make(chan struct{})
	h = begin(t, withFirstStep(func(ctx context.Context, text string) error {
		if text != "think" {
			return nil
		}
		close(entered)
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}))
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	send = func() (*http.Response, error) {
		return h.client.Post(h.URL()+wire.Path(wire.PathMessage, id), api.ContentJSON, strings.NewReader(messageJSON("ann", "think")))
	}
	return h, send, entered, release
}

func TestShutdownFinishesWhatItAnswers(t *testing.T) {
	h, send, entered, release := thinking(t)
	status := make(chan int, 1)
	go func() {
		response, err := send()
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		defer response.Body.Close()
		status <- response.StatusCode
	}()
	<-entered
	stopped := make(chan error, 1)
	go func() { stopped <- h.Shutdown(context.Background()) }()
	<-h.Done()
	if connection, err := net.Dial("tcp", h.Addr()); err == nil {
		_ = connection.Close()
		t.Error("it still takes connections")
	}
	select {
	case err := <-stopped:
		t.Errorf("it stopped before the answer was given: %v", err)
	default:
	}
	close(release)
	assert.Equal(t, <-status, 200)
	assert.NoError(t, errors.Join(<-stopped, h.Err()))
}

// TestShutdownBreaksOffStreams: callers of an aborted stream get an event.
func TestShutdownBreaksOffStreams(t *testing.T) {
	h, _, entered, _ := thinking(t)
	h.client = &http.Client{Transport: &http.Transport{}} // The document does not describe a stream that begins with an error.
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	answered := make(chan replied, 1)
	go func() {
		answered <- h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "think"))
	}()
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 2*headDelay)
	defer cancel()
	assert.ErrorIs(t, h.Shutdown(ctx), context.DeadlineExceeded)
	h.broken = true
	if answer := <-answered; answer.status != 200 || !strings.Contains(string(answer.body), "event: error") || !strings.Contains(string(answer.body), "aborted") {
		t.Errorf("%d %s", answer.status, answer.body)
	}
}

// TestShutdownBreaksOffWhatTakesTooLong: a call that takes too long is aborted, and its caller gets
// an error.
func TestShutdownBreaksOffWhatTakesTooLong(t *testing.T) {
	h, send, entered, _ := thinking(t)
	ended := make(chan *http.Response, 1)
	go func() {
		response, err := send()
		assert.True(t, err == nil, err)
		ended <- response
	}()
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	first, second := h.Shutdown(ctx), h.Shutdown(t.Context())
	assert.ErrorIs(t, first, context.DeadlineExceeded)
	assert.ErrorIs(t, second, first)
	h.broken = true
	response := <-ended
	if response == nil {
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	assert.True(t, response.StatusCode == 503 && err == nil && strings.Contains(string(body), "aborted"),
		"%d %q, %v", response.StatusCode, body, err)
	_, err = os.Stat(h.Dir())
	assert.ErrorIs(t, err, fs.ErrNotExist, "the folder is still there")
}
