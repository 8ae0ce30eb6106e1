package cmd_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/wire"
)

// requestLimit is the processor time that one request may take, for any upload. uploadMemory is the
// memory that the server may hold during one client's requests.
const (
	requestLimit = 1.0 // seconds
	uploadMemory = 1 << 30
)

// TestRequestsCostLittle requests every hostile persona in every way, only with PARLEY_COSTS=1.
func TestRequestsCostLittle(t *testing.T) {
	c := prepareCosts(t)
	for _, limit := range costLimits {
		t.Run(limit.name, func(t *testing.T) {
			for _, s := range personatest.Shapes() {
				if s.Ends == ".json" {
					t.Run(strings.ReplaceAll(s.Name, " ", "-"), func(t *testing.T) { c.measureRequests(t, limit, s) })
				}
			}
		})
	}
}

// costedServer is a server that measures each request.
type costedServer struct {
	*costs
	testing.TB
	prefix, shape, address, token string
	process                       int
}

func (c *costs) startServer(t *testing.T, prefix, shape string) *costedServer {
	data := t.TempDir()
	p := exec.Command(c.program, "localserver", "--listen", "127.0.0.1:0", "--rate-limit", "off")
	p.Env = append(os.Environ(), "PARLEY_DATA_DIR="+data, "PARLEY_CONFIG_DIR="+data, "HOME="+data)
	started := assert.Value(cmdtest.StartServer(p))(t)
	t.Cleanup(started.Kill)
	signIn := assert.Value(identity.ReadSignIn(data))(t)
	return &costedServer{costs: c, TB: t, prefix: prefix, shape: shape, address: started.Address, token: signIn.Token, process: p.Process.Pid}
}

func (c *costs) measureRequests(t *testing.T, limit costLimit, s personatest.Shape) {
	h := c.startServer(t, limit.name+" ", s.Name)
	token := h.token
	text := s.Text(limit.size, 1)
	var saved wire.Saved
	status := h.ask("save", http.MethodPost, wire.PathSave, text, &saved)
	size := limit.size
	if status != http.StatusCreated {
		size = findReadableSize(s, limit.size)
		status = h.ask("save", http.MethodPost, wire.PathSave, s.Text(size, 1), &saved)
	}
	if status == http.StatusCreated {
		h.ask("save again", http.MethodPost, wire.PathSave+"?persona_id="+saved.PersonaID, s.Text(size, 2), nil)
		h.ask("publish", http.MethodPost, wire.PathPublish+"?persona_id="+saved.PersonaID, "", nil)
		h.token = ""
		h.askPlayer(saved.PersonaID)
	}
	if body := s.Text(min(limit.size, wire.MaxBody), 1); limit.size <= wire.MaxBody {
		for name, path := range map[string]string{"init-session": wire.PathInitSession, "message": wire.PathMessage} {
			h.ask(name+" of a hostile body", http.MethodPost, wire.Path(path, saved.PersonaID), body, nil)
		}
		h.token = token
		for name, path := range map[string]string{"migrate-progress": wire.PathMigrateProgress, "create-api-key": wire.PathAPIKeys, "generate": wire.PathGenerate} {
			h.ask(name+" of a hostile body", http.MethodPost, path, body, nil)
		}
	}
}

func (h *costedServer) askPlayer(id string) {
	ask := func(name, method, pattern, query, body string) {
		h.ask(name, method, wire.Path(pattern, id)+query, body, nil)
	}
	for range 2 { // The second time the document is kept.
		ask("get-persona", http.MethodGet, wire.PathPersona, "", "")
		ask("full", http.MethodGet, wire.PathFull, "", "")
		h.ask("play page", http.MethodGet, "/play/"+id, "", nil)
		ask("init-session", http.MethodPost, wire.PathInitSession, "", `{"user_session_id":"u","player_name":"Ann","player_gender":"female"}`)
		ask("message", http.MethodPost, wire.PathMessage, "", `{"user_session_id":"u","message":"the old king said may I come in and see word 7 please"}`)
		ask("long message", http.MethodPost, wire.PathMessage, "", `{"user_session_id":"u","message":"`+strings.Repeat("word ", 700)+`"}`)
		ask("message-stream", http.MethodPost, wire.PathMessageStream, "", `{"user_session_id":"u","message":"hello"}`)
		ask("history", http.MethodGet, wire.PathHistory, "?user_session_id=u", "")
		ask("progress", http.MethodGet, wire.PathProgress, "?user_session_id=u", "")
		ask("available-machines", http.MethodGet, wire.PathAvailableMachines, "?user_session_id=u", "")
	}
}

// ask sends one request, and compares its cost with the limit.
func (h *costedServer) ask(name, method, path, body string, answer any) int {
	h.Helper()
	before, began := h.readSeconds(), time.Now()
	status := h.send(method, path, body, answer)
	took := cost{h.readSeconds() - before, time.Since(began).Seconds(), h.readPeak(), h.shape, h.shape}
	h.keepWorst(h.prefix+name, took)
	if took.seconds > requestLimit || took.bytes > uploadMemory {
		h.Errorf("%s (%s): %d, %.2f s of processor, %.2f s, %d MiB", name, h.shape, status, took.seconds, took.elapsed, took.bytes>>20)
	}
	return status
}

func (h *costedServer) send(method, path, body string, answer any) int {
	h.Helper()
	request, err := http.NewRequestWithContext(h.Context(), method, h.address+path, strings.NewReader(body))
	if err != nil {
		h.Errorf("%s %s: %v", method, path, err)
		return 0
	}
	if h.token != "" {
		request.Header.Set("Authorization", "Bearer "+h.token)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		h.Errorf("%s %s: %v", method, path, err)
		return 0
	}
	got, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if s := response.StatusCode; s >= http.StatusInternalServerError && s != http.StatusNotImplemented && s != http.StatusServiceUnavailable {
		h.Errorf("%s %s: %d %.200s", method, path, s, got)
	}
	if answer != nil && response.StatusCode < http.StatusBadRequest {
		assert.NoError(h, json.Unmarshal(got, answer), "%s %s", method, path)
	}
	return response.StatusCode
}

func (h *costedServer) readSeconds() float64 {
	text := assert.Value(os.ReadFile(fmt.Sprintf("/proc/%d/stat", h.process)))(h)
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

func (h *costedServer) readPeak() int64 {
	text := assert.Value(os.ReadFile(fmt.Sprintf("/proc/%d/status", h.process)))(h)
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kilobytes, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kilobytes << 10
}
