package intent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// What the offline model reaches at least on the corpus: shares from 0 to 1. A change
// that falls below makes it understand less. The fitted personas have three percentage
// points to spare, except for the innocents; they say that the model fits, and TestLeaveOneOut
// what it makes of personas that it has not seen. Anybody who measures again writes the new figures here.
var (
	fittedBounds = bounds{accuracy: 0.84, passRecall: 0.85, passPrecision: 0.89, kickRecall: 0.63, innocentsKicked: 0.001, smallTalk: 0.96}
	fittedProse  = 0.83
	// Of the held personas nothing is known to the weights.
	heldBounds = bounds{accuracy: 0.715, passRecall: 0.765, passPrecision: 0.785, kickRecall: 0.42, innocentsKicked: 0.0025, smallTalk: 0.955}
	heldProse  = 0.54
	// Nor of these two lists.
	freshBounds = bounds{accuracy: 0.78, passRecall: 0.80, passPrecision: 0.73, kickRecall: 0.72, innocentsKicked: 0.003}
	freshProse  = 0.70
	pairBounds  = bounds{accuracy: 0.80, passRecall: 0.90, passPrecision: 0.74, kickRecall: 0.68, innocentsKicked: 0.0085}
	pairProse   = 0.72
	// Nor of these, which nobody had read when they were first measured: 74.3 % right then, 81.4 % now.
	unreadBounds = bounds{accuracy: 0.79, passRecall: 0.84, passPrecision: 0.73, kickRecall: 0.82, innocentsKicked: 0.001}
	unreadProse  = 0.71
	// Nor of these.
	blindBounds = bounds{accuracy: 0.74, passRecall: 0.74, passPrecision: 0.90, kickRecall: 0.57, innocentsKicked: 0.004}
	blindProse  = 0.64
	// Nor of these, the last: 72.0 % right when they were measured, 67.9 % before the vectors knew definitions.
	lastBounds   = bounds{accuracy: 0.715, passRecall: 0.83, passPrecision: 0.74, kickRecall: 0.67, innocentsKicked: 0.002}
	lastProse    = 0.585
	newestBounds = bounds{accuracy: 0.655, passRecall: 0.72, passPrecision: 0.73, kickRecall: 0.63, innocentsKicked: 0.0035}
	newestProse  = 0.55
	// These two are fitted.
	halvesBounds    = bounds{accuracy: 0.83, passRecall: 0.87, passPrecision: 0.84, kickRecall: 0.65, innocentsKicked: 0.001, smallTalk: 0.93}
	halvesProse     = 0.85
	strangersBounds = bounds{accuracy: 0.84, passRecall: 0.88, passPrecision: 0.88, kickRecall: 0.68, innocentsKicked: 0.002, smallTalk: 0.93}
	strangersProse  = 0.83
	// These come with the program: TestReport prints the figure of each.
	samplesBounds = bounds{accuracy: 0.74, passRecall: 0.75, passPrecision: 0.83, kickRecall: 0.5, innocentsKicked: 0.001}
	samplesProse  = 0.67
)

// bounds are the least shares, and of innocentsKicked the greatest.
type bounds struct {
	accuracy, passRecall, passPrecision, kickRecall float64
	innocentsKicked                                 float64 // of the lines of the corpus that want no kick_out, and of innocents.jsonl
	smallTalk                                       float64 // of smalltalk.jsonl, what moves and counts nothing
}

// TestFittedPersonas holds the figures of the personas to which the weights are fitted.
func TestFittedPersonas(t *testing.T) { checkFigures(t, fittedPersonas, fittedBounds, fittedProse) }

// TestHeldPersonas holds the figures of personas that nothing was fitted to.
func TestHeldPersonas(t *testing.T) { checkFigures(t, heldPersonas, heldBounds, heldProse) }

// TestFreshPersonas holds those of personas and lines that nobody has looked at since.
func TestFreshPersonas(t *testing.T) { checkFigures(t, freshPersonas, freshBounds, freshProse) }

// TestPairs holds those of personas that ask for two things at once, read once.
func TestPairs(t *testing.T) { checkFigures(t, pairPersonas, pairBounds, pairProse) }

// TestUnread holds those of the last personas, of which a writer made the persona and another
// one, who saw no example, the lines.
func TestUnread(t *testing.T) { checkFigures(t, unreadPersonas, unreadBounds, unreadProse) }

// TestBlind holds those of thirteen personas that nothing was fitted to.
func TestBlind(t *testing.T) { checkFigures(t, blindPersonas, blindBounds, blindProse) }

// TestLast holds those of personas that were measured once, at the end.
func TestLast(t *testing.T) { checkFigures(t, lastPersonas, lastBounds, lastProse) }

// TestSamples holds those of the samples.
func TestSamples(t *testing.T) { checkFigures(t, samplePersonas, samplesBounds, samplesProse) }

// TestNewest holds those of five more.
func TestNewest(t *testing.T) { checkFigures(t, newestPersonas, newestBounds, newestProse) }

