package personatest

import (
	"fmt"
	"math"
	"strings"
)

const oneMachine = `"machines":[{"machine_key":"m","early_fail_bound":-1000000,`

func memberShapes() []Shape {
	return []Shape{
		{"unknown members", ".json", fillWith(plain+",", `"x%d":0`, ",", "")},
		{"unknown members of machines", ".json", fillWith(`"machines":[`, `{"machine_key":"m%d","x%d":{"y%d":[@,2]},"states":[`+ends+`],"transitions":[]}`, ",", "]")},
		{"members of one name", ".json", fillWith(plain+",", `"x":%d`, ",", "")},
		{"members almost known", ".json", fillWith(plain+",", `"descriptio%d":@`, ",", "")},
		{"members of nested objects", ".json", fillWith(plain+`,"x":{`, `"y%d":{"z%d":{"u":{},"v":[[]]}}`, ",", "}")},
		{"nested lists", ".json", fillWith(plain+`,"x":[`, strings.Repeat("[", 95)+"%d"+strings.Repeat("]", 95), ",", "]")},
		{"empty lists", ".json", fillWith(plain+`,"x":[`, "[]", ",", "]")},
		{"numbers", ".json", fillWith(plain+`,"x":[`, "%d", ",", "]")},
		{"too deep", ".json", fillWith(plain+`,"x":`, `[`, "", "")},
		{"long member name", ".json", fillWith(plain+`,"`, "name %d ", "", `":0`)},
	}
}

func machineShapes() []Shape {
	return []Shape{
		{"machines", ".json", fillWith(`"machines":[`, `{"machine_key":"m%d","states":[`+ends+`],"transitions":[{"from_state_key":"a","to_state_key":"z","decision_type":"pass","score_delta":3}]}`, ",", "]")},
		{"empty machines", ".json", fillWith(`"machines":[`, `{"machine_key":"m%d@","states":[],"transitions":[]}`, ",", "]")},
		{"states", ".json", fillWith(oneMachine+`"transitions":[],"states":[`+ends+",", `{"state_key":"s%d"}`, ",", "]}]")},
		{"states with new keys", ".json", fillWith(oneMachine+`"transitions":[],"states":[`+ends+",", `{"state_key":"s@%d","label":"the room %d"}`, ",", "]}]")},
		{"line of states", ".json", fillWith(oneMachine+`"states":[`+ends+`],"transitions":[`, `{"from_state_key":"s%d","to_state_key":"s%d","decision_type":"pass"}`, ",", "]}]")},
		{"ring of states", ".json", writeRing},
		{"line to the end", ".json", writeLine},
		{"all to all", ".json", writeDense},
		{"layers", ".json", writeLayers},
		{"parallel transitions", ".json", fillWith(oneMachine+`"states":[`+ends+`],"transitions":[`, `{"from_state_key":"a","to_state_key":"z","decision_type":"pass","score_delta":%d}`, ",", "]}]")},
		{"parallel transitions with words", ".json", fillWith(oneMachine+`"states":[`+ends+`],"transitions":[`, `{"from_state_key":"a","to_state_key":"z","decision_type":"pass","score_delta":1,"condition":"the player says word @ and %d"}`, ",", "]}]")},
		{"equal transitions", ".json", fillWith(oneMachine+`"states":[`+ends+`],"transitions":[`, `{"from_state_key":"a","to_state_key":"z","decision_type":"pass"}`, ",", "]}]")},
		{"redirects in parallel", ".json", fillWith(oneMachine+`"states":[{"state_key":"z","is_terminal_state":true},{"state_key":"a","is_initial_state":true,"max_redirects":200000}],"transitions":[{"from_state_key":"a","to_state_key":"z","decision_type":"pass"},`, `{"from_state_key":"a","decision_type":"redirect","score_delta":%d}`, ",", "]}]")},
		{"links of two machines", ".json", writeLinks(func(i int) string { return link("m0", "m1", i) })},
		{"links of equal meaning", ".json", writeLinks(func(int) string { return link("m0", "m1", 3) })},
		{"links in a circle", ".json", writeLinks(func(i int) string { return link(fmt.Sprint("m", i%200), fmt.Sprint("m", (i+1)%200), i/200) })},
		{"links of all to all", ".json", writeLinks(func(i int) string { return link(fmt.Sprint("m", i/200%200), fmt.Sprint("m", i%200), i/40000) })},
		{"outputs", ".json", fillWith(`"machines":[{"machine_key":"m","states":[`+ends+`],"transitions":[],"output_variables":[`, `{"key":"k%d","extraction_prompt":"{{k%d}}"}`, ",", "]}]")},
		{"inputs", ".json", fillWith(`"machines":[{"machine_key":"m","states":[`+ends+`],"transitions":[],"input_variables":[`, `{"key":"k%d"}`, ",", "]}]")},
	}
}

