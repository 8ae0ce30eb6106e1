package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/persona/check"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
)

func bare() *service.Access {
	return &service.Access{Environment: &service.Environment{Streams: &cli.Streams{In: strings.NewReader(""), Out: &cli.CheckedWriter{Writer: io.Discard}, Err: io.Discard, Now: time.Now, Lookup: func(string) (string, bool) { return "", false }}}, NewID: service.NewID}
}

// directed plays a sample to its end as a director and returns the record.
func directed(t *testing.T, a *service.Access, name string, turns ...[2]string) *record.Record {
	t.Helper()
	server := assert.Value(a.StartThrowAway(t.Context(), localserver.Options{}))(t)
	defer server.Stop()
	seeds := assert.Value(service.ReadSamples())(t)
	i := slices.IndexFunc(seeds, func(s personafiles.Document) bool { return s.Name == name })
	id := assert.Value(server.SavePersonas(t.Context(), seeds[i:i+1]))(t)
	machine := "none yet"
	for _, turn := range turns {
		if turn[0] != machine {
			machine = turn[0]
			assert.Value(server.InitSession(t.Context(), id, machine, wire.InitSession{UserSessionID: "u", PlayerName: "Mara", PlayerGender: "female"}))(t)
		}
		assert.Value(server.SendMessage(t.Context(), id, machine, wire.Message{UserSessionID: "u", Message: turn[1]}))(t)
	}
	r := assert.Value(record.ReadRecord(t.Context(), server, id, "u"))(t)
	return r
}

// whole is the hotel from its first machine into the second one.
var whole = [][2]string{
	{"check-in", "Good evening [[2]]"}, {"check-in", "hm [[redirect]]"}, {"check-in", "I am tired [[2]]"}, {"night-round", "After you [[2]]"},
}

// TestSavedPlayPasses: a saved play passes with few marks, where the offline model decides differently.
func TestSavedPlayPasses(t *testing.T) {
	t.Parallel()
	a := bare()
	r := directed(t, a, "hotel", whole...)
	forced := *r
	forced.Chapters = slices.Clone(r.Chapters)
	forced.Chapters[0].Messages = slices.Clone(r.Chapters[0].Messages)
	for i := range forced.Chapters[0].Messages {
		m := &forced.Chapters[0].Messages[i]
		m.Content, _, _ = strings.Cut(m.Content, " [[")
	}
	for name, r := range map[string]*record.Record{"as a director": r, "as a model": &forced} {
		file := filepath.Join(t.TempDir(), "night")
		said, err := playSaver{a, ""}.savePlay(t.Context(), r, file)
		assert.NoError(t, err, name)
		assert.Equal(t, strings.Contains(strings.Join(said, " "), "with a mark"), name == "as a model", "%s: %q", name, said)
		if code := cmdtest.Run(t.Context(), a, []string{"test", file + ".play.yaml"}, check.NewTestCmd(a)); code != 0 {
			text, _ := os.ReadFile(file + ".play.yaml")
			t.Errorf("%s: persona test gives %d\n%s", name, code, text)
		}
		_, err = (playSaver{a, ""}).savePlay(t.Context(), r, file)
		assert.ErrorIs(t, err, fs.ErrExist, "a second time")
	}
}

// TestSavedPlayThatIsLocked: without the turns that opened its machine a play is not written.
func TestSavedPlayThatIsLocked(t *testing.T) {
	t.Parallel()
	a := bare()
	r := directed(t, a, "hotel", whole...)
	for i := range r.Persona.Machines {
		if m := &r.Persona.Machines[i]; m.Key == "top-floor" {
			r.Chapters = append([]record.Chapter{{MachineKey: m.Key, History: wire.History{Messages: r.Chapters[0].Messages[:1]}}}, r.Chapters...)
		}
	}
	folder := t.TempDir()
	_, err := playSaver{a, ""}.savePlay(t.Context(), r, filepath.Join(folder, "x.play.yaml"))
	if left, _ := os.ReadDir(folder); err == nil || !strings.Contains(err.Error(), "replaying the conversation gave another result at step 1") || len(left) > 0 {
		t.Errorf("%v, left %v", err, left)
	}
}

