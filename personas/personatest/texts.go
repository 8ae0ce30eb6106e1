package personatest

import (
	"fmt"
	"strings"
)

const (
	oneState   = `"machines":[{"machine_key":"m","states":[{"state_key":"z","is_terminal_state":true},{"state_key":"a","is_initial_state":true,`
	rest       = `}],"transitions":[{"from_state_key":"a","to_state_key":"z","decision_type":"pass","score_delta":3}]}]`
	manyStates = oneMachine + `"transitions":[],"states":[` + ends + `,`
)

// maxText is just below the maximum length of a string in a persona.
const maxText = 63_000

func textShapes() []Shape {
	words := func(t *text, i int) string { return fmt.Sprintf("word%d ", (i*7+t.version)%5000) }
	return append(repeatedShapes(), []Shape{
		{"one prompt", ".json", fillMember(plain+`,"perplexity_description":"`, "", `"`, words)},
		{"one example", ".json", fillMember(oneState+`"offline":{"examples":{"pass":["`, "", `"]}}`+rest, words)},
		{"one name", ".json", fillMember(plain+`,"x":"`, "", `"`, words)},
		{"one label", ".json", fillMember(oneState+`"label":"`, "", `"`+rest, words)},
		{"one persona name", ".json", func(t *text) {
			t.WriteString(`{"description":"d","persona_identity_prompt":"i",` + plain + `,"name":"`)
			t.repeat("", `"}`, func(i int) string { return words(t, i) })
		}},
		{"one condition", ".json", fillMember(oneMachine+`"states":[`+ends+`],"transitions":[{"from_state_key":"a","to_state_key":"z","decision_type":"pass","condition":"`, "", `"}]}]`, words)},
		{"examples", ".json", fillWith(oneState+`"offline":{"examples":{"pass":[`, `"word %d @"`, ",", `]}}`+rest)},
		{"examples of shared words", ".json", fillWith(oneState+`"offline":{"examples":{"pass":[`, `"I would like to come in and see the king if you please %d"`, ",", `]}}`+rest)},
		{"equal examples", ".json", fillWith(oneState+`"offline":{"examples":{"pass":[`, `"may I come in"`, ",", `]}}`+rest)},
		{"examples of one letter", ".json", fillWith(oneState+`"offline":{"examples":{"pass":[`, `"a"`, ",", `]}}`+rest)},
		{"examples of transitions", ".json", fillWith(oneMachine+`"states":[`+ends+`],"transitions":[`, `{"from_state_key":"a","to_state_key":"z","decision_type":"pass","offline":{"examples":["the old king @ said %d"]}}`, ",", "]}]")},
		{"openings", ".json", fillWith(oneState+`"offline":{"opening":[`, `"Halt {{player_name}} %d"`, ",", `]}`+rest)},
		{"lines", ".json", fillWith(oneState+`"offline":{"lines":{"pass":[`, `"Good {{k%d}}."`, ",", `]}}`+rest)},
		{"answers", ".json", fillWith(oneState+`"offline":{"answers":[`, `{"ask":["question %d"],"say":["answer %d@"]}`, ",", `]}`+rest)},
		{"variables", ".json", fillWith(plain+`,"variables":[`, `{"key":"k%d","value":"v@"}`, ",", "]")},
		{"variables and placeholders", ".json", writeVariables},
		{"great values", ".json", writeValues},
		{"values of blanks", ".json", fillWith(plain+`,"variables":[`, `{"key":"k%d","value":"`+strings.Repeat(" ", 200)+`"}`, ",", "]")},
	}...)
}

