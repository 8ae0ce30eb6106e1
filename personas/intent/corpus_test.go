package intent

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// The corpus: lines for each state, with the decision that an attentive person would make. The
// authors of the lines saw only the prose of the persona. The weights are fitted to the first
// personas, but not to the others.
var (
	fittedPersonas = []string{"weather-seller", "night-triage", "rockstar-tour-bus", "stored-merchant", "stored-baker", "sample-starter",
		"bee-apology", "bridge-gargoyle", "compass-trader", "compliment-dragon", "customs-robot", "lamp-keeper", "lighthouse-keeper", "little-brother", "lost-luggage", "oral-examiner", "quartermaster", "wedding-panic",
		"abbey-beekeeper", "fortune-teller", "hut-warden", "laundromat-boxer", "night-guard", "night-librarian", "ships-cook", "tide-clerk", "treehouse-girl",
		"crane", "marrable", "perpetua", "santangelo", "vasko", "dispatcher", "ferrywoman", "pawnbroker", "toad", "upstairs-neighbour",
		"gymcancel", "labtech", "marsfarmer", "painter", "referee", "bedmonster", "duelsecond", "gardenrobot",
		"dining-car", "lisbon-bench", "carpet-seller", "flight-examiner"}
	heldPersonas = []string{"kestrel-gate-customs", "butler-interrogation", "winter-door-hedgehog", "widow-workshop", "stored-gate", "stored-cafe", "stored-hotel"}
	// The lines of these personas were not written by the personas' authors, and were read once.
	freshPersonas = []string{"tug-pilot", "opera-ghost", "expedition-leader", "nosy-neighbour"}
	// The same, with two requirements in every state.
	pairPersonas = []string{"passport-forger", "rain-engine", "scarecrow", "tango-teacher"}
	// The results of these personas were measured before anybody had read their lines.
	unreadPersonas = []string{"balloonist", "detective"}
	// The authors of these personas did not work on the model, and the authors of their lines had
	// not seen the examples. Fitting to them too added less than half a percentage point elsewhere.
	blindPersonas = []string{"lost-property", "ward-nurse", "dahlia-neighbour", "bicycle-shop", "head-teacher", "football-coach", "great-aunt",
		"birthday-drive", "choir-tourist", "helpdesk", "bedtime-boy", "gate-agent", "dog-shelter"}
	// These were measured once, after all other work. In the third and fourth, insufficient
	// messages are similar to sufficient ones.
	lastPersonas = []string{"hospital-laundry", "salt-scales", "tether-car", "badger-landlady", "permit-clerk", "orchard-goose", "pastry-chef", "bell-apprentice"}
	// Small talk by people who did not work on the model. The first was read during that work,
	// the second was not. The newest personas were also measured once, after the work on
	// contraries, small talk and kick_outs.
	readTalkPersonas = []string{"hospital-laundry", "salt-scales", "badger-landlady", "permit-clerk", "pastry-chef", "bell-apprentice", "balloonist", "detective", "great-aunt", "stored-hotel",
		"lost-property", "ward-nurse", "dahlia-neighbour", "head-teacher", "football-coach", "birthday-drive", "choir-tourist", "helpdesk", "gate-agent", "stored-gate",
		"bedtime-boy", "dog-shelter", "tug-pilot", "opera-ghost", "expedition-leader", "nosy-neighbour", "passport-forger", "rain-engine", "scarecrow", "tango-teacher"}
	unreadTalkPersonas = []string{"polar-doctor", "street-violinist", "ring-bearer", "ferry-captain", "rowing-boat", "tether-car", "orchard-goose", "bicycle-shop"}
	newestPersonas     = []string{"polar-doctor", "street-violinist", "ring-bearer", "ferry-captain", "rowing-boat"}
	// The samples that come with the program. The stored personas above are earlier versions of
	// five of them, with some hundred examples per list. The weights were fitted to these versions.
	// They are kept so that the fit can be repeated and its figures compared.
	samplePersonas = []string{"sample-starter", "sample-gate", "sample-merchant", "sample-baker", "sample-hotel", "sample-cafe"}
)

