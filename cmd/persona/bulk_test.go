package persona_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

func crowd(t testing.TB, n int) string {
	t.Helper()
	folder := t.TempDir()
	for i := range n {
		text := strings.Replace(cmdtest.EndlessPersona, "name: Echo", fmt.Sprintf("name: Echo %03d", i), 1)
		assert.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("echo-%03d.yaml", i)), []byte(text), 0o600))
	}
	return folder
}

func personaCount(t testing.TB, token, address string) int {
	t.Helper()
	r := assert.Value(http.NewRequest(http.MethodGet, address+"/api/v1/personas?my_personas=true&public_only=false&limit=100", nil))(t)
	r.Header.Set("Authorization", "Bearer "+token)
	answer := assert.Value(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	var items []struct{ ID string }
	assert.NoError(t, json.NewDecoder(answer.Body).Decode(&items))
	return len(items)
}

// TestSaveInterrupted: Ctrl-C records what was sent and lists the rest, and the next run sends only that.
func TestSaveInterrupted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	const files = 30
	folder, data := crowd(t, files), t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	token := cmdtest.MustOutput(t, "localserver", "token", "--data", data, "--user", "author@example.com")
	var saves atomic.Int32
	interrupt, interrupted := make(chan struct{}), make(chan struct{})
	address := cmdtest.StartProxy(t, s.Address, func(r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/save") && saves.Add(1) == 7 {
			close(interrupt)
			<-interrupted // So that the answer comes after the signal.
		}
	}, func(*http.Response) {})
	first := cmdtest.AuthorCommand(folder, data, address, "persona", "save", ".", "--concurrency", "3")
	first.Env = append(first.Env, "PARLEY_TOKEN="+token)
	var out, talk bytes.Buffer
	first.Stdout, first.Stderr = &out, &talk
	assert.NoError(t, first.Start())
	<-interrupt
	err := first.Process.Signal(os.Interrupt)
	close(interrupted)
	assert.NoError(t, err)
	_ = first.Wait()
	there := personaCount(t, token, s.Address)
	kept := cmdtest.CountLocked(t, folder)
	if code := first.ProcessState.ExitCode(); code != 130 || there == 0 || there >= files || kept != there || strings.Count(out.String(), "\n") != there {
		t.Errorf("exit code %d; %d personas are there, parley.lock has %d, stdout has\n%s\n%s", code, there, kept, &out, &talk)
	}
	if !strings.Contains(talk.String(), fmt.Sprintf("saved %d, not tried %d\n", there, files-there)) || !strings.Contains(talk.String(), "not saved: echo-0") {
		t.Errorf("it says %s", &talk)
	}
	second := cmdtest.AuthorCommand(folder, data, address, "persona", "save", ".")
	second.Env = append(second.Env, "PARLEY_TOKEN="+token)
	if text, err := second.CombinedOutput(); err != nil || !strings.Contains(string(text), fmt.Sprintf("saved %d, unchanged %d\n", files-there, there)) {
		t.Errorf("the second run: %v\n%s", err, text)
	}
	assert.Equal(t, personaCount(t, token, s.Address), files, "personas")
}

// TestFoldersSavedAtOnce: several processes that save the same folder make each persona once.
func TestFoldersSavedAtOnce(t *testing.T) {
	t.Parallel()
	const files = 25
	folder, data := crowd(t, files), t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			text, err := cmdtest.AuthorCommand(folder, data, s.Address, "persona", "save", ".").CombinedOutput()
			assert.True(t, err == nil, "%v\n%s", err, text)
		})
	}
	group.Wait()
	out, err := cmdtest.AuthorCommand(folder, data, s.Address, "persona", "list", "--mine", "--limit", "100").Output()
	if n := bytes.Count(out, []byte("\n")); err != nil || n != files || cmdtest.CountLocked(t, folder) != files {
		t.Errorf("%v: %d personas for %d files, %d recorded", err, n, files, cmdtest.CountLocked(t, folder))
	}
}

