package personas

import (
	"os"
	"strings"
	"testing"
)

// brokenFerry is a way to break testdata/ferry.yaml: the old piece, its replacement, the position
// of the fault (lines of the broken text), and the message.
type brokenFerry struct{ name, old, broken, at, says string }

// TestFerry: each mistake is reported at its place, once, and its fix restores the original.
func TestFerry(t *testing.T) {
	t.Parallel()
	whole := readFerry(t)
	for _, b := range []brokenFerry{
		{"a name too far", "    name: At the", "      name: At the", "16:7", "two more than it should be: an indentation of 6 columns, and 4 are wanted"},
		{"a label too little", "        label: On the b", "      label: On the b", "28:7", "two less than it should be: an indentation of 6 columns, and 8 are wanted"},
		{"a list's name too far", "    states:\n", "      states:\n", "26:7", "6 columns, and 4 are wanted"},
		{"a line of a prompt", "  You speak", "You speak", "6:1", "belongs to the text of persona_identity_prompt above"},
		{"the last line of a prompt", "          Do not", "        Do not", "66:9", "8 columns, and 10 are wanted"},
		{"the first line of a prompt", "      Answer as", "    Answer as", "20:5", "belongs to the text of chat_system_prompt above"},
		{"an opening beside its offline", "          opening:\n            - \"Sit", "        opening:\n            - \"Sit", "37:9", "8 columns, and 10 are wanted"},
		{"the first criterion", "          pass: The player says", "        pass: The player says", "33:9", "8 columns, and 10 are wanted"},
		{"a criterion too deep", "          redirect: The p", "            redirect: The p", "34:13", "12 columns, and 10 are wanted"},
		{"a state too little", "      - state_key: aboard", "    - state_key: aboard", "79:5", "4 columns, and 6 are wanted"},
		{"a state too far", "      - state_key: aboard", "       - state_key: aboard", "79:8", "one more than it should be: an indentation of 7 columns, and 6 are wanted"},
		{"a member of a transition", "        to_state_key: aboard", "      to_state_key: aboard", "87:7", "6 columns, and 8 are wanted"},
		{"a machine too far", "  - machine_key: crossing", "    - machine_key: crossing", "95:5", "4 columns, and 2 are wanted"},
		{"links too far", "machine_links:", "  machine_links:", "122:3", "2 columns, and 0 are wanted"},
		{"a whole state", "      - state_key: aboard\n        label: Aboard\n        is_t", "    - state_key: aboard\n      label: Aboard\n      is_t", "79:5", "this line and the 2 below it"},
		{"an item at the margin", "            - \"Sit", "- \"Sit", "38:1", "0 columns, and 12 are wanted"},
		{"a semicolon", "{key: fare, ", "{key: fare; ", "13:15", `not a ";"`},
		{"a bracket too many", `["Then stay."]`, `["Then stay."]]`, "78:35", "there is nothing that this ] closes"},
		{"another bracket", `"Whose boat is it?"]`, `"Whose boat is it?"}`, "58:68", "closed by a }"},
		{"a semicolon in a list", `called?", "W`, `called?"; "W`, "58:47", "a comma parts these two texts"},
		{"a list without brackets", `["What is the boat called?", "Whose boat is it?"]`, `"What is the boat called?", "Whose boat is it?"`, "58:20", "a list of texts stands in brackets"},
		{"round brackets", `["Get in."]`, `("Get in.")`, "77:19", "a list stands in square brackets"},
		{"another dash", `- "I pay nothing"`, `– "I pay nothing"`, "73:15", `begins with "-", not with "–"`},
		{"another dash in a list", `- "I have to`, `— "I have to`, "43:15", `begins with "-", not with "—"`},
		{"two dashes", `- "Nice weather`, `-- "Nice weather`, "45:15", `not with "--"`},
		{"bullets", "- \"My sister is ill on the island\"\n              - \"I", "• \"My sister is ill on the island\"\n              • \"I", "42:15", `not with "•"`},
		{"no dash at the first item", `- "Nice weather`, `"Nice weather`, "45:15", `a "- " is missing`},
		{"no dash at a transition", "      - from_state_key: fare", "        from_state_key: fare", "86:9", `a "- " is missing`},
		{"no dash at a state", "      - state_key: fare", "        state_key: fare", "62:9", `a "- " is missing in front of the next item`},
		{"no colon", "label: The fare", "label The fare", "63:9", `a ":" is missing behind "label"`},
	} {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			broken := strings.Replace(whole, b.old, b.broken, 1)
			if broken == whole {
				t.Fatal("nothing is broken")
			}
			_, _, faults := Parse("a.yaml", []byte(broken))
			if len(faults) != 1 || faults[0].Fix == nil || !strings.HasPrefix(faults[0].Error(), b.at+": ") || !strings.Contains(faults[0].Message, b.says) {
				t.Fatalf("%v", faults)
			}
			if fixed, err := faults[0].Fix.Apply([]byte(broken)); err != nil || string(fixed) != whole {
				t.Errorf("%v\n%s", err, fixed)
			}
		})
	}
}