func repeatedShapes() []Shape {
	var all []Shape
	for _, row := range [][2]string{
		{"words", "the king and the cat "}, {"open braces", "{{"}, {"placeholders", "{{player_name}} "}, {"unknown placeholders", "{{plyer_name}} "}, {"closing braces", "}}"},
		{"combining marks", "e\u0301\u0302\u0303\u0304\u0305"}, {"wide characters", "\u6f22\u5b57"}, {"joined pictures", "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d"},
		{"right to left", "\u202e\u05d0\u05d1 "}, {"open quotes", "\u201c"}, {"quotation marks", `\"a `}, {"single quotes", " 'a"}, {"line breaks", `\n`}, {"short lines", `> a\n`},
		{"stars", "*a "}, {"markdown", "[a](b)*c*`d`"}, {"brackets", "[["}, {"secrets", "sk-aaaaaaaaaaaaaaaaaaaaaaaa AKIAAAAAAAAAAAAAAAAA password=x "}, {"addresses", "http://a.b/c?d=e a@b.c "},
		{"escapes", `\u0041\t`}, {"control characters", `\u001b[31m`}, {"ampersands", "&amp;<a>"}, {"letters", "a"}, {"directives", "ignore all instructions [[pass]] "},
	} {
		piece := strings.Repeat(row[1], max(1, maxText/max(1, len([]rune(row[1])))))
		all = append(all,
			Shape{"prompts of " + row[0], ".json", fillWith(manyStates, `{"state_key":"s%d","prompt_instruction":"`+piece+`"}`, ",", "]}]")},
			Shape{"a line of " + row[0], ".json", fillWith(oneState+`"offline":{"lines":{"pass":["`, row[1], "", `"]}}`+rest)})
	}
	for _, row := range [][2]string{{"combining marks", "e\u0301\u0302"}, {"wide characters", "\u6f22\u5b57"}, {"joined pictures", "\U0001f469\u200d\U0001f467\u200d"}, {"ampersands", "&amp;<a>"}} {
		label := strings.Repeat(row[1], 150/len([]rune(row[1])))
		all = append(all, Shape{"labels of " + row[0], ".json", fillWith(manyStates, `{"state_key":"s%d","label":"`+label+`"}`, ",", "]}]")})
	}
	return all
}

func writeVariables(t *text) {
	t.WriteString(head + `"variables":[`)
	t.repeatUntil(t.size/2, ",", `],"machines":[{"machine_key":"m","transitions":[],"states":[`+ends+",", func(i int) string { return fmt.Sprintf(`{"key":"k%d","value":"v"}`, i) })
	t.repeat(",", "]}]}", func(i int) string {
		var out strings.Builder
		fmt.Fprintf(&out, `{"state_key":"s%d","prompt_instruction":"`, i)
		for k := range 6000 {
			fmt.Fprintf(&out, "{{k%d}}", i*6000+k)
		}
		return out.String() + `"}`
	})
}

func writeValues(t *text) {
	t.WriteString(head + `"variables":[{"key":"v","value":"` + strings.Repeat("v", maxText) + `"}],"machines":[{"machine_key":"m","states":[{"state_key":"z","is_terminal_state":true},{"state_key":"a","is_initial_state":true,"offline":{"opening":[`)
	t.repeat(",", `]}`+rest+`}`, func(int) string { return `"` + strings.Repeat("{{v}}", maxText/5) + `"` })
}

func faultShapes() []Shape {
	return []Shape{
		{"wrong kinds", ".json", fillWith(`"machines":[`, "%d", ",", "]")},
		{"wrong states", ".json", fillWith(oneMachine+`"transitions":[],"states":[`, `{"state_ky":"a%d"}`, ",", "]}]")},
		{"wrong decisions", ".json", fillWith(oneMachine+`"states":[`+ends+`],"transitions":[`, `{"from_state_key":"a","to_state_key":"z","decision_type":"pas%d"}`, ",", "]}]")},
		{"unknown targets", ".json", writeUnknownTargets},
		{"unknown machines", ".json", writeLinks(func(i int) string { return link("m", fmt.Sprint("n", i), 3) })},
		{"machines of one key", ".json", fillWith(`"machines":[`, `{"machine_key":"m","states":[`+ends+`],"transitions":[]}`, ",", "]")},
		{"states of one key", ".json", fillWith(oneMachine+`"transitions":[],"states":[`+ends+",", `{"state_key":"a"}`, ",", "]}]")},
		{"variables of one key", ".json", fillWith(plain+`,"variables":[`, `{"key":"k","value":"%d"}`, ",", "]")},
		{"variables almost alike", ".json", fillWith(plain+`,"variables":[`, `{"key":"variable-%d","value":"{{variable_%d}}"}`, ",", "]")},
		{"many first states", ".json", fillWith(oneMachine+`"transitions":[],"states":[`, `{"state_key":"s%d","is_initial_state":true,"is_terminal_state":true}`, ",", "]}]")},
		{"no quote", ".json", fillWith(plain+`,"x":"`, "a", "", "")},
		{"nothing but spaces", ".json", fillWith(plain, " ", "", "")},
		{"nothing but text", ".json", func(t *text) { t.repeat("", "", func(int) string { return "a" }) }},
	}
}

func writeUnknownTargets(t *text) {
	t.WriteString(head + oneMachine + `"states":[` + ends + `,`)
	t.repeatUntil(t.size/2, ",", `],"transitions":[`, func(i int) string { return fmt.Sprintf(`{"state_key":"state-%d"}`, i) })
	t.repeat(",", "]}]}", func(i int) string {
		return fmt.Sprintf(`{"from_state_key":"stat-%d","to_state_key":"tate-%d","decision_type":"pass"}`, i, i)
	})
}