// hurried is a server whose clock moves on a minute for a caller at the limit that waits a second. It counts calls.
func hurried(t *testing.T, data string) (address string, calls, refused *atomic.Int32) {
	t.Helper()
	began, passed, usedUp := time.Now(), new(atomic.Int64), new(atomic.Int64)
	server, err := localserver.Start(t.Context(), localserver.Options{
		Listen: "127.0.0.1:0", Data: data, RateLimit: true, Durability: store.Normal,
		Now: func() time.Time { return began.Add(time.Duration(passed.Load())) },
	})
	assert.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	calls, refused = new(atomic.Int32), new(atomic.Int32)
	address = cmdtest.StartProxy(t, server.URL(), func(r *http.Request) {
		calls.Add(1)
		if at := usedUp.Load(); at > 0 && time.Since(began) >= time.Duration(at)+time.Second && usedUp.CompareAndSwap(at, 0) {
			passed.Add(int64(time.Minute))
		}
		r.Header.Set("Authorization", "Bearer "+server.Token())
	}, func(r *http.Response) {
		if r.StatusCode == http.StatusTooManyRequests {
			refused.Add(1)
		}
		if r.Header.Get("Ratelimit-Remaining") == "0" {
			usedUp.Store(int64(time.Since(began)))
		}
		for _, name := range []string{"Ratelimit-Reset", "Retry-After"} {
			if seconds, err := strconv.Atoi(r.Header.Get(name)); err == nil {
				r.Header.Set(name, strconv.Itoa((seconds+59)/60))
			}
		}
	})
	return address, calls, refused
}

// TestManyPersonasAgainstTheLimit: 200 personas pass a limit of 120 calls a minute, with few calls refused.
func TestManyPersonasAgainstTheLimit(t *testing.T) {
	t.Parallel()
	const files = 200
	folder, data := crowd(t, files), t.TempDir()
	address, calls, refused := hurried(t, filepath.Join(data, "server"))
	p := cmdtest.AuthorCommand(folder, data, address, "persona", "save", ".", "--concurrency", "8")
	var out, talk bytes.Buffer
	p.Stdout, p.Stderr = &out, &talk
	err := p.Run()
	if err != nil || strings.Count(out.String(), "\n") != files || cmdtest.CountLocked(t, folder) != files || !strings.Contains(talk.String(), "saved 200\n") {
		t.Errorf("%v: %d ids, %d recorded\n%s", err, strings.Count(out.String(), "\n"), cmdtest.CountLocked(t, folder), &talk)
	}
	if refused.Load() > 8 || calls.Load()-refused.Load() != files+1 { // One asks which names are there already.
		t.Errorf("%d calls, of which %d were refused", calls.Load(), refused.Load())
	}
	assert.Contains(t, talk.String(), "rate limit reached, continuing in 1 s", "nothing is said of the pause")
}

// TestInterruptedInAPause: Ctrl-C ends a wait for the limit, and lists what was saved but not published.
func TestInterruptedInAPause(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	const files = 130
	folder, data := crowd(t, files), t.TempDir()
	p := cmdtest.AuthorCommand(folder, data, "http://unused", "persona", "save", ".", "--publish")
	server := assert.Value(localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, RateLimit: true}))(t)
	defer server.Close()
	p.Args[len(p.Args)-1] = server.URL()
	p.Env = append(p.Env, "PARLEY_TOKEN="+server.Token())
	talk := &cmdtest.Buffer{}
	p.Stderr = talk
	assert.NoError(t, p.Start())
	talk.Await(t, "rate limit reached", 1)
	asked := time.Now()
	assert.NoError(t, p.Process.Signal(os.Interrupt))
	_ = p.Wait()
	if code := p.ProcessState.ExitCode(); code != 130 || time.Since(asked) > grace {
		t.Errorf("exit code %d after %s", code, time.Since(asked))
	}
	if n := cmdtest.CountLocked(t, folder); n < 60 || n >= files || !strings.Contains(talk.String(), "saved ") || !strings.Contains(talk.String(), "and ") {
		t.Errorf("%d recorded; it says %s", n, talk)
	}
	assert.True(t, strings.Count(talk.String(), "parley: ") <= 5, "it complains of what was not sent: %s", talk)
}

// grace is how long a command may take to end when it is interrupted: far less than
// the minute that it would wait, and enough for a machine with other things to do.
const grace = 30 * time.Second
