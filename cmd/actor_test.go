package cmd_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestModelsPage plays the examples of docs/models.md with real models, against a fake Ollama.
func TestModelsPage(t *testing.T) {
	t.Parallel()
	blocks := strings.Join(fencedBlocks(t, "docs/models.md", "console"), "")
	s := cmdtest.StartActor()
	defer s.Close()
	dir := t.TempDir()
	starter := assert.Value(os.ReadFile("../personas/examples/starter.yaml"))(t)
	assert.NoError(t, os.WriteFile(filepath.Join(dir, "my-cat.yaml"), starter, 0o600))
	run := func(line string) (stdout, stderr string) {
		p := exec.Command(os.Args[0], strings.Fields(line)[1:]...)
		var out, talk strings.Builder
		p.Dir, p.Stdin, p.Stdout, p.Stderr = dir, strings.NewReader("Some fish? [pass]\n"), &out, &talk
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "OLLAMA_HOST="+s.URL, "HOME="+dir)
		err := p.Run()
		assert.True(t, err == nil, "%s: %v\n%s", line, err, talk.String())
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
		out, talk := run(line)
		assert.Contains(t, out, want, "%s: %s%s", line, out, talk)
	}
	keyless := regexp.MustCompile(`(?m)^\$ (parley localserver --llm openai/.*)$`).FindStringSubmatch(blocks)
	assert.Must(t, keyless != nil, "docs/models.md does not show a server with a model")
	p := exec.Command(os.Args[0], append(strings.Fields(keyless[1])[1:], "--listen", "127.0.0.1:0", "--data", dir)...)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "OPENAI_API_KEY=", "PARLEY_LLM_API_KEY=")
	if out, err := p.CombinedOutput(); err == nil || !strings.Contains(string(out), "OPENAI_API_KEY") {
		t.Errorf("%s without a key: %v\n%s", keyless[1], err, out)
	}
}

func TestModelsPageWriting(t *testing.T) {
	t.Parallel()
	script := assert.Value(txtar.ParseFile("persona/testdata/script/generate.txtar"))(t)
	answers := map[string]string{}
	for _, f := range script.Files {
		answers[f.Name] = string(f.Data)
	}
	steps := []string{"who.json", "scene.json", "conditions.json", "examples.json", "lines.json", "conditions2.json", "examples2.json", "lines2.json"}
	var asked atomic.Int32
	s := httptest.NewServer(llmtest.New(func(r llmtest.Request) llmtest.Script {
		if strings.Contains(r.LastMessage(), "The text:") {
			return llmtest.Script{Pieces: []string{`{"text": "You are Ilse. You keep the harbour."}`}}
		}
		return llmtest.Script{Pieces: []string{answers[steps[(int(asked.Add(1))-1)%len(steps)]]}}
	}))
	defer s.Close()
	lines := regexp.MustCompile(`(?m)^\$ (parley persona (?:new|polish) harbour.yaml .*)$`).FindAllStringSubmatch(readPage(t, "docs/models.md"), -1)
	assert.Must(t, len(lines) == 2, "docs/models.md has %d lines of models that write, not 2", len(lines))
	dir := t.TempDir()
	for _, line := range lines {
		var words []string
		for _, word := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line[1], -1) {
			words = append(words, strings.Trim(word, `"`))
		}
		p := exec.Command(os.Args[0], words[1:]...)
		p.Dir = dir
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "OLLAMA_HOST="+s.URL, "HOME="+dir, "PARLEY_LLM_MODEL=ollama/llama3.2")
		if out, err := p.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line[1], err, out)
		}
	}
}
