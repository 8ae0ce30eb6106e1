package intent

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

func hugePlace(count int, say func(i int) string) Place {
	off := &personas.Offline{}
	for i := range count {
		off.Examples.Pass = append(off.Examples.Pass, personas.Example{Say: say(i)})
		off.Examples.Reject = append(off.Examples.Reject, personas.Example{Say: "never " + say(i)})
	}
	m := &personas.Machine{Key: "m", States: []personas.State{{Key: "a", IsInitial: true, Offline: off}, {Key: "b", IsTerminal: true}}}
	m.Transitions = []personas.Transition{{From: "a", To: "b", Decision: personas.DecidePass}, {From: "a", To: "b", Decision: personas.DecideReject}}
	return Place{Persona: &personas.Persona{Name: "Hobb"}, Machine: m, State: &m.States[0], Outgoing: []int{0, 1}, FollowUpAllowed: true}
}

// hugePlaces are states that would exhaust a server's memory or processor if all their texts were
// compared with each message.
var hugePlaces = map[string]func() Place{
	"100,000 examples of 8 MB": func() Place {
		return hugePlace(50000, func(i int) string {
			return fmt.Sprintf("I bring %d barrels of herring from the town of %d and %s", i, i, strings.Repeat("more ", 5))
		})
	},
	"words of 400 bytes": func() Place {
		return hugePlace(1000, func(i int) string { return strings.Repeat(fmt.Sprint("word", i), 100)[:400] })
	},
	"one example of 8 MB": func() Place { return hugePlace(1, func(int) string { return strings.Repeat("I pay. ", 1<<20) }) },
	"every word different": func() Place {
		return hugePlace(500, func(i int) string {
			var b strings.Builder
			for k := range 50 {
				fmt.Fprintf(&b, "w%dx%d ", i, k)
			}
			return b.String()
		})
	},
}

var longMessages = map[string]string{
	"words":     strings.Repeat("I bring herring. ", 64000/17),
	"one word":  strings.Repeat("x", 64000),
	"stars":     strings.Repeat("*", 64000),
	"brackets":  strings.Repeat("(", 63000) + "\n\n)",
	"quotes":    strings.Repeat("“", 64000/3),
	"slips":     strings.Repeat("herrrnig pasprot mnoey ", 64000/23),
	"dense":     strings.Repeat("払います", 64000/12),
	"questions": strings.Repeat("?", 64000),
	"numbers":   strings.Repeat("nine hundred thousand ", 64000/22),
	"insults":   strings.Repeat("you idiot, ", 64000/11),
}

func TestHugeStatesAreBounded(t *testing.T) {
	for name, build := range hugePlaces {
		t.Run(name, func(t *testing.T) {
			r, at := NewReader(), build()
			r.Decide(at, "hello")
			p, ok := r.prepared.Find(at.key())
			assert.Must(t, ok, "the state is prepared for each message")
			n := len(p.examples.texts)
			assert.True(t, n <= maxTexts && n != 0, "%d examples are compared", n)
			counts := map[int]int{}
			for i, text := range p.examples.texts {
				counts[p.examples.owners[i]]++
				assert.True(t, len(text) <= maxTextSize, "an example of %d bytes is compared", len(text))
			}
			assert.True(t, counts[0] != 0 && counts[0] == counts[1], "numbers of compared examples by decision: %v", counts)
			start := time.Now()
			r.Decide(at, longMessages["words"])
			spent := time.Since(start)
			assert.True(t, spent <= 5*time.Second, "a message took %v", spent)
		})
	}
}

func TestLongMessagesAreBounded(t *testing.T) {
	r, at := NewReader(), hugePlace(20, func(i int) string { return fmt.Sprintf("I bring %d barrels of herring", i) })
	r.Decide(at, "hello")
	for name, message := range longMessages {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			v := r.Decide(at, message)
			spent := time.Since(start)
			assert.True(t, spent <= 2*time.Second, "%v in %v", v.Decision, spent)
			assert.True(t, v.Decision != "", "no decision: %s", v.Why)
			assert.True(t, len(v.Why) <= 1000, "%d bytes: %s", len(v.Why), v.Why)
		})
	}
}

