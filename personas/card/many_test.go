package card_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/card"
)

// manyValues is nearly the maximum number of values of a card with a persona that can be saved.
const manyValues = 90_000

// repeat returns n items with their number in place of %d, separated by commas.
func repeat(item string, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(item, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// timeCard returns the duration of reading, converting and exporting a card.
func timeCard(t *testing.T, text string) time.Duration {
	t.Helper()
	began := time.Now()
	p, _ := mustConvert(t, []byte(text))
	for i := range p.Offline.Answers { // No entry of the card leads to its answer any more.
		p.Offline.Answers[i].Say[0] += "!"
	}
	assert.Value(card.FromPersona(&p))(t)
	return time.Since(began)
}

// TestManyOfEverything: a card of many values costs about the same for all kinds. Tags are only read.
func TestManyOfEverything(t *testing.T) {
	const head = `{"spec": "chara_card_v2", `
	const entry = `"character_book": {"entries": [{"keys": ["a"], "content": "b"}]}`
	const v2 = head + `"data": {"name": "A", "first_mes": "Hi.", "scenario": "", ` + entry
	plain := timeCard(t, v2+`, "tags": [`+repeat(`"a greeting with the number %d"`, manyValues)+`]}}`)
	for name, text := range map[string]string{
		"alternate greetings": v2 + `, "alternate_greetings": [` + repeat(`"a greeting with the number %d"`, manyValues) + `]}}`,
		"members of data":     v2 + `, ` + repeat(`"member%d": 0`, manyValues) + `}}`,
		"members of the card": head + repeat(`"member%d": 0`, manyValues) + `, "data": {"name": "A", "first_mes": "Hi.", "scenario": "", ` + entry + `}}`,
		"lorebook entries":    head + `"data": {"name": "A", "first_mes": "Hi.", "scenario": "", "character_book": {"entries": [` + repeat(`{"keys": ["a"], "content": "answer %d"}`, manyValues/6) + `]}}}`,
	} {
		took, most := timeCard(t, text), 8*plain+3*time.Second
		assert.True(t, took <= most, "%s: %v, want at most %v (with tags it takes %v)", name, took, most, plain)
	}
}

// TestManyGreetingsAreAllTaken: different greetings are used once, in order, and too many are rejected.
func TestManyGreetingsAreAllTaken(t *testing.T) {
	const head = `{"spec": "chara_card_v2", "data": {"name": "A", "first_mes": "g0", "alternate_greetings": [`
	greetings := repeat(`"g%d"`, manyValues)
	p, report := mustConvert(t, []byte(head+greetings+`,"g7"]}}`))
	openings := p.Machines[0].States[0].Offline.Opening
	if len(openings) != manyValues || openings[0] != "g0" || openings[manyValues-1] != fmt.Sprintf("g%d", manyValues-1) {
		t.Errorf("%d openings of %d greetings", len(openings), manyValues)
	}
	assert.True(t, len(report.Taken) >= manyValues, "%d notes of %d greetings", len(report.Taken), manyValues)
	// The card has six values besides its list of greetings.
	for n, want := range map[int]string{100_000 - 6: "", 100_000 - 5: "more than 100000 values"} {
		_, err := card.Read([]byte(head + repeat(`"g%d"`, n) + `]}}`))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d greetings: %v, want %q", n, err, want)
		}
	}
}
