package localserver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func inFolder(dir string) func(*Options) { return func(o *Options) { o.Data = dir } }

func failStart(t *testing.T, o Options) error {
	t.Helper()
	server, err := Start(t.Context(), o)
	if err == nil {
		_ = server.Close()
	}
	assert.Must(t, err != nil, "it starts: %+v", o)
	return err
}

func TestStartRefuses(t *testing.T) {
	taken := begin(t)
	file := filepath.Join(t.TempDir(), "file")
	assert.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"every interface", Options{Listen: "0.0.0.0:0"}, "open to other machines"},
		{"every IPv6 interface", Options{Listen: "[::]:0"}, "open to other machines"},
		{"no host", Options{Listen: ":0"}, "open to other machines"},
		{"another address", Options{Listen: "192.0.2.1:0"}, "open to other machines"},
		{"no port", Options{Listen: "127.0.0.1"}, "missing port"},
		{"a login", Options{Listen: "ann:hu/sh@h"}, `address "h": must be`},
		{"a login for metrics", Options{MetricsListen: "ann:hu/sh@h"}, `address "h": must be`},
		{"a login at an issuer", Options{Tokens: TokenSource{Issuer: "http://ann:hush#@h", Audience: "p"}}, `provider "http://h": must be`},
		{"a port in use", Options{Listen: taken.Addr()}, "in use"},
		{"a file", Options{Data: file}, "data folder"},
		{"an origin", Options{CORSOrigins: []string{"*"}}, "such as"},
		{"an origin of another scheme", Options{CORSOrigins: []string{"ftp://game.example"}}, "such as"},
		{"a public URL's port", Options{PublicURL: "http://localhost:99999"}, ""},
		{"port 0", Options{PublicURL: "http://localhost:0"}, ""},
		{"an empty host", Options{Hosts: []string{""}}, ""},
		{"a host with a scheme", Options{Hosts: []string{"http://localhost"}}, ""},
		{"a host with a space", Options{Hosts: []string{"local host"}}, ""},
		{"a wildcard", Options{Hosts: []string{"*"}}, ""},
		{"another machine's name", Options{Hosts: []string{"npc.example.com"}}, ""},
		{"a play URL's port", Options{PlayURL: "http://localhost:99999/play"}, ""},
		{"a play URL that is none", Options{PlayURL: "play"}, ""},
		{"an address of metrics in use", Options{MetricsListen: taken.Addr()}, "metrics: "},
		{"no audience", Options{Tokens: TokenSource{Issuer: "https://a.example"}}, "audience"},
		{"issuer and secret", Options{Tokens: TokenSource{Issuer: "https://a.example", Audience: "p", JWTSecretFile: "f"}}, "mutually exclusive"},
		{"an audience without issuer", Options{Tokens: TokenSource{Audience: "p"}}, "needs --issuer"},
		{"a client without issuer", Options{Tokens: TokenSource{JWTSecretFile: "f", ClientID: "c"}}, "needs --issuer"},
		{"no file of a secret", Options{Tokens: TokenSource{JWTSecretFile: filepath.Join(t.TempDir(), "none")}}, "no such file"},
		{"an issuer without TLS", Options{Tokens: TokenSource{Issuer: "http://a.example", Audience: "p"}}, "https"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Listen, c.o.Data = cmp.Or(c.o.Listen, "127.0.0.1:0"), cmp.Or(c.o.Data, datafolder.Memory)
			assert.ErrorContains(t, failStart(t, c.o), c.want)
		})
	}
	assert.ErrorContains(t, failStart(t, Options{Data: datafolder.Memory}), "address")
	assert.ErrorContains(t, failStart(t, Options{Listen: "127.0.0.1:0"}), "data folder")
	assert.Value(net.Dial("tcp", taken.Addr()))(t, "the server that was there")
}

func TestStartLeavesNothingBehindWhenItFails(t *testing.T) {
	dir := t.TempDir()
	assert.NoError(t, os.WriteFile(datafolder.DatabaseFile(dir), []byte("this is no database, it is longer than a header"), 0o600))
	if _, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: dir}); err == nil {
		t.Fatal("started on a file that is no database")
	}
	if _, err := identity.ReadSignIn(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("sign-in file: %v", err)
	}
	unlock := assert.Value(datafolder.LockFolder(dir))(t, "still locked")
	_ = unlock()
}

func TestOneServerPerFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	begin(t, inFolder(dir))
	for range 2 { // The second time, the lock file is deleted.
		_, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: dir})
		assert.ErrorIs(t, err, datafolder.ErrBusy)
		assert.ErrorContains(t, err, dir)
		_ = os.Remove(filepath.Join(dir, "server.lock")) // Windows refuses it.
	}
	in, err := identity.ReadSignIn(dir)
	assert.True(t, err == nil && in.Token != "", "the first server's sign-in file: %v", err)
}

