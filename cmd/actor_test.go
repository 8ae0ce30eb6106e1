package cmd_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/parley-npc/parley/localserver/llm/double"
)

// act is a model that plays: it judges a message by the decision that stands in
// it, as in "fish [pass]", and says one line otherwise.
func act(r double.Request) double.Script {
	s := double.Script{In: 1000, Out: 20, Pieces: []string{"A purr", ", no more."}}
	if len(r.Schema) == 0 {
		return s
	}
	var shape struct {
		Properties struct {
			Holds struct {
				Items struct {
					Properties struct{ Choice struct{ Enum []string } }
				}
			}
		}
	}
	_ = json.Unmarshal(r.Schema, &shape) // Of another schema there are no choices.
	s.Pieces = []string{`{"why": "so it seems", "holds": []}`}
	for _, id := range shape.Properties.Holds.Items.Properties.Choice.Enum {
		if _, decision, _ := strings.Cut(id, "-"); strings.Contains(r.LastMessage(), "["+decision+"]") {
			s.Pieces = []string{`{"why": "so it seems", "holds": [{"choice": "` + id + `", "why": "it stands there"}]}`}
		}
	}
	return s
}

// newActor is an Ollama with a model that plays.
func newActor() *httptest.Server {
	return httptest.NewServer(double.New(act).ListModels("llama3.2:latest", "llama3.2"))
}

// startActor is the scripts' command actor: an Ollama, at $OLLAMA_HOST.
func startActor(ts *testscript.TestScript, _ bool, _ []string) {
	s := newActor()
	ts.Defer(s.Close)
	ts.Setenv("OLLAMA_HOST", s.URL)
}

// TestModelsPage plays what docs/models.md says of real models, against an Ollama
// that is none.
func TestModelsPage(t *testing.T) {
	blocks := strings.Join(fencedBlocks(t, "docs/models.md", "console"), "")
	s := newActor()
	defer s.Close()
	dir := t.TempDir()
	starter, err := os.ReadFile("../personas/examples/starter.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "my-cat.yaml"), starter, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(line string) (stdout, stderr string) {
		p := exec.Command(os.Args[0], strings.Fields(line)[1:]...)
		var out, talk strings.Builder
		p.Dir, p.Stdin, p.Stdout, p.Stderr = dir, strings.NewReader("Some fish? [pass]\n"), &out, &talk
		p.Env = append(os.Environ(), asParley+"=1", "OLLAMA_HOST="+s.URL, "HOME="+dir)
		if err := p.Run(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, talk.String())
		}
		return out.String(), talk.String()
	}
	for line, want := range map[string]string{
		"parley chat my-cat.yaml --llm ollama/llama3.2": "Biscuit: A purr, no more.\n[Off the book] [pass or fail] [ended: accepted]",
		"parley localserver models":                     "ollama/llama3.2\n",
	} {
		if !strings.Contains(blocks, "$ "+line+"\n") {
			t.Errorf("docs/models.md does not show %q", line)
			continue
		}
		if out, talk := run(line); !strings.Contains(out, want) {
			t.Errorf("%s: %s%s", line, out, talk)
		}
	}
	keyless := regexp.MustCompile(`(?m)^\$ (parley localserver --llm openai/.*)$`).FindStringSubmatch(blocks)
	if keyless == nil {
		t.Fatal("docs/models.md does not show a server with a model")
	}
	p := exec.Command(os.Args[0], append(strings.Fields(keyless[1])[1:], "--listen", "127.0.0.1:0", "--data", dir)...)
	p.Env = append(os.Environ(), asParley+"=1", "OPENAI_API_KEY=", "PARLEY_LLM_API_KEY=")
	if out, err := p.CombinedOutput(); err == nil || !strings.Contains(string(out), "OPENAI_API_KEY") {
		t.Errorf("%s without a key: %v\n%s", keyless[1], err, out)
	}
}

// TestModelsPageWriting plays what docs/models.md says of models that write: what is drafted
// by one line is there for the next.
func TestModelsPageWriting(t *testing.T) {
	draft, err := os.ReadFile("../localserver/draft/testdata/harbour.json")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(double.New(func(r double.Request) double.Script {
		if strings.Contains(r.LastMessage(), "The text:") {
			return double.Script{Pieces: []string{`{"text": "You are Ilse. {{player_name}} wants a berth."}`}}
		}
		return double.Script{Pieces: []string{string(draft)}}
	}))
	defer s.Close()
	lines := regexp.MustCompile(`(?m)^\$ (parley persona (?:new|polish) harbour.yaml .*)$`).FindAllStringSubmatch(readPage(t, "docs/models.md"), -1)
	if len(lines) != 2 {
		t.Fatalf("docs/models.md has %d lines of models that write, not 2", len(lines))
	}
	dir := t.TempDir()
	for _, line := range lines {
		var words []string
		for _, word := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line[1], -1) {
			words = append(words, strings.Trim(word, `"`))
		}
		p := exec.Command(os.Args[0], words[1:]...)
		p.Dir = dir
		p.Env = append(os.Environ(), asParley+"=1", "OLLAMA_HOST="+s.URL, "HOME="+dir, "PARLEY_LLM_MODEL=ollama/llama3.2")
		if out, err := p.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line[1], err, out)
		}
	}
}
