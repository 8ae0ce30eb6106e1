package intent

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

var (
	report = flag.Bool("report", false, "print all figures of the offline model (TestReport)")
	ablate = flag.Bool("ablate", false, "fit without each group of features and print what remains (TestAblations)")
)

var unfittedSets = map[string][]string{
	"newest": newestPersonas, "last": lastPersonas, "held": heldPersonas, "blind": blindPersonas,
	"fresh": freshPersonas, "unread": unreadPersonas, "pairs": pairPersonas,
}

// figures are the offline model's results in percent (docs/figures.md).
type figures struct {
	Right, PassRecall                  float64 // of the unfitted lines
	KickedOut, Innocents               float64 // share of kick_outs: for the unfitted lines, and for innocents.jsonl in every third state
	QuietRead, QuietUnread, QuietState float64 // small talk that does not cost a try: of two sets, and in every state
	Universal, Agreement               float64 // share of states where universalSentence passes, and where agreement passes
}

// agreement is one claim that suits many stories.
const agreement = "I agree with you, and I mean it."

// unfittedPersonas returns the names in a fixed order, which selects the states for the innocents.
func unfittedPersonas() (names []string) {
	for _, set := range slices.Sorted(maps.Keys(unfittedSets)) {
		names = append(names, unfittedSets[set]...)
	}
	return names
}

func measureFigures(t testing.TB, r *Reader) figures {
	var f figures
	names := unfittedPersonas()
	lines := measureCorpora(t, r, names)
	f.Right, f.PassRecall, f.KickedOut = 100*lines.Accuracy(), 100*lines.decisions[pass].Recall(), 100*share(lines.KickedOut, lines.Innocent)
	f.QuietRead, f.QuietUnread = quietTalk(t, r, readTalkPersonas), quietTalk(t, r, unreadTalkPersonas)
	innocents, talk := readTexts(t, "innocents"), readTexts(t, "smalltalk")
	kicked, said, quiet, talked, universal, agreed, states := 0, 0, 0, 0, 0, 0, 0
	for i, name := range slices.Concat(fittedPersonas, names) {
		for j, at := range openPlaces(t, name) {
			if canPass(&at) {
				states++
				universal += countDecisions(r, at, []string{universalSentence}, "pass")
				agreed += countDecisions(r, at, []string{agreement}, "pass")
			}
			if (i+j)%3 > 0 {
				continue
			}
			said += len(innocents)
			kicked += countDecisions(r, at, innocents, "kick_out")
			if i < len(fittedPersonas) {
				talked += len(talk)
				at.InGame = true
				quiet += countDecisions(r, at, talk, "aside", "follow_up")
			}
		}
	}
	f.Innocents, f.QuietState = 100*share(kicked, said), 100*share(quiet, talked)
	f.Universal, f.Agreement = 100*share(universal, states), 100*share(agreed, states)
	return f
}

func quietTalk(t testing.TB, r *Reader, personas []string) float64 {
	quiet, said := 0, 0
	for _, persona := range personas {
		for _, l := range readTalk(t, persona) {
			said++
			l.Place.InGame = true
			quiet += countDecisions(r, l.Place, []string{l.Text}, "aside", "follow_up")
		}
	}
	return 100 * share(quiet, said)
}

// TestFigures checks bounds of the figures in docs/figures.md, so that changes do not make the
// model worse.
func TestFigures(t *testing.T) {
	t.Parallel()
	got := measureFigures(t, NewReader())
	t.Logf("%+v", got)
	for _, c := range []struct {
		name        string
		least, most float64
		got         float64
	}{
		{"right", 73, 100, got.Right}, {"pass recall", 82, 100, got.PassRecall},
		{"lines thrown out", 0, 0.2, got.KickedOut}, {"innocents thrown out", 0, 0.2, got.Innocents},
		{"quiet, read", 90, 100, got.QuietRead}, {"quiet, unread", 84, 100, got.QuietUnread}, {"quiet in every state", 95, 100, got.QuietState},
		{"the universal sentence", 0, 1, got.Universal},
	} {
		assert.True(t, c.got >= c.least && c.got <= c.most, "%s: %.2f %%, want %v to %v", c.name, c.got, c.least, c.most)
	}
}

// TestReport prints all figures of docs/figures.md, "Offline model".
func TestReport(t *testing.T) {
	if !*report {
		t.Skip("only with -report")
	}
	r := NewReader()
	fmt.Printf("%+v\n", measureFigures(t, r))
	for _, set := range slices.Sorted(maps.Keys(unfittedSets)) {
		reportLines(t, r, set, unfittedSets[set])
	}
	reportLines(t, r, "all", unfittedPersonas())
	for _, name := range samplePersonas {
		reportLines(t, r, name, []string{name})
	}
	reportLines(t, r, "samples", samplePersonas)
	reportSpeed(t, r)
	reportUniversal(t, r)
}