func TestPreparedStatesAreBounded(t *testing.T) {
	r := NewReader()
	say := func(i int) string {
		return fmt.Sprintf("I bring %d barrels of herring, %s", i, strings.Repeat("x", 2000))
	}
	var before, after runtime.MemStats
	r.Decide(hugePlace(1, say), "hello")
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 3 * maxPrepared {
		r.Decide(hugePlace(1+i%20, say), "hello")
		n, size := r.prepared.Size()
		assert.Must(t, n <= maxPrepared && (n <= 1 || size <= maxPreparedSize), "%d states of %d bytes are kept", n, size)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	assert.True(t, kept <= 16<<20, "%d bytes are kept", kept)
}

func TestSameInputSameVerdict(t *testing.T) {
	messages := []string{"I bring 7 barrels of herring", "never mind", "who are you?", "hola amigo!", "I will not", "", "*hits you*", "xyzzy"}
	at := hugePlace(20, func(i int) string { return fmt.Sprintf("I bring %d barrels of herring", i) })
	want := make([]Verdict, len(messages))
	for i, message := range messages {
		want[i] = NewReader().Decide(at, message)
		assert.True(t, want[i].Why != "" && want[i].Confidence >= 0 && want[i].Confidence <= 1, "%q: %+v", message, want[i])
	}
	r := NewReader()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			other := hugePlace(3, func(i int) string { return fmt.Sprint("other ", i) })
			for range 20 {
				for i, message := range messages {
					assert.DeepEqual(t, r.Decide(at, message), want[i], "%q then", message)
					r.Decide(other, message)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzDecide(f *testing.F) {
	for _, s := range []string{"I will pay", "no", "hola", "\x00\xff", "*a*", "[[pass]]"} {
		f.Add(s, "I will pay", "Never!", true)
	}
	r := NewReader()
	f.Fuzz(func(t *testing.T, message, pass, ask string, allowed bool) {
		at := hugePlace(1, func(int) string { return pass })
		at.FollowUpAllowed = allowed
		at.State.Offline.Answers = []personas.Answer{{Ask: []string{ask}, Say: []string{"x"}}}
		v := r.Decide(at, message)
		assert.True(t, v.Confidence >= 0 && v.Confidence <= 1, "%q: confidence of %+v", message, v)
		assert.True(t, v.Why != "", "%q: no reason: %+v", message, v)
		assert.True(t, v.Decision != personas.FollowUpName || allowed, "%q: follow-up: %+v", message, v)
		sum := 0.0
		for _, w := range v.Weighed {
			sum += w.Probability
		}
		assert.True(t, len(v.Weighed) <= maxShown, "%q: %d choices", message, len(v.Weighed))
		assert.True(t, sum <= 1.01 && (v.Weighed == nil || sum >= 0.9), "%q: the sum of %+v is %v", message, v.Weighed, sum)
		assert.Equal(t, v.Decision == string(personas.DecidePass) || v.Decision == string(personas.DecideReject), len(v.Rows) == 1, "%q: %+v", message, v)
	})
}

func TestDocumentsAreNotKept(t *testing.T) {
	r, freed := NewReader(), make(chan struct{})
	func() {
		at := hugePlace(2, func(int) string { return "I bring herring" })
		runtime.AddCleanup(at.Persona, func(freed chan struct{}) { close(freed) }, freed)
		r.Decide(at, "I bring herring")
	}()
	for range 10 {
		runtime.GC()
		select {
		case <-freed:
			n, _ := r.prepared.Size()
			assert.True(t, n == 1, "%d states are prepared", n)
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Error("the document stays in memory")
}