func readFerry(t *testing.T) string {
	t.Helper()
	whole, err := os.ReadFile("testdata/ferry.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(whole)
}

// TestFerryReadOn: a text that cannot be restored exactly is repaired without losing anything.
func TestFerryReadOn(t *testing.T) {
	t.Parallel()
	whole := readFerry(t)
	for _, b := range []brokenFerry{
		{"a text goes on", "brings the player here.", "brings the player here\n        and why.", "31:9", "belongs to the text of prompt_instruction above"},
		{"a colon in a text's first line", "prompt_instruction: |\n          Name the price", "prompt_instruction:\n          Price: name", "64:28", "several lines"},
		{"a sign and a text", "prompt_instruction: |\n", "prompt_instruction: | Be brief.\n", "64:29", "begins on the next line"},
		{"quotes over two lines", `"The weather is what it is. Why cross?"`, "\"The weather is what it is.\n              Why \"cross\"?\"", "52:17", "quotes in it that are around it"},
		{"a comment of another language", "    scoring_mode: pass_fail", "    // easy\n    scoring_mode: pass_fail", "99:5", "a comment begins with #"},
		{"members of JSON", "        label: The fare", "        \"label\": \"The fare\",", "63:28", "the comma behind this text"},
		{"numbers", "- \"My sister is ill on the island\"\n              - \"I have to bring a letter across\"", "1. My sister is ill\n              2. I have a letter", "42:15", "not with a number"},
	} {
		broken := strings.Replace(whole, b.old, b.broken, 1)
		_, _, faults := Parse("a.yaml", []byte(broken))
		if len(faults) != 1 || faults[0].Fix == nil || !strings.HasPrefix(faults[0].Error(), b.at+": ") || !strings.Contains(faults[0].Message, b.says) {
			t.Errorf("%s: %v", b.name, faults)
			continue
		}
		fixed, err := faults[0].Fix.Apply([]byte(broken))
		if _, _, left := Parse("a.yaml", fixed); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", b.name, err, left)
		}
	}
}

// TestAllMistakesAreTold: all mistakes of a file are reported together, each at its position in the
// file, and each fix applies to the unchanged file.
func TestAllMistakesAreTold(t *testing.T) {
	t.Parallel()
	broken := strings.NewReplacer(
		"        label: On the bench", "       label: On the bench", `- "You are late.`, `- *sighs* "You are late.`, `- "I will row instead"`, `- "I will row instead`,
		"          Do not haggle.", "Do not haggle.", "label: On the water", "label: Water: cold", "decision_type: redirect}", "decision_type: redirekt}",
	).Replace(readFerry(t))
	_, _, faults := Parse("a.yaml", []byte(broken))
	var lines []int
	for _, f := range faults {
		lines = append(lines, f.Pos.Line)
		if f.Path == "" && (f.Fix == nil || broken[f.Fix.Start:f.Fix.End] != f.Fix.Old) {
			t.Errorf("the fix of %v is of another text", f)
		}
	}
	if want := []int{28, 39, 66, 71, 84, 102}; len(lines) != len(want) || lines[0] != 28 || lines[2] != 66 || lines[4] != 84 {
		t.Errorf("mistakes on the lines %v, not %v: %v", lines, want, faults)
	}
}

// TestNothingIsMovedOnSuspicion: a text that is unreadable for another reason is not indented
// again, and a mistake is not reported twice.
func TestNothingIsMovedOnSuspicion(t *testing.T) {
	t.Parallel()
	whole := readFerry(t)
	for _, pair := range [][2]string{
		{"label: The fare", "label The fare: \"now"}, {"            - \"Sit", "            ? \"Sit"}, {"      - state_key: fare", "      + state_key: fare"},
		{"offline:", "offline::\n        :"}, {"{key: fare, value: three coppers}", "{key: fare, value: {three coppers}"},
	} {
		broken := strings.Replace(whole, pair[0], pair[1], 1)
		_, _, faults := Parse("a.yaml", []byte(broken))
		told := map[Position]bool{}
		for _, f := range faults {
			if told[f.Pos] {
				t.Errorf("%q: told twice: %v", pair[1], faults)
			}
			told[f.Pos] = true
			if f.Fix != nil && strings.Contains(f.Message, "indented by") {
				t.Errorf("%q: %v", pair[1], f)
			}
		}
	}
}

// TestNoLineIsMovedWrongly: whichever line is indented otherwise, no fix makes another
// document of the text.
func TestNoLineIsMovedWrongly(t *testing.T) {
	t.Parallel()
	whole := readFerry(t)
	_, root, _ := readTree("", []byte(whole))
	want, lines := string(root.appendJSON(nil)), strings.Split(whole, "\n")
	restored := 0
	for i := 0; i < len(lines); i += 2 {
		words := strings.TrimLeft(lines[i], " ")
		lead := len(lines[i]) - len(words)
		for _, by := range []int{-2, 1, 3} {
			if lead+by < 0 || words == "" {
				continue
			}
			moved := strings.Join([]string{strings.Join(lines[:i], "\n"), strings.Repeat(" ", lead+by) + words, strings.Join(lines[i+1:], "\n")}, "\n")
			_, _, faults := Parse("a.yaml", []byte(moved))
			if len(faults) == 0 || faults[0].Path != "" || faults[0].Fix == nil {
				continue
			}
			fixed, err := faults[0].Fix.Apply([]byte(moved))
			if _, again, fault := readTree("", fixed); err != nil || fault == nil && string(again.appendJSON(nil)) != want {
				t.Errorf("line %d by %d: %v", i+1, by, faults[0])
			}
			restored++
		}
	}
	if restored < 50 {
		t.Errorf("only %d are put right", restored)
	}
}