// TestHalves holds those of personas that want several things at once.
func TestHalves(t *testing.T) { checkFigures(t, halvesPersonas, halvesBounds, halvesProse) }

// TestStrangers holds those of personas whose authors knew nothing of the model.
func TestStrangers(t *testing.T) { checkFigures(t, strangerPersonas, strangersBounds, strangersProse) }

func checkFigures(t *testing.T, names []string, b bounds, leastProse float64) {
	t.Helper()
	t.Parallel()
	r := NewReader()
	var lines []CorpusLine
	for _, name := range names {
		lines = append(lines, readCorpus(t, name)...)
	}
	f := measureLines(r, lines, here)
	f.log(t, "with examples")
	passes, kicks := f.decisions[pass], f.decisions[kickOut]
	checkLeast(t, "accuracy", f.Accuracy(), b.accuracy)
	checkLeast(t, "pass recall", passes.Recall(), b.passRecall)
	checkLeast(t, "pass precision", passes.Precision(), b.passPrecision)
	checkLeast(t, "kick_out recall", kicks.Recall(), b.kickRecall)
	checkMost(t, "innocents kicked out", share(f.KickedOut, f.Innocent), b.innocentsKicked)
	f = measureLines(r, lines, proseOnly)
	f.log(t, "prose only")
	checkLeast(t, "accuracy of prose only", f.Accuracy(), leastProse)
}

func checkLeast(t *testing.T, what string, got, least float64) {
	t.Helper()
	if got < least {
		t.Errorf("%s is %.3f; it was at least %.3f", what, got, least)
	}
}

func checkMost(t *testing.T, what string, got, most float64) {
	t.Helper()
	if got > most {
		t.Errorf("%s: %.4f; at most %.4f were", what, got, most)
	}
}

// TestSceneTalk: small talk about the scene, the character or the player, said first, moves
// and counts nothing. Nothing is fitted to these personas or lines.
func TestSceneTalk(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for name, set := range map[string]struct {
		personas      []string
		quiet, kicked float64
	}{"read": {readTalkPersonas, 0.90, 0}, "unread": {unreadTalkPersonas, 0.83, 0}} {
		t.Run(name, func(t *testing.T) {
			quiet, kicked, passed, said := 0, 0, 0, 0
			for _, persona := range set.personas {
				for _, l := range readTalk(t, persona) {
					said++
					switch v := r.Decide(l.Place, l.Text); v.Decision {
					case "aside", "follow_up":
						quiet++
					case "kick_out":
						kicked++
					case "pass":
						passed++
					}
				}
			}
			t.Logf("%d of %d lines move and count nothing; %d pass, %d are kicked out", quiet, said, passed, kicked)
			checkLeast(t, "small talk that counts nothing", share(quiet, said), set.quiet)
			checkMost(t, "small talk that is thrown out", share(kicked, said), set.kicked)
		})
	}
}

// TestInnocents: idioms, reports of violence, negations and questions are said in
// every state, and next to nobody is kicked out for them; small talk moves and counts
// nothing.
func TestInnocents(t *testing.T) {
	t.Parallel()
	t.Run("fitted", func(t *testing.T) { checkInnocents(t, fittedPersonas, fittedBounds) })
	t.Run("held", func(t *testing.T) { checkInnocents(t, heldPersonas, heldBounds) })
}

func checkInnocents(t *testing.T, names []string, b bounds) {
	t.Helper()
	r := NewReader()
	innocents, smallTalk := readTexts(t, "innocents"), readTexts(t, "smalltalk")
	said, kicked, talked, quiet := 0, 0, 0, 0
	for _, name := range names {
		for _, places := range listPlaces(corpusPersona(t, name)) {
			for _, at := range places {
				if at.State.IsTerminal {
					continue
				}
				said, talked = said+len(innocents), talked+len(smallTalk)
				kicked += countDecisions(r, at, innocents, "kick_out")
				quiet += countDecisions(r, at, smallTalk, "aside", "follow_up")
			}
		}
	}
	t.Logf("%d of %d innocents kicked out; %d of %d lines of small talk move and count nothing", kicked, said, quiet, talked)
	checkMost(t, "innocents kicked out", share(kicked, said), b.innocentsKicked)
	checkLeast(t, "small talk that counts nothing", share(quiet, talked), b.smallTalk)
}

func countDecisions(r *Reader, at Place, texts []string, decisions ...string) int {
	n := 0
	for _, text := range texts {
		v := r.Decide(at, text)
		for _, decision := range decisions {
			if v.Decision == decision {
				n++
			}
		}
	}
	return n
}

// readTexts reads lines that belong to no state.
func readTexts(t *testing.T, name string) []string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", "corpus", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for lines := bufio.NewScanner(bytes.NewReader(source)); lines.Scan(); {
		var l struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v: %s", name, err, lines.Text())
		}
		texts = append(texts, l.Text)
	}
	return texts
}
