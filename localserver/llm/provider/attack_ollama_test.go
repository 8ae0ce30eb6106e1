package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/double"
)

// TestOllamaExchanges reads exchanges as Ollama's own API has them. They were not recorded
// from a running Ollama: the files are written after its documentation of POST /api/chat
// (members, their order, times in nanoseconds, one object a line), with texts, numbers
// and times of our own; the error in mid-stream is the one that its users report.
func TestOllamaExchanges(t *testing.T) {
	for _, c := range []struct {
		file, text, words string
		schema            bool
		finish            Finish
		in, out           int
	}{
		{file: "plain.ndjson", text: "State your business.", finish: Stopped, in: 113, out: 5},
		{file: "thinking.ndjson", text: "You lie.", finish: Stopped, in: 98, out: 9},
		{file: "length.ndjson", text: "Once upon a", finish: Length, in: 20, out: 3},
		{file: "broken.ndjson", words: "unexpected EOF"},
		{file: "whole.json", text: `{"holds":[1]}`, schema: true, finish: Stopped, in: 140, out: 8},
	} {
		for _, slices := range []int{0, 1, 17} {
			t.Run(c.file, func(t *testing.T) {
				raw, err := os.ReadFile(filepath.Join("testdata", "ollama", c.file))
				if err != nil {
					t.Fatal(err)
				}
				r := fullRequest()
				if c.schema {
					r = schemaRequest()
				}
				d := double.New(double.Sequence(double.Script{Raw: raw, Slices: slices}))
				answer, shown, err := askPieces(t, newFakeProvider(t, d).newAsker(t, "ollama/llama3.2:3b"), r, true)
				if c.words != "" {
					if e := mustFail(t, err, Down); !strings.Contains(e.Message, c.words) || strings.Join(shown, "") != "State" {
						t.Errorf("%q, then %v", shown, e)
					}
					return
				}
				if err != nil || answer.Text != c.text || answer.Finish != c.finish || answer.Usage.In != c.in || answer.Usage.Out != c.out {
					t.Errorf("%+v, %v", answer, err)
				}
			})
		}
	}
}