func TestPersonaBesideThePlay(t *testing.T) {
	t.Parallel()
	a := bare()
	r := directed(t, a, "starter", [2]string{"", "Hello"})
	folder := t.TempDir()
	play := filepath.Join(folder, "a.play.yaml")
	doc, path, isNew, err := playSaver{a, ""}.choosePersona(r, play)
	assert.Must(t, err == nil && isNew && path == "a.yaml", "%q %v %v", path, isNew, err)
	assert.NoError(t, savePersona(filepath.Join(folder, path), &doc))
	if _, _, isNew, err := (playSaver{a, ""}).choosePersona(r, play); isNew || err != nil {
		t.Errorf("the same persona is there: %v %v", isNew, err)
	}
	r.Persona.Persona.Name = "Somebody else"
	_, _, _, err = (playSaver{a, ""}).choosePersona(r, play)
	assert.ErrorIs(t, err, fs.ErrExist, "another persona is there")
}

func TestPlayEnding(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"a": "a.play.yaml", "a.yaml": "a.play.yaml", "a.play": "a.play.yaml", "a.play.yaml": "a.play.yaml", "a.play.yml": "a.play.yml",
		"a.play.json": "a.play.yaml", "dir/a.b": "dir/a.b.play.yaml",
	} {
		assert.Equal(t, withPlaySuffix(given), want, given)
	}
}

func TestSaveNew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.md")
	assert.NoError(t, cli.CreateFile(path, []byte("x"), 0o600))
	assert.ErrorIs(t, cli.CreateFile(path, []byte("y"), 0o600), fs.ErrExist, "a second time")
	text, _ := os.ReadFile(path)
	assert.Equal(t, string(text), "x", "overwritten")
	err := cli.CreateFile(filepath.Join(path, "b"), nil, 0o600)
	assert.True(t, err != nil, "below a file: %v", err)
	assert.True(t, !errors.Is(err, fs.ErrExist), "below a file: %v", err)
}

func TestEditorProcess(t *testing.T) {
	t.Parallel()
	cases := []struct {
		system, editor string
		want           []string
	}{
		{"linux", "code --wait", []string{"sh", "-c", `code --wait "$@"`, "code --wait", "f"}},
		{"windows", `"C:\Program Files\e.exe" -n`, []string{`C:\Program Files\e.exe`, "-n", "f"}},
		{"windows", "notepad", []string{"notepad", "f"}},
		{"windows", "  ", []string{"notepad", "f"}},
	}
	for _, c := range cases {
		assert.EqualSlices(t, newEditorProcess(c.system, c.editor, "f").Args, c.want, "%s %q", c.system, c.editor)
	}
}

// The editor's file is the player's alone and goes with the visit, also after an editor that fails.
func TestEditing(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs a shell")
	}
	t.Setenv("TMPDIR", t.TempDir())
	const tellMode = `f() { m=$(ls -l "$1"); echo "$m" > "$1"; }; f`
	for editor, want := range map[string]string{"printf new >": "new", tellMode: "-rw-------", "false": "", "rm": ""} {
		a := bare()
		a.Lookup = func(name string) (string, bool) { return editor, name == "EDITOR" }
		text, err := editText(a.Streams, "old")
		assert.Equal(t, err != nil, want == "", "%s: %v", editor, err)
		assert.True(t, strings.HasPrefix(text, want), "%s: %q", editor, text)
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), "parley-*"))
		assert.Empty(t, left, editor)
	}
}

func TestEditedTextIsTooLarge(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs a shell")
	}
	t.Setenv("TMPDIR", t.TempDir())
	for _, size := range []int{maxEdited, maxEdited + 1} { // in this order, because the larger file stays
		a := bare()
		a.Lookup = func(name string) (string, bool) {
			return fmt.Sprintf("head -c %d /dev/zero | tr '\\0' a >", size), name == "EDITOR"
		}
		text, err := editText(a.Streams, "old")
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), "parley-*"))
		if size == maxEdited {
			assert.NoError(t, err)
			assert.Equal(t, len(text), maxEdited)
			assert.Empty(t, left)
			continue
		}
		assert.ErrorContains(t, err, "it is still in "+strings.Join(left, " "))
		assert.Equal(t, len(left), 1)
	}
}

