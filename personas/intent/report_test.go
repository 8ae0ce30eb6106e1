package intent

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var report = flag.Bool("report", false, "print all figures of the offline model (TestReport)")

// unfittedSets are the personas to which nothing is fitted.
var unfittedSets = map[string][]string{
	"newest": newestPersonas, "last": lastPersonas, "held": heldPersonas, "blind": blindPersonas,
	"fresh": freshPersonas, "unread": unreadPersonas, "pairs": pairPersonas,
}

// TestReport prints the figures of docs/figures.md, "Offline model".
func TestReport(t *testing.T) {
	if !*report {
		t.Skip("only with -report")
	}
	r := NewReader()
	reportLines(t, r)
	reportSamples(t, r)
	reportSure(t, r)
	reportSmallTalk(t, r)
	reportSpeed(t, r)
	reportUniversal(t, r)
}

func reportLines(t *testing.T, r *Reader) {
	var all Figures
	for _, set := range slices.Sorted(maps.Keys(unfittedSets)) {
		var f Figures
		for _, name := range unfittedSets[set] {
			f.add(measureLines(r, readCorpus(t, name), here))
		}
		fmt.Printf("%-8s %5.1f %% of %d right\n", set, 100*f.Accuracy(), f.Lines)
		all.add(&f)
	}
	fmt.Printf("%-8s %5.1f %% of %d right; thrown out: %d of %d innocents, %.2f %%\n", "all", 100*all.Accuracy(), all.Lines, all.KickedOut, all.Innocent, 100*share(all.KickedOut, all.Innocent))
	for _, d := range all.Decisions() {
		fmt.Printf("    %-10s wanted %4d  recall %5.1f %%  precision %5.1f %%\n", d.Decision, d.Wanted, 100*d.Recall(), 100*d.Precision())
	}
}

// reportSamples prints how many lines of each sample are right. The samples are in no set.
func reportSamples(t *testing.T, r *Reader) {
	var all Figures
	for _, name := range samplePersonas {
		f := measureLines(r, readCorpus(t, name), here)
		fmt.Printf("    %-15s %5.1f %% of %d right\n", name, 100*f.Accuracy(), f.Lines)
		all.add(f)
	}
	fmt.Printf("%-8s %5.1f %% of %d right\n", "samples", 100*all.Accuracy(), all.Lines)
}

// reportSure prints the confidence from which each decision is right 95 times in 100.
func reportSure(t *testing.T, r *Reader) {
	type judged struct {
		confidence float64
		right      bool
	}
	made := make(map[string][]judged)
	for _, names := range unfittedSets {
		for _, name := range names {
			for _, l := range readCorpus(t, name) {
				v := r.Decide(l.Place, l.Text)
				made[v.Decision] = append(made[v.Decision], judged{v.Confidence, l.IsRight(v.Decision, v.Rows)})
			}
		}
	}
	const fewest, wanted = 20, 0.95
	for _, decision := range slices.Sorted(maps.Keys(made)) {
		list := made[decision]
		slices.SortFunc(list, func(a, b judged) int { return cmp.Compare(b.confidence, a.confidence) })
		right, from, count := 0, 0.0, 0
		for i, j := range list {
			if j.right {
				right++
			}
			if i >= fewest && share(right, i+1) >= wanted {
				from, count = j.confidence, i+1
			}
		}
		fmt.Printf("    %-10s right 95 times in 100 from %.2f on: %d of %d\n", decision, from, count, len(list))
	}
}

func reportSmallTalk(t *testing.T, r *Reader) {
	for _, set := range []struct {
		name     string
		personas []string
	}{{"read", readTalkPersonas}, {"unread", unreadTalkPersonas}} {
		quiet, said := 0, 0
		for _, persona := range set.personas {
			for _, l := range readTalk(t, persona) {
				said++
				quiet += countDecisions(r, l.Place, []string{l.Text}, "aside", "follow_up")
			}
		}
		fmt.Printf("quiet small talk, %s: %.1f %% of %d\n", set.name, 100*share(quiet, said), said)
	}
	quiet, said := 0, 0
	texts := readTexts(t, "smalltalk")
	for _, name := range fittedPersonas {
		for _, at := range openPlaces(t, name) {
			said += len(texts)
			quiet += countDecisions(r, at, texts, "aside", "follow_up")
		}
	}
	fmt.Printf("quiet small talk, everywhere: %.1f %% of %d\n", 100*share(quiet, said), said)
}