func corpusPersona(t testing.TB, name string) *personas.Persona {
	t.Helper()
	file := filepath.Join("testdata", "corpus", name+".yaml")
	if sample, ok := strings.CutPrefix(name, "sample-"); ok {
		file = filepath.Join("..", "examples", sample+".yaml")
	}
	source := assert.Value(os.ReadFile(file))(t)
	p, _, faults := personas.Parse(name, source)
	for _, f := range faults {
		t.Error(name, f)
	}
	return &p
}

func readCorpus(t testing.TB, name string) []CorpusLine {
	t.Helper()
	if name == "stored-hotel" { // It has a state more than the sample.
		return readLines(t, name, "sample-hotel.jsonl", "stored-hotel.jsonl")
	}
	return readLines(t, name, linesName(name)+".jsonl")
}

func readTalk(t testing.TB, name string) []CorpusLine {
	t.Helper()
	return readLines(t, name, filepath.Join("talk", linesName(name)+".jsonl"))
}

func linesName(name string) string {
	if sample, ok := strings.CutPrefix(name, "stored-"); ok {
		return "sample-" + sample
	}
	return name
}

func readLines(t testing.TB, name string, files ...string) []CorpusLine {
	t.Helper()
	var source []byte
	for _, file := range files {
		text := assert.Value(os.ReadFile(filepath.Join("testdata", "corpus", file)))(t)
		source = append(source, text...)
	}
	lines, faults := ParseCorpus(corpusPersona(t, name), source)
	for _, f := range faults {
		t.Errorf("%s:%d: %s", files[0], f.Line, f.Message)
	}
	return lines
}

func placeOf(t testing.TB, p *personas.Persona, machine, state string) Place {
	t.Helper()
	for _, at := range listPlaces(p)[state] {
		if machine == "" || at.Machine.Key == machine {
			return at
		}
	}
	t.Fatalf("%s lacks the state %s %s", p.Name, machine, state)
	return Place{}
}

// proseOnly returns the place without the texts for the offline model.
func proseOnly(at Place) Place {
	p, m, s := *at.Persona, *at.Machine, *at.State
	p.Offline, m.Offline, s.Offline = nil, nil, nil
	m.Transitions = slices.Clone(m.Transitions)
	for i := range m.Transitions {
		m.Transitions[i].Offline = nil
	}
	at.Persona, at.Machine, at.State = &p, &m, &s
	return at
}

// measureCorpora measures the lines of personas.
func measureCorpora(t testing.TB, r *Reader, names []string) *Figures {
	f := &Figures{}
	for _, name := range names {
		for _, l := range readCorpus(t, name) {
			f.Add(&l, r.Judge(&l))
		}
	}
	return f
}

// placeOnce returns the result of at for a line's place. It calls at once per state.
func placeOnce(places map[*personas.State]Place, l *CorpusLine, at func(Place) Place) Place {
	place, known := places[l.Place.State]
	if !known {
		place = at(l.Place)
		places[l.Place.State] = place
	}
	return place
}

func here(at Place) Place { return at }

type message struct{ Text, Category string }

func readMessages(t testing.TB, name string) (out []message) {
	t.Helper()
	source := assert.Value(os.ReadFile(filepath.Join("testdata", "corpus", name+".jsonl")))(t)
	for line := range bytes.Lines(source) {
		var l message
		assert.NoError(t, json.Unmarshal(line, &l), "%s: %s", name, line)
		out = append(out, l)
	}
	return out
}

func readTexts(t testing.TB, name string) (texts []string) {
	t.Helper()
	for _, l := range readMessages(t, name) {
		texts = append(texts, l.Text)
	}
	return texts
}

// TestFittedList: the vectors are adapted only to the personas that the weights are fitted to.
func TestFittedList(t *testing.T) {
	t.Parallel()
	text := assert.Value(os.ReadFile(filepath.Join("testdata", "corpus", "fitted.txt")))(t)
	assert.EqualSlices(t, strings.Fields(string(text)), slices.DeleteFunc(slices.Clone(fittedPersonas), func(name string) bool { return strings.HasPrefix(linesName(name), "sample-") }), "fitted.txt")
}