// TestForgetfulMemory: a memory that lasts as long as the process stores the same as the one on disk.
func TestForgetfulMemory(t *testing.T) {
	t.Parallel()
	a := bare()
	m := screenMemory{&service.Service{Address: "x", Sessions: settings.NewMemorySessions()}, a.Now}
	for _, k := range []conversation.SavedSession{{Persona: "p", UserSessionID: "1", Label: "first"},
		{Persona: "p", UserSessionID: "2"}, {Persona: "p", UserSessionID: "1"}} {
		assert.NoError(t, m.Remember(k))
	}
	got, ok := m.Recall("p")
	assert.True(t, ok && got.UserSessionID == "1" && got.Label == "first", "present %+v", got)
	assert.NoError(t, errors.Join(m.Rename("p", "2", "second"), m.Forget("p", "1")))
	list, err := m.Sessions()
	assert.True(t, err == nil && len(list) == 1 && list[0].Label == "second", "%+v %v", list, err)
	got, ok = m.Recall("p")
	assert.True(t, ok && got.UserSessionID == "2", "after one is forgotten: %+v %v", got, ok)
}

// A clipboard program that hangs does not hold anything up.
func TestClipboardEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = copyToClipboard(ctx, "x") // It returns: the context has ended.
}

// A play file that cannot be written leaves no persona file behind.
func TestPlayAndPersonaBothOrNeither(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := playSaver{bare(), ""}
	doc := personas.Persona{Name: "Nobody"}
	persona := filepath.Join(folder, "nobody.yaml")
	play := filepath.Join(folder, "not there", "nobody.play.yaml")
	err := s.writeFiles(play, []byte("x"), persona, &doc, true)
	assert.True(t, errors.Is(err, fs.ErrNotExist), "it says %v", err)
	assert.Contains(t, err.Error(), "nobody.play.yaml", "it says %v", err)
	left, _ := os.ReadDir(folder)
	assert.Empty(t, left, "left behind")
	play = filepath.Join(folder, "nobody.play.yaml")
	assert.NoError(t, s.writeFiles(play, []byte("x"), persona, &doc, true))
	both, _ := os.ReadDir(folder)
	assert.Equal(t, len(both), 2, "there are %v", both)
	// A persona file that existed before is kept, even if writing the play fails.
	assert.ErrorIs(t, s.writeFiles(play, []byte("x"), persona, &doc, false), fs.ErrExist)
	assert.Value(os.Stat(persona))(t)
}

// TestAwaitBreaksWhereItIsWaitedFor: a goroutine's panic is repeated where its result is awaited.
func TestAwaitBreaksWhereItIsWaitedFor(t *testing.T) {
	t.Parallel()
	defer func() { assert.Equal[any](t, recover(), "in the clipboard", "it breaks") }()
	_, _ = cli.AwaitResult(t.Context().Done(), func() (int, error) { panic("in the clipboard") })
}

type questions struct {
	mu sync.Mutex
	of map[string]int
}

func (q *questions) add(name string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.of[name]++
	return q.of[name]
}

func (q *questions) count(name string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.of[name]
}

// TestEachFailureAtOnce: failures of turns are reported at once, and other requests are retried.
func TestEachFailureAtOnce(t *testing.T) {
	t.Parallel()
	asked := questions{of: map[string]int{}}
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.add(r.URL.Path) > 1 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Connection", "close") // Else the transport itself asks again.
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(busy.Close)
	talkTo := func(address string) chatService {
		c := assert.Value(client.New(client.Options{BaseURL: address, Attempts: 2}))(t)
		return newNoRetryService(&service.Service{Client: c})
	}
	at := talkTo(busy.URL)
	_, refused := at.HistoryAtOnce(t.Context(), "p", "u", "m")
	_, broken := at.HistoryAtOnce(t.Context(), "p", "u", "m")
	assert.Equal(t, asked.count("/api/v1/chat/p/history"), 2, "two questions were asked")
	if _, err := at.History(t.Context(), "other", "u", "m"); asked.count("/api/v1/chat/other/history") != 2 || err == nil {
		t.Errorf("another question is asked %d times: %v", asked.count("/api/v1/chat/other/history"), err)
	}
	_, nobody := talkTo("http://127.0.0.1:1").HistoryAtOnce(t.Context(), "p", "u", "m")
	_, unlisted := talkTo("http://127.0.0.1:1").Published(t.Context())
	assert.ErrorContains(t, unlisted, "`parley chat --local`")
	for _, k := range []struct {
		err          error
		lost, unsent bool
	}{{refused, false, false}, {broken, true, false}, {nobody, true, true}} {
		assert.Equal(t, isLost(k.err), k.lost, k.err)
		assert.Equal(t, isUnsent(k.err), k.unsent, k.err)
	}
}
