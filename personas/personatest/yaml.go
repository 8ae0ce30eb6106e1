package personatest

import (
	"fmt"
	"strings"
)

const (
	yamlHead = "name: p\ndescription: d\npersona_identity_prompt: i\n"
	yamlEnd  = "machines:\n  - machine_key: m\n    states:\n      - {state_key: a, is_initial_state: true}\n      - {state_key: z, is_terminal_state: true}\n    transitions:\n      - {from_state_key: a, to_state_key: z, decision_type: pass, score_delta: 3}\n"
)

func fillYAML(before, piece string) func(*text) {
	return func(t *text) {
		t.WriteString(yamlHead + before)
		t.repeat("", "\n"+yamlEnd, func(i int) string { return t.number(piece, i) })
	}
}

func yamlShapes() []Shape {
	return []Shape{
		{"comments", ".yaml", fillYAML("", "# note %d\n")},
		{"one comment", ".yaml", fillYAML("# ", "note %d ")},
		{"comments behind values", ".yaml", fillYAML("x:\n", "  - a # note %d\n")},
		{"comments above members", ".yaml", fillYAML("", "# note %d\nx%d: 0\n")},
		{"blank lines", ".yaml", fillYAML("", "\n")},
		{"spaces", ".yaml", fillYAML("x:", " ")},
		{"members in lines", ".yaml", fillYAML("", "x%d: @\n")},
		{"lists in lines", ".yaml", fillYAML("x:\n", "  - %d\n")},
		{"lists in brackets", ".yaml", fillYAML("x: [", "%d,")},
		{"states in lines", ".yaml", func(t *text) {
			t.WriteString(yamlHead + "machines:\n  - machine_key: m\n    transitions: []\n    states:\n")
			t.repeat("", "", func(i int) string {
				return fmt.Sprintf("      - state_key: s%d # %d\n        label: the room %d\n", i, t.version, i)
			})
		}},
		{"aliases", ".yaml", fillYAML("y: &a [1, 2, 3]\nx:\n", "  - *a\n")},
		{"aliases of a great value", ".yaml", func(t *text) {
			t.WriteString(yamlHead + "y: &a [" + strings.Repeat("1,", t.size/4) + "]\nx:\n")
			t.repeat("", yamlEnd, func(int) string { return "  - *a\n" })
		}},
		{"aliases of a long text", ".yaml", func(t *text) {
			t.WriteString(yamlHead + "y: &a " + strings.Repeat("a", t.size/4) + "\nx:\n")
			t.repeat("", yamlEnd, func(int) string { return "  - *a\n" })
		}},
		{"aliases of aliases", ".yaml", fillYAML("a0: &a0 [1,1]\n", "a1%d: &a1%d [*a0,*a0,*a0,*a0]\n")},
		{"doubling aliases", ".yaml", func(t *text) {
			t.WriteString(yamlHead + "a0: &a0 [1,1]\n")
			t.repeat("", yamlEnd, func(i int) string { return fmt.Sprintf("a%d: &a%d [*a%d,*a%d]\n", i+1, i+1, i, i) })
		}},
		{"anchors", ".yaml", fillYAML("x:\n", "  - &a%d 1\n")},
		{"empty merge keys", ".yaml", fillYAML("x-a:\n", "  y%d: 1\n  <<: {}\n")},
		{"merge keys", ".yaml", fillYAML("y: &a {b: 1, c: 2, d: 3}\nx:\n", "  - {<<: *a, e: %d}\n")},
		{"merges of many members", ".yaml", func(t *text) {
			t.WriteString(yamlHead + "y: &a\n")
			t.repeatUntil(t.size/2, "", "x:\n", func(i int) string { return fmt.Sprintf("  m%d: 1\n", i) })
			t.repeat("", yamlEnd, func(int) string { return "  - {<<: *a}\n" })
		}},
	}
}

func scalarShapes() []Shape {
	deep := ""
	for i := range 40 {
		deep += strings.Repeat(" ", i) + "- \n"
	}
	return []Shape{
		{"a text in lines", ".yaml", fillYAML("perplexity_description: |\n", "  line %d @\n")},
		{"a folded text", ".yaml", fillYAML("perplexity_description: >\n", "  line %d\n\n")},
		{"a plain text in lines", ".yaml", fillYAML("perplexity_description:\n", "  line %d\n")},
		{"a quoted text in lines", ".yaml", func(t *text) {
			t.WriteString(yamlHead + "perplexity_description: \"")
			t.repeat("", "\"\n"+yamlEnd, func(i int) string { return fmt.Sprintf("  line %d \\x41\n", i) })
		}},
		{"nested lines", ".yaml", fillYAML("x:\n", deep)},
		{"nested brackets", ".yaml", fillYAML("x: ", "[")},
		{"question marks", ".yaml", fillYAML("x:\n", "  ? a%d\n  : 1\n")},
		{"questions in questions", ".yaml", fillYAML("x: ", "? ")},
		{"documents", ".yaml", fillYAML("", "---\n")},
		{"tags", ".yaml", fillYAML("x:\n", "  - !!str %d\n")},
		{"tabs", ".yaml", fillYAML("x:\n", "\t")},
		{"a long key", ".yaml", fillYAML("", "key")},
		{"a long anchor", ".yaml", fillYAML("x: &a", "a")},
		{"stars of YAML", ".yaml", fillYAML("x: ", "*a%d ")},
		{"colons", ".yaml", fillYAML("x", ": ")},
		{"lines with carriage returns", ".yaml", fillYAML("x:\r\n", "  - %d\r\n")},
		{"directives of YAML", ".yaml", func(t *text) { t.repeat("", "", func(int) string { return "%TAG ! a\n" }) }},
	}
}

