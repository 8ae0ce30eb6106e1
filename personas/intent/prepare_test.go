package intent

import (
	"runtime"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas"
)

// TestStatesThatSayTheSame: a state is ready where another document says the same, and is not
// where a verdict may be another.
func TestStatesThatSayTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		change func(at *Place)
		same   bool
	}{
		"nothing":                    {func(*Place) {}, true},
		"a score":                    {func(at *Place) { at.Machine.Transitions[0].ScoreDelta++ }, true},
		"a priority":                 {func(at *Place) { at.Machine.Transitions[0].Priority++ }, true},
		"another state":              {func(at *Place) { at.Machine.States[1].Label = "elsewhere" }, true},
		"whether it is a follow-up":  {func(at *Place) { at.FollowUpAllowed = false }, true},
		"the character's name":       {func(at *Place) { at.Persona.Name = "Nan" }, false},
		"what he is":                 {func(at *Place) { at.Persona.Description = "a goose" }, false},
		"the language":               {func(at *Place) { at.Persona.Language = "fr" }, false},
		"that English is named":      {func(at *Place) { at.Persona.Language = "en" }, false},
		"what he answers everywhere": {func(at *Place) { at.Persona.Offline = answering("one") }, false},
		"what he answers there":      {func(at *Place) { at.Machine.Offline = answering("one") }, false},
		"the machine's name":         {func(at *Place) { at.Machine.Name = "The quay" }, false},
		"the state's label":          {func(at *Place) { at.State.Label = "The quay" }, false},
		"a criterion":                {func(at *Place) { at.State.Criteria.Pass = "pays" }, false},
		"an example":                 {func(at *Place) { at.State.Offline.Examples.Pass[0].Say = "I bring a goose" }, false},
		"an example's answer":        {func(at *Place) { at.State.Offline.Examples.Pass[0].Answer = "Good." }, false},
		"a condition":                {func(at *Place) { at.Machine.Transitions[0].Condition = "pays" }, false},
		"where a pass leads":         {func(at *Place) { at.Machine.Transitions[0].To = "a" }, false},
		"which rows there are":       {func(at *Place) { at.Outgoing = []int{1} }, false},
		"the rows' order":            {func(at *Place) { at.Outgoing = []int{1, 0} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, at, changed := NewReader(), herringPlace(), herringPlace()
			c.change(&changed)
			if got := r.prepare(&at) == r.prepare(&changed); got != c.same {
				t.Errorf("ready: %v", got)
			}
		})
	}
}

func herringPlace() Place {
	return hugePlace(2, func(i int) string { return []string{"I bring herring", "I bring eels"}[i] })
}

func answering(text string) *personas.SharedOffline {
	return &personas.SharedOffline{Answers: []personas.Answer{{Ask: []string{"how many?"}, Say: []string{text}}}}
}

// TestDocumentsAreNotKept: what is ready of a state keeps its own texts in memory, and not the
// document.
func TestDocumentsAreNotKept(t *testing.T) {
	r, freed := NewReader(), make(chan struct{})
	func() {
		at := herringPlace()
		runtime.AddCleanup(at.Persona, func(freed chan struct{}) { close(freed) }, freed)
		r.Decide(at, "I bring herring")
	}()
	for range 10 {
		runtime.GC()
		select {
		case <-freed:
			if n, _ := r.prepared.Size(); n != 1 {
				t.Errorf("%d states are ready", n)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Error("the document stays in memory")
}

// BenchmarkPrepare makes a state of a sample ready, which has some hundred examples: what a player
// waits for once.
func BenchmarkPrepare(b *testing.B) {
	r, at := NewReader(), readCorpus(b, "sample-baker")[0].Place
	r.prepareState(&at, "")
	b.ReportAllocs()
	for b.Loop() {
		r.prepareState(&at, "")
	}
}