// TestOneServerPerFile: a database that another server uses is refused under every name.
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
	info, err := os.Stat(datafolder.DatabaseFile(dir) + "-wal")
	assert.True(t, err != nil || info.Size() == 0, "the log is not empty")
	second := begin(t, inFolder(dir))
	after := second.send("", "GET", wire.Path(wire.PathProgress, id)+"?user_session_id=ann", "").body
	assert.Equal(t, string(after), string(before), "progress")
	second.tokens[alice] = token
	second.send(alice, "GET", wire.PathMe, "").want(200)
}

func TestSignInFile(t *testing.T) {
	dir := t.TempDir()
	h := begin(t, inFolder(dir))
	in := assert.Value(identity.ReadSignIn(dir))(t)
	assert.Equal(t, in.Address, h.URL())
	assert.Equal(t, in.User, h.User())
	assert.Equal(t, in.Token, h.Token())
	assert.True(t, time.Until(in.ExpiresAt) >= 24*time.Hour, "sign-in %+v", in)
	h.tokens[in.User] = in.Token
	checkJSON(t, h.send(in.User, "GET", wire.PathMe, "").want(200), jsonOf(t, map[string]any{"email": in.User}))
	assert.NoError(t, h.Close())
	_, err := identity.ReadSignIn(dir)
	assert.ErrorIs(t, err, fs.ErrNotExist, "after the stop")
}

func TestDevTokenWithoutAServer(t *testing.T) {
	dir := t.TempDir()
	token := devToken(t, dir, alice)
	h := begin(t, inFolder(dir))
	h.tokens[alice] = token
	h.send(alice, "GET", wire.PathMe, "").want(200)
}

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
	id := h.openGate()
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
	id := h.openGate()
	answered := make(chan replied, 1)
	go func() {
		answered <- h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "think"))
	}()
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 2*headDelay)
	defer cancel()
	assert.ErrorIs(t, h.Shutdown(ctx), context.DeadlineExceeded)
	h.broken = true
	answer := <-answered
	assert.Equal(t, answer.status, 200)
	assert.Contains(t, string(answer.body), "event: error")
	assert.Contains(t, string(answer.body), "aborted")
}

// TestShutdownBreaksOffWhatTakesTooLong: a slow call is aborted, and its caller gets an error.
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
	assert.Equal(t, response.StatusCode, 503)
	assert.NoError(t, err)
	assert.Contains(t, string(body), "aborted")
	_, err = os.Stat(h.Dir())
	assert.ErrorIs(t, err, fs.ErrNotExist, "the folder is still there")
}

// TestDurability: only the data of a temporary folder is volatile.
func TestDurability(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want store.Durability
	}{
		{Options{Data: "folder"}, store.Full},
		{Options{Data: "folder", Durability: store.Normal}, store.Normal},
		{Options{Data: datafolder.Memory, Durability: store.Normal}, store.Volatile},
		{Options{Data: datafolder.Memory, Database: Database{Address: "sqlite:kept.db"}}, store.Full},
	} {
		t.Run(caseName(c.o.Durability, c.o.Data+c.o.Database.Address), func(t *testing.T) {
			o := assert.Value(c.o.withDefaults())(t)
			assert.Equal(t, o.Durability, c.want)
		})
	}
}

type cracked struct{ net.Listener }

func (cracked) Accept() (net.Conn, error) { panic("outside of a request") }
func (cracked) Close() error              { return nil }

// TestPanicOutsideOfRequestsEndsTheServer with the reason; the program continues.
func TestPanicOutsideOfRequestsEndsTheServer(t *testing.T) {
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	s := &Server{done: make(chan struct{}), models: &models.Set{}}
	s.serveRequests(t.Context(), &trackedListener{Listener: cracked{}}, http.NotFoundHandler(), log)
	select {
	case <-s.Done():
	case <-time.After(patience):
		t.Fatal("the server goes on")
	}
	assert.ErrorContains(t, s.Err(), "the server failed: outside of a request")
	assert.Contains(t, logged.String(), "server_test.go", "the log has no stack")
}

func TestWithoutPanicLeavesErrorsAlone(t *testing.T) {
	want := errors.New("as it was")
	assert.ErrorIs(t, withoutPanic(slog.New(slog.DiscardHandler), func() error { return want }), want)
}