// maxSaid is just below the maximum number of characters in the messages of a play file.
const maxSaid = 49_000

const saidWords = "house money letter garden winter captain bread silver promise journey doctor window mother island river answer trouble " +
	"kitchen castle horse evening danger secret village shoulder teacher forest treasure battle copper engine ticket harbour lantern pocket servant weather " +
	"machine station hospital library question picture music summer father brother sister engineer soldier sailor merchant painter market temple bridge"

func chooseWord(i int) string {
	words := strings.Fields(saidWords)
	return words[i%len(words)]
}

func strangeWord(i int) string {
	word := []byte("co")
	for n := i*7919 + 1; len(word) < 13; n = n*31 + 7 {
		word = append(word, byte('a'+(n>>4&0xffff)%26))
	}
	return string(word)
}

// PlayShapes returns the shapes of play files that play the given persona file.
func PlayShapes(persona string) []Shape {
	fill := func(before, piece string) func(*text) {
		return func(t *text) {
			t.WriteString("persona: " + persona + "\n" + before)
			t.repeat("", "", func(i int) string { return t.number(piece, i) })
		}
	}
	// In sayWords, # stands for as many words as the limit on messages allows.
	sayWords := func(n int, before, piece string, word func(i int) string) func(*text) {
		return func(t *text) {
			t.WriteString("persona: " + persona + "\n" + before)
			for i := range n {
				room, message := min(t.size/n-len(piece)-4, maxSaid/n-len("hello 999")), ""
				for k := 0; len(message)+len(word(i+k))+1 <= room; k++ {
					message += " " + word(i+k)
				}
				if next := t.number(strings.Replace(piece, "#", message, 1), i); t.Len()+len(next) <= t.size {
					t.WriteString(next)
				}
			}
		}
	}
	atMost := func(n int, before, piece string) func(*text) {
		return sayWords(n, before, piece, func(int) string { return "word" })
	}
	square := func(t *text) {
		t.WriteString("persona: " + persona + "\nplays:\n  - name: n\n    variants:\n")
		t.repeatUntil(t.size/2, "", "    steps:\n", func(i int) string { return fmt.Sprintf("      - {w: w%d}\n", i) })
		t.repeat("", "", func(int) string { return "      - say: a <w>\n" })
	}
	return []Shape{
		{"plays", ".play.yaml", fill("plays:\n", "  - {name: n%d, steps: [{say: hello}]}\n")},
		{"steps", ".play.yaml", fill("steps:\n", "  - {say: hello %d}\n")},
		{"expectations", ".play.yaml", fill("steps:\n", "  - {say: hello %d, expect: {decision: reject, state: z, score: 9, reply: no}}\n")},
		{"patterns", ".play.yaml", fill("steps:\n", "  - {say: hello %d, expect: {reply: {matches: '(a|b|c{1,900}){1,900}x*y*'}}}\n")},
		{"one pattern", ".play.yaml", func(t *text) {
			t.WriteString("persona: " + persona + "\nsteps:\n  - {say: hello, expect: {reply: {matches: '")
			t.repeat("", "'}}}\n", func(int) string { return "(a*)*" })
		}},
		{"patterns that repeat", ".play.yaml", fill("steps:\n", "  - {say: hello %d, expect: {reply: {matches: '(\\pL{900}){1}%d'}}}\n")},
		{"variants", ".play.yaml", fill("steps:\n  - say: <w>\nvariants:\n", "  - {w: w%d}\n")},
		{"variants and steps", ".play.yaml", square},
		{"wrong steps", ".play.yaml", fill("steps:\n", "  - {sya: hello %d}\n")},
		{"one message", ".play.yaml", fill("steps:\n  - say: ", "word%d ")},
		{"machines as steps", ".play.yaml", fill("steps:\n", "  - {machine: m}\n")},
		{"played steps", ".play.yaml", atMost(999, "steps:\n", "  - say: hello %d#\n")},
		{"played expectations", ".play.yaml", atMost(999, "steps:\n", "  - {say: hello %d#, expect: {decision: reject, state: z, score: 9, reply: no}}\n")},
		{"played words", ".play.yaml", sayWords(999, "steps:\n", "  - say: hello #\n", chooseWord)},
		{"played strange words", ".play.yaml", sayWords(999, "steps:\n", "  - say: hello #\n", strangeWord)},
		{"played slips", ".play.yaml", sayWords(999, "steps:\n", "  - say: hello #\n", func(i int) string { return chooseWord(i) + "x" })},
		{"played sentences", ".play.yaml", sayWords(999, "steps:\n", "  - say: hello #\n", func(i int) string { return chooseWord(i) + "." })},
		{"played gestures", ".play.yaml", sayWords(999, "steps:\n", "  - say: hello #\n", func(i int) string { return "*" + chooseWord(i) + "*" })},
		{"played accents", ".play.yaml", sayWords(999, "steps:\n", "  - say: hello #\n", func(i int) string { return strings.Repeat("é", 3+i%9) })},
		{"played dense words", ".play.yaml", sayWords(999, "steps:\n", "  - say: hello #\n", func(i int) string { return strings.Repeat(string(rune(0x4e00+i)), 3) })}, //nolint:gosec // i is under 1,000
		{"played machines", ".play.yaml", atMost(999, "steps:\n", "  - {machine: m%d}\n")},
		{"one machine played", ".play.yaml", atMost(999, "steps:\n", "  - {machine: m0}\n")},
		{"played plays", ".play.yaml", atMost(500, "plays:\n", "  - {name: n%d, steps: [{say: hello #}]}\n")},
		{"played variants", ".play.yaml", atMost(499, "steps:\n  - say: <w>\nvariants:\n", "  - {w: w%d #}\n")},
	}
}
