package persona_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/diff"
)

// TestSavesAtOnce: processes that save one new file at the same time make one persona.
func TestSavesAtOnce(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	folder, file := cmdtest.WritePersonaFile(t)
	ids := make([]string, 8)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			p := cmdtest.AuthorCommand(folder, data, s.Address, "persona", "save", file)
			var talk bytes.Buffer
			p.Stderr = &talk
			out, err := p.Output()
			assert.True(t, err == nil, "%v: %s", err, talk.String())
			ids[i] = string(out)
		})
	}
	group.Wait()
	for _, id := range ids {
		assert.Equal(t, id, ids[0], "one file became %q", ids)
		assert.True(t, len(id) >= 36, "one file became %q", ids)
	}
	out, err := cmdtest.AuthorCommand(folder, data, s.Address, "persona", "list", "--mine").Output()
	assert.NoError(t, err, "these personas are there %s", out)
	assert.Equal(t, bytes.Count(out, []byte("\n")), 1, "these personas are there %s", out)
}

// answering is a service that knows one persona; on saving it does something else, too.
func answering(t *testing.T, doc string, onSave func()) string {
	t.Helper()
	head := `"id": "` + cmdtest.AnyID + `", "name": "Echo", "created_at": "2026-01-31T12:00:00Z", "updated_at": "2026-01-31T12:00:00Z"`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/creator/save"):
			onSave()
			fmt.Fprintf(w, `{%s, "persona_id": %q}`, head, cmdtest.AnyID)
		case strings.HasSuffix(r.URL.Path, "/personas"):
			fmt.Fprint(w, "[]")
		case strings.HasSuffix(r.URL.Path, "/full"):
			fmt.Fprintf(w, `{"persona": {%s}, "variables": [], "machine_links": [], "machines": %s}`, head, doc)
		default:
			fmt.Fprintf(w, `{"play_link": "http://x/play", "persona_id": %q}`, cmdtest.AnyID)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestSavedButNotRecorded: the id of the saved persona is printed, with a warning about the next save.
func TestSavedButNotRecorded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a folder in use cannot be removed there")
	}
	folder, file := cmdtest.WritePersonaFile(t)
	address := answering(t, "[]", func() { _ = os.RemoveAll(folder) })
	p := cmdtest.AuthorCommand(t.TempDir(), t.TempDir(), address, "persona", "save", file)
	var out, talk bytes.Buffer
	p.Stdout, p.Stderr = &out, &talk
	err := p.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	assert.True(t, ok && exit.ExitCode() == 3 && strings.TrimSpace(out.String()) == cmdtest.AnyID,
		"%v, stdout %q", err, out.String())
	assert.Contains(t, talk.String(), "was saved as "+cmdtest.AnyID+", but: ")
	assert.Contains(t, talk.String(), "--id "+cmdtest.AnyID)
}

// TestPublishRefusesWhatDoesNotRun: another service may store personas that ours would refuse.
func TestPublishRefusesWhatDoesNotRun(t *testing.T) {
	t.Parallel()
	address := answering(t, `[{"machine_key": "m", "states": [{"state_key": "\u001b[31ma"}], "transitions": []}]`, func() {})
	folder := t.TempDir()
	p := cmdtest.AuthorCommand(folder, folder, address, "persona", "publish", cmdtest.AnyID)
	out, err := p.CombinedOutput()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 1 || !strings.Contains(string(out), "errors (see above)") ||
		!strings.Contains(string(out), "--force") || strings.Contains(string(out), "\x1b") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := cmdtest.AuthorCommand(folder, folder, address, "persona", "publish", "--force",
		cmdtest.AnyID).Output(); err != nil || string(out) != "http://x/play\n" {
		t.Errorf("with --force: %v: %s", err, out)
	}
}

// drawn is a persona that runs, made of random parts.
func drawn(r *rand.Rand) personas.Persona {
	words := []string{"the gate", "{{town}}", "é 日本 🙂", "a: b", "- x", "#", "it's", `"so"`, "yes", "1", "\n", "  ", "\t", "null", "\u2028"}
	text := func() string {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		return b.String()
	}
	p := personas.Persona{Name: "n" + text(), Description: "d" + text(), IdentityPrompt: "p" + text()}
	p.Variables = []personas.Variable{{Key: "town", Value: text(), Description: text()}}
	p.Extra = personas.Members{{Name: "x-note " + text(), Value: json.RawMessage(`{"a":[1,{"b":null}]}`)}}
	for m := range 1 + r.IntN(3) {
		machine := personas.Machine{Key: fmt.Sprint("m", m), Name: text(), ChatPrompt: text(), IsEntry: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			machine.ScoringMode, machine.PassThreshold = personas.Scoring, new(r.IntN(9))
		}
		states := 2 + r.IntN(4)
		for s := range states {
			state := personas.State{Key: fmt.Sprint("s", s), Label: text(), IsInitial: s == 0, IsTerminal: s == states-1, PromptInstruction: text()}
			if r.IntN(2) == 0 {
				state.Offline = &personas.Offline{Opening: []string{text()}, Lines: personas.Lines{Pass: []string{"x" + text(), text()}}}
			}
			machine.States = append(machine.States, state)
			if s > 0 {
				machine.Transitions = append(machine.Transitions, personas.Transition{
					From: fmt.Sprint("s", s-1), To: fmt.Sprint("s", s), Decision: personas.DecidePass, ScoreDelta: r.IntN(5) - 2, Condition: text(),
				})
			}
		}
		p.Machines = append(p.Machines, machine)
		if m > 0 {
			p.Links = append(p.Links, personas.Link{Source: "m0", Target: machine.Key, Condition: personas.IfScoreGTE, Score: r.IntN(5), AutoAdvance: m == 1})
		}
	}
	return p
}

// TestPulledIsWhatWasSaved saves 1,000 random personas on a real server and compares them with the pulled files.
func TestPulledIsWhatWasSaved(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	token := cmdtest.MustOutput(t, "localserver", "token", "--data", data, "--user", "author@example.com")
	c := cmdtest.NewClient(t, s.Address, token)
	many := 1000
	if testing.Short() {
		many = 50
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range many {
		comparePulled(t, c, drawn(r), i)
	}
}

func comparePulled(t *testing.T, c *client.Client, doc personas.Persona, i int) {
	t.Helper()
	saved, _, err := c.SavePersona(t.Context(), "", doc, "")
	assert.NoError(t, err, "persona %d", i)
	full := assert.Value(c.FullPersona(t.Context(), saved.ID))(t, "persona %d", i)
	text := assert.Value(personas.EncodeYAML(full.Document()))(t, "persona %d", i)
	again, _, faults := personas.Parse("p.yaml", text)
	r := diff.Compare(&doc, &again)
	assert.Must(t, len(faults) == 0 && r.Same, "persona %d: %v %+v\n%s", i, faults, r.Changes, text)
}