func TestKeepSessions(t *testing.T) {
	dir := t.TempDir()
	first := begin(t, func(o *Options) { o.Data = dir })
	id := first.publishPersona()
	first.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	database := first.database
	first.end()
	history := wire.Path(wire.PathHistory, id) + "?user_session_id=ann"
	for _, c := range [][2]int{{4, 200}, {2, 404}} {
		days, status := c[0], c[1]
		h := begin(t, func(o *Options) {
			o.Data, o.Database.Address, o.KeepSessions = dir, database, time.Duration(days)*24*time.Hour
			o.Now = func() time.Time { return time.Now().Add(3 * 24 * time.Hour) }
		})
		for limit := time.Now().Add(10 * time.Second); h.send("", "GET", history, "").status != status; {
			if time.Sleep(10 * time.Millisecond); time.Now().After(limit) {
				t.Fatalf("kept for %d days: not %d", days, status)
			}
		}
		h.end()
	}
}

type hangingRelay struct {
	net.Listener
	to     string
	moving sync.RWMutex // held while it hangs
	ended  sync.WaitGroup
}

func newHangingRelay(t *testing.T, address string) (r *hangingRelay, through string) {
	t.Helper()
	listener := assert.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	before, rest, _ := strings.Cut(address, "host=")
	folder, rest, _ := strings.Cut(rest, "&")
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	r = &hangingRelay{Listener: listener, to: folder + "/.s.PGSQL.5432"}
	r.ended.Go(r.acceptAll)
	return r, before + "host=127.0.0.1&port=" + port + "&" + rest
}

func (r *hangingRelay) acceptAll() {
	for {
		caller, err := r.Accept()
		if err != nil {
			return
		}
		database, err := net.Dial("unix", r.to)
		if err != nil {
			_ = caller.Close()
			continue
		}
		r.ended.Go(func() { r.move(caller, database) })
		r.ended.Go(func() { r.move(database, caller) })
	}
}

func (r *hangingRelay) move(from, to net.Conn) {
	_, _ = io.Copy(hangingWriter{to, r}, from)
	_, _ = from.Close(), to.Close()
}

type hangingWriter struct {
	io.Writer
	relay *hangingRelay
}

func (w hangingWriter) Write(p []byte) (int, error) {
	w.relay.moving.RLock()
	defer w.relay.moving.RUnlock()
	return w.Writer.Write(p)
}

// TestReadinessWithAHungDatabase: a database that accepts connections and does not answer is
// reported within two seconds, and one that recovers is ready again.
func TestReadinessWithAHungDatabase(t *testing.T) {
	t.Parallel()
	own, address := storetest.Start(t)
	relay, through := newHangingRelay(t, address)
	t.Cleanup(func() {
		_ = relay.Close()
		assert.NoError(t, own.Stop())
		relay.ended.Wait()
	})
	h := begin(t, func(o *Options) { o.Database.Address = through })
	h.send("", "GET", "/readyz", "").want(http.StatusOK)
	relay.moving.Lock()
	for range 2 {
		begun := time.Now()
		e := h.send("", "GET", "/readyz", "").fails(http.StatusServiceUnavailable, wire.CodeUnavailable)
		took := time.Since(begun)
		assert.True(t, took <= 5*time.Second && strings.Contains(e.Message, "the database does not answer"), "%s after %s", e.Message, took)
	}
	relay.moving.Unlock()
	h.send("", "GET", "/readyz", "").want(http.StatusOK)
}

// TestLeavingServerIsNotReady: a server that is about to stop is not ready, and answers everything else.
func TestLeavingServerIsNotReady(t *testing.T) {
	h := begin(t)
	h.send("", "GET", "/readyz", "").want(http.StatusOK)
	h.Leave()
	assert.Contains(t, h.send("", "GET", "/readyz", "").fails(http.StatusServiceUnavailable, wire.CodeUnavailable).Message, "will stop soon")
	h.send("", "GET", "/healthz", "").want(http.StatusOK)
	answer := assert.Value(h.client.Get(h.URL() + wire.PathPersonas))(t)
	defer answer.Body.Close()
	assert.Equal(t, answer.StatusCode, http.StatusOK)
	assert.True(t, answer.Close, "status %d, the connection ends: %v", answer.StatusCode, answer.Close)
}

// TestStopHearsNewConnections: a stop waits for a new connection, and not for a silent one.
func TestStopHearsNewConnections(t *testing.T) {
	h := begin(t)
	connect := func() net.Conn {
		c := assert.Value(net.Dial("tcp", h.Addr()))(t)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	connect()
	time.Sleep(300 * time.Millisecond)
	young := connect()
	time.Sleep(20 * time.Millisecond) // until it is taken
	begun, stopped := time.Now(), make(chan error, 1)
	go func() { stopped <- h.Shutdown(t.Context()) }()
	<-h.Done()
	assert.Value(io.WriteString(young, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))(t)
	answer, err := io.ReadAll(young)
	assert.True(t, err == nil && strings.HasPrefix(string(answer), "HTTP/1.1 200"), "%q, %v", answer, err)
	if err := <-stopped; err != nil || time.Since(begun) > 3*time.Second {
		t.Errorf("the stop: %v after %s", err, time.Since(begun))
	}
}