// openPlaces returns the states of a persona in which something is said.
func openPlaces(t testing.TB, name string) []Place {
	var out []Place
	places := listPlaces(corpusPersona(t, name))
	for _, key := range slices.Sorted(maps.Keys(places)) {
		out = append(out, slices.DeleteFunc(places[key], func(at Place) bool { return at.State.IsTerminal })...)
	}
	return out
}

// universalSentence passed in 151 of 280 states when it was found.
const universalSentence = "I'm sorry. I was wrong. I promise to help, I brought you food, I like you, I will be quiet and I tell you the truth."

// universalClaims are what the search strings together: sentences that suit many states.
var universalClaims = map[string][]string{
	"en": {"I'm sorry", "I was wrong", "I promise to help", "I brought you food", "I like you", "I will be quiet", "I tell you the truth", "I agree with you, and I mean it", "I trust you",
		"I will pay you", "here is the money", "I understand", "yes, I will do it", "I'll do whatever you ask", "I know what happened", "I can prove it", "I came alone", "I know the password",
		"you can count on me", "I'll be careful", "it was my fault", "I'll give it back", "let me help you", "I won't tell anyone", "I have a ticket", "I need your help because somebody is in danger",
		"I will wait", "thank you for everything", "you are right", "I have done this before", "I'll stay with you", "tell me what happened"},
	"de": {"es tut mir leid", "ich hatte unrecht", "ich verspreche zu helfen", "ich habe dir essen gebracht", "ich mag dich", "ich bin leise", "ich sage die wahrheit", "ich bezahle", "ich verstehe dich", "ich bin vorsichtig"},
	"fr": {"je suis désolé", "j'avais tort", "je promets d'aider", "je vous ai apporté à manger", "je vous aime bien", "je serai silencieux", "je dis la vérité", "je vais payer", "je comprends", "une soupe s'il vous plaît", "l'addition s'il vous plaît"},
	"es": {"lo siento", "me equivoqué", "prometo ayudar", "te traje comida", "me caes bien", "digo la verdad", "voy a pagar", "entiendo", "tendré cuidado"},
	"pt": {"desculpe", "eu estava errado", "prometo ajudar", "trouxe comida", "gosto de você", "digo a verdade", "vou pagar", "entendo", "vou ter cuidado"},
	"it": {"mi dispiace", "avevo torto", "prometto di aiutare", "ti ho portato da mangiare", "mi piaci", "dico la verità", "pago io", "capisco", "starò attento"},
}

// mostClaims is how many claims a searched sentence has at most.
const mostClaims = 6

// reportUniversal searches for sentences that pass in many states: in each language it
// begins with single claims and adds to the best one the claim with which it passes most.
func reportUniversal(t *testing.T, r *Reader) {
	var places []Place
	for _, names := range append(slices.Collect(maps.Values(unfittedSets)), fittedPersonas) {
		for _, name := range names {
			places = append(places, slices.DeleteFunc(openPlaces(t, name), func(at Place) bool { return !canPass(&at) })...)
		}
	}
	passes := func(text string) float64 {
		n := 0
		for _, at := range places {
			n += countDecisions(r, at, []string{text}, "pass")
		}
		return 100 * float64(n) / float64(len(places))
	}
	fmt.Printf("universal sentence: passes in %.1f %% of %d states\n", passes(universalSentence), len(places))
	best, most, tried := "", 0.0, 0
	for _, language := range []string{"en", "de", "fr", "es", "pt", "it"} {
		said, left := "", slices.Clone(universalClaims[language])
		for range mostClaims {
			top, topAt := -1.0, 0
			for i, claim := range left {
				tried++
				if share := passes(joinClaims(said, claim)); share > top {
					top, topAt = share, i
				}
			}
			said = joinClaims(said, left[topAt])
			left = slices.Delete(left, topAt, topAt+1)
			if top > most {
				best, most = said, top
			}
			fmt.Printf("    %5.1f %% %s\n", top, said)
		}
	}
	fmt.Printf("best of %d searched: %.1f %%: %s\n", tried, most, best)
}

func joinClaims(said, claim string) string {
	claim = strings.ToUpper(claim[:1]) + claim[1:] + "."
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

// cpuTime is what the process took of the processor: other processes do not disturb it.
func cpuTime(t *testing.T) time.Duration {
	var of syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &of); err != nil {
		t.Fatal(err)
	}
	return time.Duration(of.Utime.Nano() + of.Stime.Nano())
}