func link(source, target string, score int) string {
	return fmt.Sprintf(`{"source_machine_key":"%s","target_machine_key":"%s","condition_type":"score_gte","condition_value":%d}`, source, target, score)
}

func writeLinks(piece func(i int) string) func(*text) {
	return func(t *text) {
		t.WriteString(head + `"machines":[`)
		for i := range 200 {
			if i > 0 {
				t.WriteString(",")
			}
			t.add(`{"machine_key":"m%d","states":[%s],"transitions":[{"from_state_key":"a","to_state_key":"z","decision_type":"pass","score_delta":%d}]}`, i, ends, i)
		}
		t.WriteString(`],"machine_links":[`)
		t.repeat(",", "]}", piece)
	}
}

func transition(from, to int, decision string, delta int) string {
	return fmt.Sprintf(`{"from_state_key":"%d","to_state_key":"%d","decision_type":"%s","score_delta":%d}`, from, to, decision, delta)
}

func writeStates(t *text, n int) {
	t.WriteString(head + oneMachine + `"states":[`)
	for i := range n {
		if i > 0 {
			t.WriteString(",")
		}
		t.add(`{"state_key":"%d","is_initial_state":%t,"is_terminal_state":%t}`, i, i == 0, i == n-1)
	}
	t.WriteString(`],"transitions":[`)
}

func writeRing(t *text) {
	n := max(t.size/170, 3)
	writeStates(t, n)
	t.repeat(",", "]}]}", func(i int) string { return transition(i%n, (i+1)%n, "pass", i%3-1) })
}

func writeLine(t *text) {
	n := max(t.size/250, 3)
	writeStates(t, n)
	t.repeat(",", "]}]}", func(i int) string {
		if i >= n {
			return transition(i%n, (i*7)%n, "reject", -1)
		}
		return transition(i, min(i+1, n-1), "pass", 1)
	})
}

func writeDense(t *text) {
	n := max(int(math.Sqrt(float64(t.size)/90)), 3)
	writeStates(t, n)
	t.repeat(",", "]}]}", func(i int) string { return transition(i/n%n, i%n, "pass", i%5) })
}

func writeLayers(t *text) {
	const wide = 40
	n := max(t.size/(90*wide), wide+2)
	writeStates(t, n)
	t.repeat(",", "]}]}", func(i int) string {
		from := i / wide % n
		return transition(from, min((from/wide+1)*wide+i%wide, n-1), "pass", i%7)
	})
}

func pointShapes() []Shape {
	return []Shape{
		{"paid limits", ".json", fillWith(`"machines":[`, paidMachine(`{"from_state_key":"a","decision_type":"redirect","score_delta":-1}`), ",", "]")},
		{"paid limits of two sizes", ".json", fillWith(`"machines":[`, paidMachine(`{"from_state_key":"a","decision_type":"redirect","score_delta":1},{"from_state_key":"a","decision_type":"redirect","score_delta":3}`), ",", "]")},
		{"states with limits", ".json", fillWith(oneMachine+`"transitions":[],"states":[`+ends+",", `{"state_key":"s%d","max_redirects":%d}`, ",", "]}]")},
		{"many scores", ".json", writeScores},
		{"bound and threshold", ".json", fillWith(`"machines":[`, `{"machine_key":"m%d","pass_threshold":%d,"early_fail_bound":-%d,"states":[`+ends+`],"transitions":[{"from_state_key":"a","decision_type":"redirect","score_delta":-1},{"from_state_key":"a","to_state_key":"a","decision_type":"pass","score_delta":1},{"from_state_key":"a","to_state_key":"z","decision_type":"pass"}]}`, ",", "]")},
	}
}

func paidMachine(redirects string) string {
	return `{"machine_key":"m%d","early_fail_bound":-1000000,"states":[{"state_key":"a","is_initial_state":true,"max_redirects":200000},{"state_key":"z","is_terminal_state":true}],"transitions":[{"from_state_key":"a","to_state_key":"z","decision_type":"pass"},` + redirects + `]}`
}

// writeScores adds one of two deltas per step, so the number of possible sums grows exponentially.
func writeScores(t *text) {
	n := max(t.size/300, 3)
	writeStates(t, n)
	t.repeat(",", "]}]}", func(i int) string {
		index := i / 2 % (n - 1)
		return transition(index, index+1, "pass", i%2*(1+(i*7919*(i%999)+104_729*i)%10_000_019))
	})
}
