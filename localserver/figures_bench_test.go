package localserver

import (
	"bufio"
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// The figures of the service. Client and server share the machine, so the client
// is a bare connection that sends the same bytes again and again.

// at runs a benchmark with 1, 16 and 64 connections; request returns the bytes for the i-th one.
func at(b *testing.B, h *harness, request func(b *testing.B, i int) string, more func(b *testing.B, perSecond float64)) {
	for _, connections := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(connections), func(b *testing.B) {
			callers := make([]*connection, connections)
			for i := range callers {
				callers[i] = dial(b, h, request(b, i))
			}
			b.ResetTimer()
			var group sync.WaitGroup
			for _, c := range callers {
				group.Go(func() { c.ask((b.N + connections - 1) / connections) })
			}
			group.Wait()
			b.StopTimer()
			var times []time.Duration
			for _, c := range callers {
				assert.NoError(b, c.err)
				times = append(times, c.times...)
			}
			slices.Sort(times)
			perSecond := float64(len(times)) / b.Elapsed().Seconds()
			b.ReportMetric(perSecond, "req/s")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
			more(b, perSecond)
		})
	}
}

func nothingMore(*testing.B, float64) {}

// connection sends one request many times.
type connection struct {
	conn  net.Conn
	in    *bufio.Reader
	text  []byte
	times []time.Duration
	err   error
}

func dial(b *testing.B, h *harness, text string) *connection {
	b.Helper()
	conn, err := net.Dial("tcp", h.Addr())
	assert.NoError(b, err)
	b.Cleanup(func() { _ = conn.Close() })
	return &connection{conn: conn, in: bufio.NewReader(conn), text: []byte(text)}
}

func (c *connection) ask(times int) {
	for range times {
		begun := time.Now()
		status := c.send(c.text)
		if status == http.StatusConflict { // The session has all turns that it takes.
			c.send(bytes.Replace(c.text, []byte("/message "), []byte("/reset "), 1))
			status = c.send(c.text)
		}
		if c.err == nil && status != http.StatusOK {
			c.err = fmt.Errorf("status %d", status)
		}
		if c.err != nil {
			return
		}
		c.times = append(c.times, time.Since(begun))
	}
}

// send sends a text and reads the answer; it returns 0 without an answer.
func (c *connection) send(text []byte) (status int) {
	if _, c.err = c.conn.Write(text); c.err != nil {
		return 0
	}
	answer, err := http.ReadResponse(c.in, nil)
	if c.err = err; err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

func getText(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n" }

func postText(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

func BenchmarkGetPersona(b *testing.B) {
	h, id := benchServer(b)
	at(b, h, func(*testing.B, int) string { return getText(wire.Path(wire.PathPersona, id)) }, nothingMore)
}

// BenchmarkListAmong100000 lists 20 personas. They are stored before the server
// starts.
func BenchmarkListAmong100000(b *testing.B) {
	dir := b.TempDir()
	crowd(b, datafolder.DatabaseFile(dir), 100_000)
	h := begin(b, inFolder(dir), quietly)
	at(b, h, func(*testing.B, int) string { return getText(wire.PathPersonas) }, nothingMore)
}

func quietly(o *Options) { o.Log = slog.New(slog.NewJSONHandler(io.Discard, nil)) }

// crowd stores published personas; many writers share commits.
func crowd(b *testing.B, path string, size int) {
	b.Helper()
	s, err := store.Open(b.Context(), store.Options{Path: path, Durability: store.Normal})
	assert.NoError(b, err)
	doc, _, faults := personas.Parse("endless.json", []byte(endless))
	assert.Empty(b, faults)
	assert.NoError(b, s.UpsertUser(b.Context(), store.User{ID: "owner"}))
	const writers = 64
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := w; i < size; i += writers {
				p, _, err := s.SavePersona(b.Context(), store.PersonaSave{OwnerID: "owner", Doc: doc})
				if err == nil {
					err = s.PublishPersona(b.Context(), p.ID, "owner")
				}
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
	assert.NoError(b, s.Close())
}

// BenchmarkMessage runs whole turns with the offline model, each on disk before it is answered. The
// share is relative to SQLite's commits alone, on the same disk just before.
func BenchmarkMessage(b *testing.B) {
	h, id := benchServer(b)
	raw := 0.0
	at(b, h, func(b *testing.B, i int) string {
		if i == 0 {
			raw = rawCommits(b)
		}
		player := fmt.Sprint("ann", i)
		k := newTalk(h, id, player)
		return postText(strings.TrimPrefix(k.url, h.URL()), k.userBody)
	}, func(b *testing.B, perSecond float64) {
		b.ReportMetric(raw, "raw-commits/s")
		b.ReportMetric(100*perSecond/raw, "%-of-raw")
	})
}

// rawCommits is how many transactions of two rows SQLite makes durable in a
// second, one after another.
func rawCommits(b *testing.B) float64 {
	b.Helper()
	pool, err := sql.Open("sqlite3", "file:"+filepath.Join(b.TempDir(), "raw.db")+"?_journal_mode=WAL&_synchronous=FULL&_txlock=immediate&_stmt_cache_size=8")
	assert.NoError(b, err)
	defer func() { _ = pool.Close() }()
	pool.SetMaxOpenConns(1)
	if _, err := pool.Exec("CREATE TABLE messages (session INTEGER, seq INTEGER, content TEXT, PRIMARY KEY (session, seq)) WITHOUT ROWID"); err != nil {
		b.Fatal(err)
	}
	const commits = 1000
	begun := time.Now()
	for i := range commits {
		tx, err := pool.Begin()
		assert.NoError(b, err)
		for row := range 2 {
			if _, err := tx.Exec("INSERT INTO messages VALUES (1, ?, ?)", 2*i+row, "tell me a story please"); err != nil {
				b.Fatal(err)
			}
		}
		assert.NoError(b, tx.Commit())
	}
	return commits / time.Since(begun).Seconds()
}

// BenchmarkFootprint measures the server's memory (the heap in use after a collection) and disk
// space, idle and with 10,000 sessions of five messages.
func BenchmarkFootprint(b *testing.B) {
	const sessions, turns = 10_000, 2
	for b.Loop() {
		dir := b.TempDir()
		h := begin(b, inFolder(dir), quietly, func(o *Options) { o.Durability = DurabilityNormal })
		id := h.send(alice, "POST", wire.PathSave, endless).want(201)["id"].(string)
		h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
		idle, empty := heap(), sizeOf(b, dir)
		for i := range sessions {
			k := newTalk(h, id, fmt.Sprint("ann", i))
			for range turns {
				k.turn(b)
			}
		}
		b.ReportMetric(idle, "MB-idle")
		b.ReportMetric(heap(), "MB-10000-sessions")
		if err := h.Close(); err != nil { // It writes the log back into the file.
			b.Fatal(err)
		}
		b.ReportMetric(float64(sizeOf(b, dir)-empty)/(sessions*(1+2*turns)), "B/message")
	}
}

func heap() float64 {
	runtime.GC()
	runtime.GC() // The first one only marks what pools hold.
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse) / (1 << 20)
}

func sizeOf(b *testing.B, dir string) int64 {
	b.Helper()
	info, err := os.Stat(datafolder.DatabaseFile(dir))
	assert.NoError(b, err)
	return info.Size()
}
