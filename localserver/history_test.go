package localserver

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func changeDatabase(t testing.TB, h *harness, statements ...string) {
	t.Helper()
	var pool *sql.DB
	var err error
	if h.database != "" {
		pool, err = storetest.OpenPool(h.database)
	} else {
		file := url.URL{Scheme: "file", Path: filepath.ToSlash(datafolder.DatabaseFile(h.Dir())), RawQuery: "_busy_timeout=10000"}
		pool, err = sql.Open("sqlite3", file.String())
	}
	assert.NoError(t, err)
	defer func() { _ = pool.Close() }()
	for _, statement := range statements {
		assert.Value(pool.ExecContext(t.Context(), statement))(t)
	}
}

// playLong begins a session and inserts turns with messages of a length, without playing them.
func playLong(h *harness, who, persona, player string, turns, length int) {
	h.Helper()
	session := h.send(who, "POST", wire.Path(sideOf(who)+"/chat/{persona_id}/init-session", persona), initJSON(player)).want(200)["session_id"].(string)
	text := strings.ToValidUTF8(strings.Repeat("<ü & \"long\"> ", length)[:length], "")
	changeDatabase(h, h, fmt.Sprintf(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d)
		INSERT INTO messages (session_id, seq, id, role, content, state, score, decision, follow_up, aside, created_at, trace)
		SELECT '%s', n, 'message ' || n, CASE n %% 2 WHEN 1 THEN 'user' ELSE 'assistant' END, '%s', 'outside', 0, '', FALSE, FALSE, 1760000000000 + n,
			CASE n %% 2 WHEN 1 THEN '' ELSE '{"transition":-1,"reply":"a line"}' END FROM numbers`, 2*turns, session, text),
		fmt.Sprintf("UPDATE sessions SET turn = %d, revision = %d WHERE id = '%s'", turns, turns, session))
}

func nextPage(r replied) string {
	found := regexp.MustCompile(`^<([^>]+)>; rel="next"$`).FindStringSubmatch(r.header.Get(wire.HeaderLink))
	if found == nil {
		return ""
	}
	return found[1]
}

// TestHistoryInPages: a long session is the same as a whole and in pages, on both sides.
func TestHistoryInPages(t *testing.T) {
	h := begin(t)
	id, game := h.publishPersona(), h.key(alice)
	for who, path := range map[string]string{"": wire.PathHistory, bob: wire.PathHistory, game: wire.PathSDKHistory} {
		playLong(h, who, id, "ann", 150, 4000)
		address := wire.Path(path, id) + "?user_session_id=ann"
		answer := h.send(who, "GET", address, "").is(200)
		whole := decoded[wire.History](answer)
		assert.Must(t, len(whole.Messages) == 301, "%d messages, %q, %s", len(whole.Messages), whole.Messages[0].Content, whole.CurrentState)
		assert.Equal(t, whole.Messages[0].Content, "Halt, Ann.", path)
		assert.Equal(t, whole.CurrentState, "outside", path)
		assert.Equal(t, whole.RedirectCount == nil, who == game, path)
		if !bytes.Equal(answer.body, api.EncodeJSON(whole)) || nextPage(answer) != "" || answer.header.Get("Content-Type") != "application/json" {
			t.Errorf("the answer is not written as others are: %.200s ... %s, %v", answer.body, answer.body[len(answer.body)-300:], answer.header)
		}
		var joined []wire.HistoryMessage
		pages := 0
		for next := address + "&limit=100"; next != ""; pages++ {
			answer := h.send(who, "GET", next, "").is(200)
			page := decoded[wire.History](answer)
			assert.Equal(t, page.SessionID, whole.SessionID, "page %d", pages)
			assert.Equal(t, page.CurrentState, whole.CurrentState, "page %d", pages)
			joined = append(slices.Clone(page.Messages), joined...)
			next = nextPage(answer)
		}
		isSame := func(a, b wire.HistoryMessage) bool { return a.ID == b.ID && a.Content == b.Content }
		assert.True(t, slices.EqualFunc(joined, whole.Messages, isSame), "%d pages have %d messages", pages, len(joined))
		assert.Equal(t, pages, 4, path)
		head := h.send(who, "HEAD", address, "")
		assert.Equal(t, head.status, 200, path)
		assert.Equal(t, len(head.body), 0, path)
		assert.Equal(t, head.header.Get("Content-Type"), "application/json", path)
	}
}

func TestPartsOfHistories(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	playLong(h, "", id, "ann", 3, 20)
	history, trace := wire.Path(wire.PathHistory, id)+"?user_session_id=ann", wire.Path(wire.PathTrace, id)+"?user_session_id=ann"
	for query, want := range map[string]int{"": 4, "&limit=3": 3, "&before=message+5&limit=2": 2} {
		answer := h.send(alice, "GET", trace+query, "").is(200)
		got := decoded[wire.Trace](answer)
		assert.True(t, len(got.Turns) == want && bytes.Equal(answer.body, api.EncodeJSON(got)), "%s: %d turns, want %d", query, len(got.Turns), want)
	}
	for query, member := range map[string]string{
		"&limit=0": "limit", "&limit=1001": "limit", "&limit=-1": "limit", "&before=message+9": "before",
		"&before=%00": "before", "&before=" + strings.Repeat("x", 201): "before",
	} {
		for _, address := range []string{history, trace} {
			e := h.send(alice, "GET", address+query, "").fails(422, wire.CodeInvalid)
			assert.True(t, len(e.Details) == 1 && strings.Contains(e.Details[0].Path, member), "%s: %+v", query, e)
		}
	}
	h.send("", "GET", history+"&limit=many", "").fails(400, wire.CodeBadRequest)
	h.client = http.DefaultClient // The document wants the names in the query.
	inBody := h.send("", "GET", wire.Path(wire.PathHistory, id)+"?limit=2", `{"user_session_id": "ann", "machine_id": "gate"}`).is(200)
	page := h.send("", "GET", nextPage(inBody), "").want(200)
	assert.True(t, len(page["messages"].([]any)) == 2, "the link %s leads to %v", nextPage(inBody), page)
}

// TestLongHistoryTakesLittleMemory checks that the server uses less memory than 32 MB while it
// answers three concurrent requests with a history of that size.
func TestLongHistoryTakesLittleMemory(t *testing.T) {
	const size, turns, length, bound = 32 << 20, 2048, 8192, 32 << 20
	h := begin(t)
	id := h.publishPersona()
	playLong(h, "", id, "ann", turns, length)
	var most atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	runtime.GC()
	runtime.GC() // frees what the first one took out of pools
	before := heapInUse()
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				runtime.GC() // Garbage does not count.
				most.Store(max(most.Load(), heapInUse()))
			}
		}
	}()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // the test's own one reads answers into memory
	errs := make(chan error, 3)
	for range cap(errs) {
		go func() {
			answer, err := client.Get(h.URL() + wire.Path(wire.PathHistory, id) + "?user_session_id=ann")
			if err != nil {
				errs <- err
				return
			}
			defer answer.Body.Close()
			n, err := io.Copy(io.Discard, answer.Body)
			if n < size && err == nil {
				err = fmt.Errorf("%d bytes", n)
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		assert.NoError(t, <-errs)
	}
	close(stop)
	<-stopped
	if took := int64(most.Load()) - int64(before); took > bound {
		t.Errorf("took %d MB, want at most %d MB", took>>20, int64(bound)>>20)
	} else {
		t.Logf("took %d KB", took>>10)
	}
}

// TestSlowReadersOfAPersona: callers that do not read their answers use little memory.
func TestSlowReadersOfAPersona(t *testing.T) {
	const size, readers, bound = 7 << 20, 30, 80 << 20
	h := begin(t)
	large := h.savePersona(strings.Replace(gatePersona, `"name":`, `"x-large": "`+strings.Repeat("x", size)+`", "name":`, 1))
	h.send(alice, "POST", wire.PathPublish+"?persona_id="+large, "").want(200)
	small := h.publishPersona()
	runtime.GC()
	runtime.GC() // frees what the first one took out of pools
	before := heapInUse()
	for i := range readers {
		conn := assert.Value(net.Dial("tcp", h.Addr()))(t)
		defer func() { _ = conn.Close() }()
		path := []string{wire.Path(wire.PathFull, large), "/play/" + large}[i%2]
		assert.Value(io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))(t)
	}
	for range 10 {
		time.Sleep(100 * time.Millisecond)
		h.send("", "GET", wire.Path(wire.PathFull, small), "").want(200)
		h.send("", "GET", "/play/"+small, "").want(200)
		runtime.GC()
		took := int64(heapInUse()) - int64(before)
		assert.Must(t, took <= bound, "%d slow readers take %d MB, want at most %d MB", readers, took>>20, int64(bound)>>20)
	}
}

// heapInUse returns the bytes that the last collection found in use. Garbage since then does not
// count, so that the load on the machine does not matter.
func heapInUse() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

func abortReading(h *harness, path, who string) {
	h.Helper()
	conn := assert.Value(net.Dial("tcp", h.Addr()))(h)
	defer func() { _ = conn.Close() }()
	authorization := ""
	if who != "" {
		authorization = "Authorization: Bearer " + h.token(who) + "\r\n"
	}
	assert.Value(io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\n"+authorization+"\r\n"))(h)
	assert.Value(io.ReadFull(conn, make([]byte, 1000)))(h)
	_ = conn.(*net.TCPConn).SetLinger(0)
}

// TestAbortedAnswers: a caller that disconnects in an answer is not an error of the server.
func TestAbortedAnswers(t *testing.T) {
	h := begin(t)
	large := h.savePersona(strings.Replace(gatePersona, `"name":`, `"x-large": "`+strings.Repeat("x", 7<<20)+`", "name":`, 1))
	id := h.publishPersona()
	playLong(h, alice, id, "ann", 1000, 8000)
	for name, path := range map[string]string{
		"a history": wire.Path(wire.PathHistory, id) + "?user_session_id=ann",
		"a persona": wire.Path(wire.PathFull, large),
	} {
		h.run(t, name, func(t *testing.T, h *harness) {
			told := len(h.journal.String())
			abortReading(h, path, alice)
			for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
				lines := strings.Split(strings.TrimSpace(h.journal.String()[told:]), "\n")
				if strings.Contains(lines[len(lines)-1], `"msg":"request"`) {
					assert.True(t, len(lines) == 1 && strings.Contains(lines[0], `"status":200`), "the log says %q", lines)
					return
				}
				assert.Must(t, !time.Now().After(end), "the request has no line in the log: %q", lines)
			}
		})
	}
}

type brokenPages struct{ err error }

func (brokenPages) IsAtEnd() bool                                { return false }
func (p brokenPages) NextPage(context.Context) ([]string, error) { return nil, p.err }

// TestBrokenPages: an answer that fails after its head is cut off, so that it never looks complete.
func TestBrokenPages(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		told bool
	}{"the session was reset": {&play.Error{Kind: play.Conflict, Cause: store.ErrChanged}, false}, "the database fails": {errors.New("it fails"), true}} {
		t.Run(name, func(t *testing.T) {
			j := &journal{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				pagedAnswer[string]{[]byte(`[`), []string{strings.Repeat("first ", 1000)}, brokenPages{c.err}, []byte("]")}.send(r.Context(), w, newJournalLog(j))
			}))
			defer server.Close()
			answer := assert.Value(server.Client().Get(server.URL))(t)
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			assert.Equal(t, answer.StatusCode, 200)
			assert.True(t, err != nil, "status %d, %d bytes, %v", answer.StatusCode, len(body), err)
			assert.True(t, !json.Valid(body), "status %d, %d bytes, %v", answer.StatusCode, len(body), err)
			assert.Equal(t, strings.Contains(j.String(), "it fails"), c.told, "the log says %q", j.String())
		})
	}
}

// TestSlowReaders: a caller who receives a page or the whole answer too slowly is cut off.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for name, c := range map[string]struct {
		page, whole, pause time.Duration
		least              int64
	}{
		"reads nothing":   {second / 2, time.Hour, time.Hour, 0},
		"reads on and on": {time.Hour, 2 * second, second / 50, 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan error, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				limit := api.PieceLimit{Piece: c.page, Whole: c.whole}
				for {
					err := limit.Extend(w)
					if err == nil {
						_, err = w.Write(bytes.Repeat([]byte("x"), 1<<20))
					}
					if err != nil {
						ended <- err
						return
					}
				}
			}))
			defer server.Close()
			answer := assert.Value(server.Client().Get(server.URL))(t)
			defer answer.Body.Close()
			read := make(chan int64, 1)
			go func() {
				n, piece := int64(0), bufio.NewReaderSize(answer.Body, 64<<10)
				for deadline := time.Now().Add(patience); time.Now().Before(deadline) && c.pause < second; time.Sleep(c.pause) {
					m, err := piece.Discard(64 << 10)
					if n += int64(m); err != nil {
						break
					}
				}
				read <- n
			}()
			select {
			case err := <-ended:
				n := <-read
				assert.True(t, n >= c.least, "%v after %d bytes", err, n)
			case <-time.After(patience):
				t.Error("the writer waits for a reader who is too slow")
			}
		})
	}
}

func TestReadSnapshot(t *testing.T) {
	dir := t.TempDir()
	h := begin(t, func(o *Options) { o.Data = dir })
	id := h.publishPersona()
	for _, player := range []string{"ann", "bea"} {
		h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(player)).want(200)
		h.sayAs("", id, player, "I am "+player)
	}
	h.fork("", id, "ann", 1)
	file := filepath.Join(dir, "all.parley")
	assert.Value(datafolder.WriteSnapshot(t.Context(), Database{Address: h.database}.Place(dir), file, false, nil))(t)
	const name = "Gate guard"
	said := map[string]int{}
	err := ReadSnapshot(t.Context(), file, name, time.Now(), func(machine, _ string, messages []wire.HistoryMessage) error {
		assert.Equal(t, machine, "gate")
		assert.Equal(t, len(messages), 3)
		said[messages[1].Content]++
		return nil
	})
	assert.NoError(t, err)
	assert.Equal(t, said["I am ann"], 2)
	assert.Equal(t, said["I am bea"], 1)
	stop, calls := errors.New("stop"), 0
	err = ReadSnapshot(t.Context(), file, name, time.Now(), func(string, string, []wire.HistoryMessage) error { calls++; return stop })
	assert.ErrorIs(t, err, stop)
	assert.Equal(t, calls, 1)
	err = ReadSnapshot(t.Context(), file, "nobody", time.Now(), func(string, string, []wire.HistoryMessage) error { calls++; return nil })
	assert.NoError(t, err)
	assert.Equal(t, calls, 1)
	assert.NoError(t, os.WriteFile(file, []byte("SQLite format 3\x00 and no more"), 0o600))
	assert.True(t, ReadSnapshot(t.Context(), file, name, time.Now(), nil) != nil, "a damaged snapshot was read")
}

// TestPagesOfPersonas: the header Link leads through all personas, each once, even if some are
// saved and deleted meanwhile. Callers who do not request pages do not get the header.
func TestPagesOfPersonas(t *testing.T) {
	h := begin(t)
	ids := map[string]bool{}
	for i := range 7 {
		id := h.savePersona(strings.Replace(gatePersona, "Gate guard", fmt.Sprintf("Guard %d", i), 1))
		ids[id] = true
		if i%2 == 0 {
			h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
		}
	}
	for _, c := range []struct {
		who, query string
		want       int
	}{{alice, "?my_personas=true&limit=2", 7}, {alice, "?public_only=false&limit=3", 7}, {"", "?limit=1", 4}, {"", "?limit=4", 4}, {"", "?limit=5", 4}} {
		t.Run(caseName(c.who, c.query), func(t *testing.T) {
			h, path, found := h.with(t), wire.PathPersonas+c.query+"&include=total", map[string]bool{}
			for path != "" {
				a := h.send(c.who, "GET", path, "").is(200)
				assert.Equal(t, a.header.Get(wire.HeaderTotal), fmt.Sprint(c.want), "%s personas in all %d", path, c.want)
				var items []map[string]any
				a.decode(&items)
				for _, item := range items {
					assert.True(t, !found[item["id"].(string)], "%s: %v again, or with more than the interface has", path, item)
					assert.True(t, item["updated_at"] == nil, "%s: %v again, or with more than the interface has", path, item)
					found[item["id"].(string)] = true
				}
				link := a.header.Get(wire.HeaderLink)
				if path, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), ">"); link != "" && !strings.HasSuffix(link, `>; rel="next"`) {
					t.Errorf("Link: %s", link)
				}
			}
			assert.Equal(t, len(found), c.want, "%s personas", c.query)
		})
	}
	first := h.send(alice, "GET", wire.PathPersonas+"?my_personas=true&limit=3&include=updated_at", "")
	var items []wire.ListedPersona
	first.decode(&items)
	assert.Equal(t, first.header.Get(wire.HeaderTotal), "")
	assert.True(t, items[0].UpdatedAt != nil && !items[0].UpdatedAt.IsZero(), "with include=updated_at: %v %s", first.header, first.body)
	// The one at which the next page begins goes, and a new one comes: nothing is lost.
	h.send(alice, "DELETE", wire.Path(wire.PathPersona, items[2].ID), "").want(204)
	h.savePersona(strings.Replace(gatePersona, "Gate guard", "Latest", 1))
	next, _, _ := strings.Cut(strings.TrimPrefix(first.header.Get(wire.HeaderLink), "<"), ">")
	rest := decoded[[]wire.ListedPersona](h.send(alice, "GET", strings.Replace(next, "limit=3", "limit=100", 1), ""))
	assert.True(t, len(rest) == 4 && rest[0].Name == "Guard 3", "behind the first three: %+v", rest)
	h.send("", "GET", wire.PathPersonas+"?my_personas=true", "").fails(401, wire.CodeUnauthenticated)
	h.send("", "GET", wire.PathPersonas+"?after=yesterday", "").fails(http.StatusBadRequest, wire.CodeBadRequest)
	h.send("", "GET", wire.PathPersonas+"?include=everything", "").want(422)
}

func TestPersonasByName(t *testing.T) {
	h := begin(t)
	for _, name := range []string{"Élodie", "Odile Marsh", "Odile"} {
		h.send(alice, "POST", wire.PathPublish+"?persona_id="+h.savePersona(strings.Replace(gatePersona, "Gate guard", name, 1)), "").want(200)
	}
	for name, want := range map[string]string{
		"odile": "Odile, Odile Marsh", "ÉLO": "Élodie", " odile m": "Odile Marsh", "dile": "",
		"": "Odile, Odile Marsh, Élodie",
	} {
		items := decoded[[]wire.PersonaItem](h.send("", "GET", wire.PathPersonas+"?name="+url.QueryEscape(name), ""))
		var names []string
		for _, item := range items {
			names = append(names, item.Name)
		}
		assert.Equal(t, strings.Join(names, ", "), want, name)
	}
}

func forkJSON(player string, at int) string {
	return fmt.Sprintf(`{"user_session_id": %q, "at": %d}`, player, at)
}

func (h *harness) fork(who, id, player string, at int) (b wire.Branch) {
	h.Helper()
	answer := h.send(who, "POST", wire.Path(wire.PathFork, id), forkJSON(player, at)).is(201)
	assert.NoError(h, json.Unmarshal(answer.body, &b))
	return b
}

// TestForkOverHTTP: a branch continues from the turn, with same_verdict to the same result.
func TestForkOverHTTP(t *testing.T) {
	h := begin(t)
	id := h.openGate()
	first := h.sayAs("", id, "ann", "open the gate")
	branch := h.fork("", id, "ann", 0)
	assert.Equal(t, branch.Turn, 0)
	assert.True(t, branch.UserSessionID != "ann", "branch %+v", branch)
	assert.Equal(t, *branch.Parent, "ann")
	assert.Equal(t, *branch.ForkedAt, 0)
	assert.Equal(t, branch.MachineKey, "gate")
	again := h.send("", "POST", wire.Path(wire.PathMessage, id), fmt.Sprintf(`{"user_session_id": %q, "message": "open the gate", "same_verdict": true}`, branch.UserSessionID)).want(200)
	assert.Equal(t, again["current_state"], any(first.CurrentState))
	assert.Equal(t, again["score"], any(float64(first.Score)))
	for name, body := range map[string]string{
		"a second time":    fmt.Sprintf(`{"user_session_id": %q, "message": "open the gate", "same_verdict": true}`, branch.UserSessionID),
		"without a branch": `{"user_session_id": "ann", "message": "open the gate", "same_verdict": true}`,
	} {
		assert.Equal(t, h.send("", "POST", wire.Path(wire.PathMessage, id), body).status, 409, "same_verdict %s", name)
	}
	h.send("", "POST", wire.Path(wire.PathFork, id), forkJSON("ann", 2)).fails(422, wire.CodeInvalid)
	h.send("", "POST", wire.Path(wire.PathFork, id), forkJSON("eve", 0)).fails(404, wire.CodeNotFound)
	for _, at := range []string{"-1", "1.5", `"1"`, "1e400", "null"} {
		body := fmt.Sprintf(`{"user_session_id": "ann", "at": %s}`, at)
		h.send("", "POST", wire.Path(wire.PathFork, id), body).fails(422, wire.CodeInvalid)
	}
	key := []string{"Idempotency-Key", "once"}
	one := h.send("", "POST", wire.Path(wire.PathFork, id), forkJSON("ann", 1), key...)
	two := h.send("", "POST", wire.Path(wire.PathFork, id), forkJSON("ann", 1), key...)
	assert.Equal(t, string(one.body), string(two.body))
	assert.Equal(t, two.header.Get("Idempotency-Replayed"), "true")
	assert.Equal(t, one.status, two.status)
	h.send("", "POST", wire.Path(wire.PathFork, id), forkJSON("ann", 0), key...).fails(422, wire.CodeInvalid)
}

// TestOwnedSessions: only the owner lists and deletes sessions, and players are not identified.
func TestOwnedSessions(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	for i := range 5 {
		h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(fmt.Sprint("secret", i))).want(200)
	}
	h.fork("", id, "secret0", 0)
	path := wire.Path(wire.PathSessions, id)
	var all []wire.OwnedSession
	for next := path + "?limit=2"; next != ""; {
		answer := h.send(alice, "GET", next, "")
		var page []wire.OwnedSession
		err := json.Unmarshal(answer.body, &page)
		assert.Must(t, err == nil && answer.status == 200, "%d %s: %v", answer.status, answer.body, err)
		assert.NotContains(t, string(answer.body), "secret", "the list names players")
		all = append(all, page...)
		next, _, _ = strings.Cut(strings.TrimPrefix(answer.header.Get("Link"), "<"), ">")
	}
	seen, branches := map[string]bool{}, 0
	for _, n := range all {
		seen[n.SessionID] = true
		if n.IsBranch {
			branches++
		}
	}
	assert.Equal(t, len(all), 6)
	assert.Equal(t, len(seen), 6)
	assert.Equal(t, branches, 1)
	for query, want := range map[string]int{
		"?outcome=ACCEPT": 0, "?outcome=none": 6, "?state=nowhere": 0, "?version=2": 0, "?version=1": 6,
		"?since=2999-01-01T00:00:00Z": 0,
	} {
		var list []wire.OwnedSession
		err := json.Unmarshal(h.send(alice, "GET", path+query, "").body, &list)
		assert.True(t, err == nil && len(list) == want, "%s: %d sessions, %v, want %d", query, len(list), err, want)
	}
	one := wire.Path(wire.Path(wire.PathOwnedSession, id), all[0].SessionID)
	for who, status := range map[string]int{"": 401, bob: 403} {
		for _, c := range [][2]string{{"GET", path}, {"DELETE", one}} {
			assert.Equal(t, h.send(who, c[0], c[1], "").status, status, "%s by %q", c[0], who)
		}
	}
	assert.Equal(t, h.send(alice, "DELETE", one, "").status, 204, "delete")
	h.send(alice, "DELETE", one, "").fails(404, wire.CodeNotFound)
	for _, query := range []string{"?since=yesterday", "?outcome=WON", "?version=0", "?limit=101", "?after=x"} {
		answer := h.send(alice, "GET", path+query, "")
		assert.True(t, answer.status == 400 || answer.status == 422, "%s: %d %s", query, answer.status, answer.body)
	}
}