var featureGroups = map[string][2]int{
	"meaning": {fMeaning, fIntervalIn}, "intervals": {fIntervalIn, fOpposed}, "opposed": {fOpposed, fKernel}, "kernels": {fKernel, fKinds},
	"decision by the message alone": {fKinds, fSlots}, "recurring words": {fSlots, fLength}, "length": {fLength, featureCount},
}

func TestAblations(t *testing.T) {
	if !*ablate {
		t.Skip("only with -ablate")
	}
	f := newFitting(t)
	r := newReader(fitClassifier(f.kinds, -1))
	for _, name := range append([]string{""}, slices.Sorted(maps.Keys(featureGroups))...) {
		r.full = fitModel(f.full, featureGroups[name])
		fmt.Printf("without %-30s %+v\n", name, measureFigures(t, r))
	}
}

func reportLines(t *testing.T, r *Reader, title string, names []string) {
	f := measureCorpora(t, r, names)
	fmt.Printf("%-15s %5.1f %% of %d right; thrown out: %d of %d innocents, %.2f %%\n", title, 100*f.Accuracy(), f.Lines, f.KickedOut, f.Innocent, 100*share(f.KickedOut, f.Innocent))
	if title != "all" {
		return
	}
	for _, d := range f.Decisions() {
		fmt.Printf("    %-10s wanted %4d  recall %5.1f %%  precision %5.1f %%\n", d.Decision, d.Wanted, 100*d.Recall(), 100*d.Precision())
	}
}

func openPlaces(t testing.TB, name string) []Place {
	var out []Place
	places := listPlaces(corpusPersona(t, name))
	for _, key := range slices.Sorted(maps.Keys(places)) {
		out = append(out, slices.DeleteFunc(places[key], func(at Place) bool { return at.State.IsTerminal })...)
	}
	return out
}

// universalSentence passed in 151 of 280 states at the time when it was found.
const universalSentence = "I'm sorry. I was wrong. I promise to help, I brought you food, I like you, I will be quiet and I tell you the truth."

const maxClaims = 3

// reportUniversal searches for sentences that pass in many states. It joins claims that strangers
// wrote (claims_unread.json): in each language it extends the best sentence by the claim that adds
// the most passes. It tries every fourth state.
func reportUniversal(t *testing.T, r *Reader) {
	var claims map[string][]string
	source, err := os.ReadFile(filepath.Join("testdata", "corpus", "claims_unread.json"))
	if err == nil {
		err = json.Unmarshal(source, &claims)
	}
	assert.NoError(t, err)
	var places []Place
	for i, name := range slices.Concat(fittedPersonas, unfittedPersonas()) {
		for j, at := range openPlaces(t, name) {
			if canPass(&at) && (i+j)%4 == 0 {
				places = append(places, at)
			}
		}
	}
	for _, language := range slices.Sorted(maps.Keys(claims)) {
		said, left := "", claims[language]
		for range maxClaims {
			most, best := -1, 0
			for i, claim := range left {
				n := 0
				for _, at := range places {
					n += countDecisions(r, at, []string{joinClaims(said, claim)}, "pass")
				}
				if n > most {
					most, best = n, i
				}
			}
			said, left = joinClaims(said, left[best]), slices.Delete(left, best, best+1)
			fmt.Printf("    %5.1f %% of %d states: %s\n", 100*share(most, len(places)), len(places), said)
		}
	}
}

func joinClaims(said, claim string) string {
	claim = strings.ToUpper(claim[:1]) + strings.TrimRight(claim[1:], ".") + "."
	return strings.TrimSpace(said + " " + claim)
}

func canPass(at *Place) bool {
	return slices.ContainsFunc(listChoices(at), func(c choice) bool { return c.kind == pass && !c.isBare() })
}

func reportSpeed(t *testing.T, r *Reader) {
	var lines []CorpusLine
	for _, name := range newestPersonas {
		lines = append(lines, readCorpus(t, name)...)
	}
	for i := range lines {
		r.Decide(lines[i].Place, "hello")
	}
	start, n := cpuTime(t), 0
	for cpuTime(t)-start < 3*time.Second {
		l := &lines[n%len(lines)]
		r.Decide(l.Place, l.Text)
		n++
	}
	fmt.Printf("%.0f decisions a second and core\n", float64(n)/(cpuTime(t)-start).Seconds())
}

// cpuTime returns the processor time of the process, which does not depend on other processes.
func cpuTime(t *testing.T) time.Duration {
	var of syscall.Rusage
	assert.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &of))
	return time.Duration(of.Utime.Nano() + of.Stime.Nano())
}

func countDecisions(r *Reader, at Place, texts []string, decisions ...string) int {
	n := 0
	for _, text := range texts {
		if slices.Contains(decisions, r.Decide(at, text).Decision) {
			n++
		}
	}
	return n
}
