// Command models measures a judge on lines with known labels: how many it judges right, how
// long a judgement takes, and how many tokens it reads. The lines are those of
// personas/intent/testdata/corpus. Run it from the top of the repository:
//
//	go run ./.ci/models -url http://127.0.0.1:8080/v1 -lines 100
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

const corpus = "personas/intent/testdata/corpus"

// judged is one line of the output file.
type judged struct {
	Persona, State, Text, Label string
	BuiltIn                     string
	Confidence                  float64
	Decision, Method            string
	Choices                     []llm.Choice
	Seconds                     float64
	In, Cached, Out             int
	Error                       string
}

func main() {
	log.SetFlags(0)
	url := flag.String("url", "", "OpenAI-compatible address; none measures the built-in judge")
	model := flag.String("model", "openai/local", "model")
	method := flag.String("method", "auto", "how it is asked")
	names := flag.String("personas", "", "corpora, with commas; all if empty")
	most := flag.Int("lines", 0, "how many lines, drawn with a fixed seed; 0 for all")
	out := flag.String("out", "", "file for what was judged, a line of JSON each")
	flag.Parse()
	lines := readLines(*names)
	if *most > 0 && *most < len(lines) {
		r := rand.New(rand.NewPCG(1, 1))
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		lines = lines[:*most]
		// Lines of a state stand together, as the messages of a player do.
		slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.persona+a.State, b.persona+b.State) })
	}
	var judge llm.Judge
	if *url != "" {
		client := provider.New(provider.Options{BaseURL: *url, Env: func(string) string { return "none" }})
		asker, err := client.OperatorModel(*model)
		if err != nil {
			log.Fatal(err)
		}
		m, err := hosted.ParseMethod(*method)
		if err != nil {
			log.Fatal(err)
		}
		judge = hosted.New(hosted.Options{Evaluation: asker, Response: asker, Summarization: asker, Method: m, Limits: hosted.TimeLimits{Evaluation: 5 * time.Minute}})
	}
	var kept []judged
	reader := intent.NewReader()
	for i := range lines {
		kept = append(kept, judgeLine(reader, judge, &lines[i]))
		if *out != "" {
			writeLine(*out, i == 0, kept[i])
		}
	}
	report(kept)
}

type line struct {
	intent.CorpusLine
	persona string
	doc     *personas.Persona
}

func readLines(names string) []line {
	files, err := filepath.Glob(filepath.Join(corpus, "*.yaml"))
	if err != nil {
		log.Fatal(err)
	}
	var all []line
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if names != "" && !slices.Contains(strings.Split(names, ","), name) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		doc, _, faults := personas.Parse(file, text)
		source, err := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".jsonl")
		if len(faults) > 0 || err != nil {
			continue
		}
		lines, faults := intent.ParseCorpus(&doc, source)
		if len(faults) > 0 {
			log.Fatal(faults)
		}
		for _, l := range lines {
			all = append(all, line{l, name, &doc})
		}
	}
	return all
}

func judgeLine(reader *intent.Reader, judge llm.Judge, l *line) judged {
	v := reader.Decide(l.Place, l.Text)
	j := judged{Persona: l.persona, State: l.State, Text: l.Text, Label: l.Label, BuiltIn: v.Decision, Confidence: v.Confidence}
	if judge == nil {
		j.Decision = v.Decision
		return j
	}
	input := llm.Input{
		Persona: l.doc, Machine: l.Place.Machine, State: l.Place.State, Outgoing: l.Place.Outgoing,
		FollowUpAllowed: l.Place.FollowUpAllowed, Message: l.Text,
	}
	begun := time.Now()
	e, err := judge.Evaluate(context.Background(), input)
	j.Seconds, j.Method, j.Choices = time.Since(begun).Seconds(), e.Method, e.Choices
	j.In, j.Cached, j.Out = e.Usage.In, e.Usage.Cached, e.Usage.Out
	switch {
	case err != nil:
		j.Error = err.Error()
	case e.Aside:
		j.Decision = personas.AsideName
	case e.FollowUp:
		j.Decision = personas.FollowUpName
	case len(e.Holds) == 0:
		j.Decision = string(personas.DecideRedirect)
	default:
		j.Decision = string(l.Place.Machine.Transitions[e.Holds[0].Transition].Decision)
	}
	return j
}

func writeLine(file string, first bool, j judged) {
	mode := os.O_CREATE | os.O_APPEND | os.O_WRONLY
	if first {
		mode |= os.O_TRUNC
	}
	f, err := os.OpenFile(file, mode, 0o644)
	if err == nil {
		err = json.NewEncoder(f).Encode(j)
	}
	if err != nil {
		log.Fatal(err)
	}
	_ = f.Close()
}

func report(all []judged) {
	right, wanted, made, hit := 0, map[string]int{}, map[string]int{}, map[string]int{}
	var times []float64
	in, cached, written, failed := 0, 0, 0, 0
	methods := map[string]int{}
	for i, j := range all {
		wanted[j.Label]++
		made[j.Decision]++
		methods[j.Method]++
		if j.Decision == j.Label {
			right++
			hit[j.Label]++
		}
		if j.Error != "" {
			failed++
		}
		if i > 0 && all[i-1].State == j.State && all[i-1].Persona == j.Persona { // The state was read before.
			times, in, cached, written = append(times, j.Seconds), in+j.In, cached+j.Cached, written+j.Out
		}
	}
	fmt.Printf("right %d of %d (%.1f %%), failed %d, methods %v\n", right, len(all), 100*float64(right)/float64(max(len(all), 1)), failed, methods)
	for _, d := range []string{"pass", "redirect", "reject", "kick_out", "follow_up", "aside"} {
		fmt.Printf("%-10s wanted %3d  made %3d  right %3d\n", d, wanted[d], made[d], hit[d])
	}
	if len(times) > 0 {
		slices.Sort(times)
		n := len(times)
		fmt.Printf("in a state that was read before: median %.2f s, 95th percentile %.2f s; tokens a judgement: read %d, from the cache %.0f %%, written %.1f\n",
			times[n/2], times[n*95/100], in/n, 100*float64(cached)/float64(max(in, 1)), float64(written)/float64(n))
	}
}
