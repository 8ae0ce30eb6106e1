package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

const plainOne = "machine m pass_fail" + inn + "a > z pass"

// wordCases are test cases about texts: conditions, examples, prompts.
var wordCases = map[string]lintCase{
	"the same condition twice": {"machine m pass_fail" + inn + "a > z pass # Pays.\na > - reject # pays", nil, []string{"identical-conditions machines[0].transitions[1].condition"}},
	"the same in two states":   {persona: "machine m pass_fail" + inn + "state b\na > b pass # Pays.\nb > z pass # Pays."},
	"the same criteria": {plainOne + "\na > - reject", func(p *personas.Persona) {
		p.Machines[0].States[0].Criteria = personas.Criteria{Pass: "Pays", Reject: "pays!"}
	}, []string{"identical-conditions machines[0].states[0].evaluation_criteria.reject"}},
	"nothing says when":            {"machine m pass_fail" + inn + "a > z pass bare", nil, []string{"missing-condition machines[0].transitions[0]"}},
	"the prompt says when":         {"machine m pass_fail\nstate a initial # Wait for the password.\nstate z terminal\na > z pass bare", nil, []string{"offline-pass-missing machines[0].states[0]"}},
	"the machine says when":        {"machine m pass_fail" + inn + "a > z pass bare", func(p *personas.Persona) { p.Machines[0].WinCondition = "It rains." }, []string{"offline-pass-missing machines[0].states[0]"}},
	"two passes without words":     {"machine m pass_fail\nstate a initial # Wait.\nstate z terminal\nstate y terminal\na > z pass bare\na > y pass bare", nil, []string{"missing-condition machines[0].transitions[1]"}},
	"two rejects without words":    {plainOne + "\na > - reject\na > - reject", nil, []string{"missing-condition machines[0].transitions[2]"}},
	"a terminal state asks nobody": {plainOne + "\nz > z pass bare", nil, []string{"terminal-with-transitions machines[0].transitions[1]"}},
	"criteria without a row": {plainOne, func(p *personas.Persona) { p.Machines[0].States[0].Criteria.Reject = "Leaves." },
		[]string{"decision-without-transition machines[0].states[0].evaluation_criteria.reject"}},
	"lines without a row": {plainOne, func(p *personas.Persona) {
		p.Machines[0].States[1].Offline = &personas.Offline{Lines: personas.Lines{Pass: []string{"Yes."}, Enter: []string{"Oh."}}}
	}, []string{"decision-without-transition machines[0].states[1].offline.lines.pass"}},
	"lines for how the points came out": {"machine m" + inn + "a > z pass 3", func(p *personas.Persona) {
		p.Machines[0].States[1].Offline = &personas.Offline{Lines: personas.Lines{Pass: []string{"Yes."}, Reject: []string{"No."}, KickOut: []string{"Out."}}}
	}, []string{"decision-without-transition machines[0].states[1].offline.lines.kick_out"}},
	"a limit rejects without a row": {"machine m pass_fail\nstate a initial max=1\nstate z terminal\na > z pass", func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Lines: personas.Lines{Reject: []string{"No."}}}
	}, nil},
	"a redirect needs no row": {plainOne, func(p *personas.Persona) {
		p.Machines[0].States[0].Criteria = personas.Criteria{Redirect: "Asks.", FollowUp: "Hums."}
	}, nil},
	"a redirect that names another state": {plainOne + "\na > z redirect", nil, []string{"to-state-ignored machines[0].transitions[1].to_state_key"}},
	"a redirect that never fires":         {"machine m pass_fail\nstate a initial max=0\nstate z terminal\na > z pass\na > z redirect", nil, []string{"dead-transition machines[0].transitions[1]"}},
	"a redirect that names its own":       {persona: plainOne + "\na > a redirect"},
	"a reject that ends the machine":      {plainOne + "\na > z reject", nil, []string{"to-state-ignored machines[0].transitions[1].to_state_key"}},
	"one example for two decisions": {plainOne + "\na > - reject", func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples("Hello there"), Reject: personas.NewExamples("No", "hello, there!")}}
	}, []string{"duplicate-example machines[0].states[0].offline.examples.reject[1]"}},
	"one example for two rows": {"machine m pass_fail" + inn + "state y terminal\na > z pass\na > y pass", func(p *personas.Persona) {
		for i := range p.Machines[0].Transitions {
			p.Machines[0].Transitions[i].Offline = &personas.TransitionOffline{Examples: personas.NewExamples("Hello")}
		}
	}, []string{"duplicate-example machines[0].transitions[1].offline.examples[0]"}},
	"one example twice in a list": {plainOne, func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples("Hello", "Hello")}}
	}, nil},
	"a row without examples": {plainOne + "\na > - kick_out", func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples("Hello")}}
	}, []string{"examples-missing machines[0].transitions[1]"}},
	"a row with a criterion instead": {plainOne + "\na > - kick_out", func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples("Hello")}}
		p.Machines[0].States[0].Criteria.KickOut = "Hits."
	}, []string{"examples-missing machines[0].transitions[1]"}},
	"rows of which one has examples": {plainOne + "\na > - kick_out # Hits.\na > - kick_out # Bites.", func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples("Hello")}}
		p.Machines[0].Transitions[2].Offline = &personas.TransitionOffline{Examples: personas.NewExamples("I bite")}
	}, nil},
	"examples of a state with two passes": {plainOne + "\nstate y terminal\na > y pass # Sings.", func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples("Hello")}}
	}, []string{"examples-shared machines[0].states[0].offline.examples.pass"}},
	"examples of a state with two passes to one": {plainOne + "\na > z pass # Sings.", func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples("Hello")}}
	}, nil},
	"examples of a state with two passes without words": {"machine m pass_fail" + inn + "state y terminal\na > z pass bare\na > y pass bare", func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples("Hello")}}
	}, []string{"missing-condition machines[0].transitions[1]"}},
	"a pass with a condition, beside examples for others": {plainOne + "\na > - kick_out", func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{KickOut: personas.NewExamples("I hit you")}}
	}, []string{"examples-missing machines[0].transitions[0]"}},
	"two passes, one with examples": {plainOne + "\nstate y terminal\na > y pass # Sings.", func(p *personas.Persona) {
		p.Machines[0].Transitions[0].Offline = &personas.TransitionOffline{Examples: personas.NewExamples("La la")}
	}, []string{"examples-missing machines[0].transitions[1]"}},
	"a criterion for the pass": {"machine m pass_fail" + inn + "a > z pass bare", func(p *personas.Persona) {
		p.Machines[0].WinCondition, p.Machines[0].States[0].Criteria.Pass = "It rains.", "Sings."
	}, nil},
	"an example for the pass": {"machine m pass_fail" + inn + "a > z pass bare", func(p *personas.Persona) {
		p.Machines[0].WinCondition = "It rains."
		p.Machines[0].Transitions[0].Offline = &personas.TransitionOffline{Examples: personas.NewExamples("La la")}
	}, nil},
	"an example for something else": {"machine m pass_fail" + inn + "a > z pass bare", func(p *personas.Persona) {
		p.Machines[0].WinCondition = "It rains."
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Redirect: personas.NewExamples("Hello")}}
	}, []string{"redirect-lines-missing machines[0].states[0]", "offline-pass-missing machines[0].states[0]"}},
	"redirects without lines":          {plainOne + "\na > a redirect", nil, []string{"redirect-lines-missing machines[0].states[0]"}},
	"a limit of redirects, no lines":   {"machine m pass_fail\nstate a initial max=1\nstate z terminal\na > z pass", nil, []string{"redirect-lines-missing machines[0].states[0]"}},
	"where no redirect is ever spoken": {persona: "machine m pass_fail\nstate a initial max=0\nstate z terminal\na > z pass"},
	"a criterion of redirects, no lines": {plainOne, func(p *personas.Persona) { p.Machines[0].States[0].Criteria.Redirect = "Asks." },
		[]string{"redirect-lines-missing machines[0].states[0]"}},
	"redirects with lines of another kind": {plainOne + "\na > a redirect", func(p *personas.Persona) {
		p.Machines[0].States[0].Offline = &personas.Offline{Lines: personas.Lines{Enter: []string{"Oh."}}}
	}, []string{"redirect-lines-missing machines[0].states[0]"}},

	"a long prompt":        {plainOne, func(p *personas.Persona) { p.IdentityPrompt = longText(advised + 1) }, []string{"prompt-too-long persona_identity_prompt"}},
	"not quite so long":    {plainOne, func(p *personas.Persona) { p.IdentityPrompt = longText(advised) }, nil},
	"longer than is taken": {plainOne, func(p *personas.Persona) { p.IdentityPrompt = longText(personas.MaxPrompt + 1) }, []string{"text-too-long persona_identity_prompt"}},
	"blank texts": {plainOne, func(p *personas.Persona) {
		p.Machines[0].ChatPrompt = " \n"
		p.Machines[0].States[0].Offline = &personas.Offline{Opening: []string{"Hi", ""}, Examples: personas.Examples{Pass: personas.NewExamples(" ")}}
	}, []string{"prompt-empty machines[0].chat_system_prompt", "prompt-empty machines[0].states[0].offline.opening[1]", "prompt-empty machines[0].states[0].offline.examples.pass[0]"}},
	"what an answer says and is asked": {plainOne, func(p *personas.Persona) {
		answers := []personas.Answer{{Ask: []string{"Who is {{player_name}}?", " "}, Say: []string{"{{who}}", ""}}}
		p.Machines[0].States[0].Offline = &personas.Offline{
			Answers: answers, Lines: personas.Lines{Unknown: []string{"{{what}}?"}},
			Examples: personas.Examples{Pass: []personas.Example{{Say: "I am {{player_name}}", Answer: "{{where}}"}}},
		}
		p.Machines[0].Offline, p.Offline = &personas.SharedOffline{Answers: answers[:1]}, &personas.SharedOffline{Answers: answers[:1]}
	}, []string{
		"placeholder-not-expanded machines[0].states[0].offline.examples.pass[0].say", "template-unknown machines[0].states[0].offline.examples.pass[0].answer",
		"template-unknown machines[0].states[0].offline.lines.unknown[0]",
		"placeholder-not-expanded machines[0].states[0].offline.answers[0].ask[0]", "prompt-empty machines[0].states[0].offline.answers[0].ask[1]",
		"template-unknown machines[0].states[0].offline.answers[0].say[0]", "prompt-empty machines[0].states[0].offline.answers[0].say[1]",
		"placeholder-not-expanded machines[0].offline.answers[0].ask[0]", "prompt-empty machines[0].offline.answers[0].ask[1]",
		"template-unknown machines[0].offline.answers[0].say[0]", "prompt-empty machines[0].offline.answers[0].say[1]",
		"placeholder-not-expanded offline.answers[0].ask[0]", "prompt-empty offline.answers[0].ask[1]",
		"template-unknown offline.answers[0].say[0]", "prompt-empty offline.answers[0].say[1]",
	}},
	"a placeholder in a name":           {plainOne, func(p *personas.Persona) { p.Name = "{{player_name}}" }, []string{"placeholder-not-expanded name"}},
	"a name that is none":               {plainOne, func(p *personas.Persona) { p.Name = "{{handlebars}}" }, nil},
	"what is wrong in a text of faults": {"machine m pass_fail" + inn + "a > nowhere pass", func(p *personas.Persona) { p.Description = "TODO" }, []string{"todo-left description", "unknown-to-state machines[0].transitions[0].to_state_key"}},
}

func TestLeftovers(t *testing.T) {
	notes := []string{"TODO", "TODO: write", "He smiles. TODO: more", "(TODO write this)", "- FIXME", "a\nXXX\nb", "TODO make him sad", "TBD.", "Lorem ipsum dolor",
		"You are <your text>", "<Insert a name here>", "[insert name]"}
	for _, text := range notes {
		assert.True(t, findLeftover(text) != "", "%q: nothing found", text)
	}
	fine := []string{"", "todo el mundo", "¡TODO ES MENTIRA!", "Louis XXX was a king", "METODO: no", "<b>bold</b>", "1 < 2 and 3 > 2", "[your turn]", "[a pause]", "<your", "MAXXX", "<your\ntext here>"}
	for _, text := range fine {
		assert.Equal(t, findLeftover(text), "", "%q: found", text)
	}
}

func TestSecrets(t *testing.T) {
	hex := strings.Repeat("0a1b", 8)
	secrets := []string{
		"pk_live_" + hex, "key=sk-proj-" + hex, "sk-ant-api03-" + hex, "(sk_live_" + hex + ")", "AKIA" + strings.ToUpper(hex[:16]),
		"AIza" + hex + "xyz", "ghp_" + hex + hex, "glpat-" + hex, "xoxb-" + hex, "xai-" + hex, "SG." + hex + "." + hex, "hvs." + hex, "ya29." + hex,
		"Bearer eyJhbGciOiJub25l.eyJzdWIiOiJhbGlj.c2lnbmF0dXJl", "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
	}
	for _, secret := range secrets {
		p := smallPersona(t, plainOne)
		p.Machines[0].States[0].Extra = personas.Members{{Name: "x-note", Value: []byte(`"` + secret + `"`)}}
		p.IdentityPrompt = "Say " + secret + " to nobody."
		found := lintPersona(p)
		assert.EqualSlices(t, formatFindings(found, nil), []string{"secret-in-prompt persona_identity_prompt", "secret-in-prompt machines[0].states[0].x-note"}, secret)
		for _, f := range found {
			assert.NotContains(t, f.Message, hex[:8])
			assert.NotContains(t, f.Message, "eyJ")
			assert.NotContains(t, f.Message, "MIIE")
		}
	}
	for _, secret := range secrets {
		p := smallPersona(t, plainOne+"\na > - reject")
		p.Machines[0].States[0].Extra = personas.Members{{Name: "x-note", Value: []byte(`"two lines\n` + strings.ReplaceAll(secret, "\n", `\n`) + `"`)}}
		p.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples(secret), Reject: personas.NewExamples(secret)}}
		fault := personas.Diagnostic{Path: "x", Message: fmt.Sprintf("it is the string %q", secret)}
		found := All(p, []personas.Diagnostic{fault})
		got := formatFindings(found, nil)
		assert.True(t, slices.Contains(got, "secret-in-prompt machines[0].states[0].x-note"), "%s on a second line: %v", secret, got)
		found = append(found, lintPersona(p)...)
		got = formatFindings(found, nil)
		assert.True(t, slices.Contains(got, "duplicate-example machines[0].states[0].offline.examples.reject[0]"), "twice: %v", got)
		for _, f := range found {
			assert.NotContains(t, f.Message, hex[:8])
			assert.NotContains(t, f.Message, "eyJ")
		}
	}
	p := smallPersona(t, plainOne)
	p.Extra = personas.Members{{Name: "x-note", Value: []byte(`{"a": ["\u0070k_live_` + hex + `"]}`)}}
	assert.EqualSlices(t, formatFindings(lintPersona(p), nil), []string{"secret-in-prompt x-note"}, "a secret with an escape")
	for _, text := range []string{"sk-", "the task-force-of-the-seven-seas-and-more9", "pk_live_short", "eyJ.eyJ.x", "-----BEGIN CERTIFICATE-----", strings.Repeat("a", 100), "risk-averse-and-unwilling-to-go-on"} {
		assert.Equal(t, secretIn(text), "", text)
	}
}

func TestBraces(t *testing.T) {
	known := personas.NewVariableTable(&personas.Persona{Variables: []personas.Variable{{Key: "town"}}})
	for text, want := range map[string]string{
		"Hi {player_name}.":           "Hi {{player_name}}.",
		"{{player_name} of { town }}": "{{player_name}} of {{town}}",
		"${town} and {{town}}":        "${{town}} and {{town}}",
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			first, right := findBadBraces(text, known)
			assert.True(t, first.name != "" && right == want, "%q: %q, %q", text, first.name, right)
		})
	}
	for _, text := range []string{"{{town}}", "{}", "{other}", "{{{town}}}", "{", "}", "{town", "town}", "{\ntown}", "{{ town }}"} {
		first, right := findBadBraces(text, known)
		assert.True(t, first.name == "" && right == text, "%q: %q, %q", text, first.name, right)
	}
}

func TestFixes(t *testing.T) {
	tests := []struct {
		name, old, wrong string
		want             personas.Fix
	}{
		{"a word", "decision_type: redirect", "decision_type: Redirect", personas.Fix{Kind: personas.FixSet, Path: "machines[0].transitions[1].decision_type", Value: "redirect"}},
		{"a scoring mode", "scoring_mode: pass_fail", "scoring_mode: pas_fail", personas.Fix{Kind: personas.FixSet, Path: "machines[1].scoring_mode", Value: "pass_fail"}},
		{"a missing member", "decision_type: redirect", "decision_typ: redirect", personas.Fix{Kind: personas.FixRename, Path: "machines[0].transitions[1].decision_typ", Value: "decision_type"}},
		{"an unknown member", "label: Inside", "lable: Inside", personas.Fix{Kind: personas.FixRename, Path: "machines[0].states[1].lable", Value: "label"}},
		{"a text for a list", `redirect: ["State your business."]`, "redirect: State your business.", personas.Fix{Kind: personas.FixWrap, Path: "machines[0].states[0].offline.lines.redirect", Value: ""}},
		{"a state", "to_state_key: inside", "to_state_key: insied", personas.Fix{Kind: personas.FixSet, Path: "machines[0].transitions[0].to_state_key", Value: "inside"}},
		{"a machine", "target_machine_key: yard", "target_machine_key: yrd", personas.Fix{Kind: personas.FixSet, Path: "machine_links[0].target_machine_key", Value: "yard"}},
		{"a placeholder", "{{player_name}}", "{{playername}}", personas.Fix{Kind: personas.FixSet, Path: "machines[0].states[0].offline.opening[0]", Value: "Good evening, {{player_name}}."}},
		{"braces", "{{player_name}}", "{player_name}", personas.Fix{Kind: personas.FixSet, Path: "machines[0].states[0].offline.opening[0]", Value: "Good evening, {{player_name}}."}},
		{"an input", "    input_variables:\n      - key: errand", "    input_variables:\n      - key: erand", personas.Fix{Kind: personas.FixSet, Path: "machines[1].input_variables[0].key", Value: "errand"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			src := strings.Replace(Example, test.old, test.wrong, 1)
			p, _, faults := personas.Parse("e.yaml", []byte(src))
			found := All(&p, faults)
			i := slices.IndexFunc(found, func(f personas.Diagnostic) bool { return f.Fix != nil })
			if i < 0 || *found[i].Fix != test.want {
				t.Errorf("%s: found %+v", test.name, found)
				return
			}
			assert.Equal(t, len(formatFindings(found, nil)), 1, "%s: one slip has several findings: %v", test.name, formatFindings(found, nil))
			fixed, err := found[i].Fix.Apply([]byte(src))
			again := lintText(string(fixed))
			assert.True(t, err == nil && len(again) == 0, "%s: fixed (%v), and still found %v", test.name, err, again)
		})
	}
}

func TestNoFixWithoutOneAnswer(t *testing.T) {
	p := smallPersona(t, "machine m pass_fail\nstate desk1 initial\nstate desk2 terminal\ndesk1 > desk2 pass\ndesk1 > desk3 pass # other")
	for _, f := range lintPersona(p) {
		if f.Fix != nil {
			t.Errorf("fix %+v of %+v", *f.Fix, f)
		}
	}
}

// FuzzTexts: the scanners accept any text, and a corrected text does not have further findings.
func FuzzTexts(f *testing.F) {
	for _, text := range []string{"TODO: x", "<your text>", "[insert", "{player_name}", "{{player_name}", "sk-sk-0123456789abcdefghij", "eyJeyJ.eyJ.", "lorem\xffipsum"} {
		f.Add(text)
	}
	known := personas.NewVariableTable(&personas.Persona{Variables: []personas.Variable{{Key: "x"}}})
	f.Fuzz(func(t *testing.T, text string) {
		note := findLeftover(text)
		assert.True(t, note == "" || strings.Contains(text, note), "%q is not in %q", note, text)
		what := secretIn(text)
		assert.True(t, len(what) <= 60, "told too much: %q", what)
		first, right := findBadBraces(text, known)
		again, _ := findBadBraces(right, known)
		assert.True(t, (first.name != "" || right == text) && again.name == "", "%q became %q", text, right)
		normalizeText(text)
	})
}

// TestLintExplainsUnicodeForm: if a key is in another Unicode form, the suggestion is not simply the same word.
func TestLintExplainsUnicodeForm(t *testing.T) {
	p := smallPersona(t, "machine m entry\nstate a initial\nstate caf\u00e9 terminal\na > cafe\u0301 pass # says so")
	for _, f := range All(p, nil) {
		if f.Check == "unknown-to-state" {
			assert.Contains(t, f.Message, "another Unicode form")
			return
		}
	}
	t.Error("no finding unknown-to-state")
}

// TestEveryKindOfSecret: keys of every known provider are found from their minimum length on.
func TestEveryKindOfSecret(t *testing.T) {
	t.Parallel()
	kinds := map[string]struct {
		least int
		what  string
	}{
		"sk-": {20, "an API key (sk-...)"}, "sk_live_": {16, "a live API key (sk_live_...)"}, "rk_live_": {16, "a live API key (rk_live_...)"},
		"pk_live_": {16, "an API key of a persona service (pk_live_...)"}, "pk_test_": {32, "an API key (pk_test_...)"},
		"xai-": {30, "an API key of xAI"}, "pplx-": {30, "an API key of Perplexity"}, "nvapi-": {30, "an API key of NVIDIA"}, "r8_": {30, "a token of Replicate"},
		"AKIA": {16, "an access key of AWS"}, "ASIA": {16, "an access key of AWS"},
		"AIza": {30, "an API key of Google"}, "ya29.": {30, "a token of Google"}, "GOCSPX-": {20, "a client secret of Google"},
		"ghp_": {30, "a token of GitHub"}, "gho_": {30, "a token of GitHub"}, "ghs_": {30, "a token of GitHub"}, "ghu_": {30, "a token of GitHub"},
		"ghr_": {30, "a token of GitHub"}, "github_pat_": {30, "a token of GitHub"}, "glpat-": {18, "a token of GitLab"},
		"hf_": {30, "a token of Hugging Face"}, "gsk_": {30, "an API key (gsk_...)"},
		"xoxb-": {18, "a token of Slack"}, "xoxp-": {18, "a token of Slack"}, "xoxa-": {18, "a token of Slack"}, "xoxs-": {18, "a token of Slack"}, "xapp-": {18, "a token of Slack"},
		"npm_": {30, "a token of npm"}, "pypi-": {30, "a token of PyPI"}, "dop_v1_": {40, "a token of DigitalOcean"},
		"SG.": {20, "an API key of SendGrid"}, "hvs.": {20, "a token of Vault"}, "AGE-SECRET-KEY-1": {40, "a private key (age)"},
	}
	assert.Equal(t, len(kinds), len(shapes), "kinds")
	for begin, kind := range kinds {
		key := strings.Repeat("a1B2", kind.least)
		assert.Equal(t, secretIn("Say "+begin+key[:kind.least]+" to nobody."), kind.what, "%s: it is called", begin)
		assert.Equal(t, secretIn("Say "+begin+key[:kind.least-1]+" to nobody."), "", "%s: a shorter word is called", begin)
	}
}

func TestProject(t *testing.T) {
	v := func(key, value, description string) personas.Variable {
		return personas.Variable{Key: key, Value: value, Description: description}
	}
	one := func(name string, variables ...personas.Variable) *personas.Persona {
		return &personas.Persona{Name: name, Variables: variables}
	}
	tests := map[string]struct {
		a, b *personas.Persona
		want []string
	}{
		"nothing in common":       {one("A", v("mood", "calm", "")), one("B", v("town", "Ash", "")), nil},
		"the same name":           {one("A  cat"), one("a cat"), []string{"duplicate-persona-name name"}},
		"another value":           {one("A", v("mood", "calm", "")), one("B", v("mood", "angry", "")), []string{"variable-differs variables[0].key"}},
		"another description":     {one("A", v("mood", "calm", "How she feels")), one("B", v("mood", "calm", "How he feels")), []string{"variable-differs variables[0].key"}},
		"the same in other case":  {one("A", v("mood", "calm", "The mood.")), one("B", v("mood", "calm", "the mood")), nil},
		"only one describes it":   {one("A", v("mood", "calm", "The mood.")), one("B", v("mood", "calm", "")), nil},
		"described once, another": {one("A", v("mood", "calm", "The mood.")), one("B", v("mood", "angry", "the mood")), []string{"variable-differs variables[0].key"}},
		"a letter is missing":     {one("A", v("password", "", "")), one("B", v("pasword", "", "")), []string{"variable-misspelled variables[0].key"}},
		"two changed places":      {one("A", v("quest", "", "")), one("B", v("queste", "", ""), v("qeust", "", "")), []string{"variable-misspelled variables[0].key", "variable-misspelled variables[1].key"}},
		"a plural":                {one("A", v("guest", "", "")), one("B", v("guests", "", "")), nil},
		"numbered":                {one("A", v("door_1", "", "")), one("B", v("door_2", "", "")), nil},
		"short names":             {one("A", v("tale", "", "")), one("B", v("tail", "", "")), nil},
		"two letters":             {one("A", v("weather", "", "")), one("B", v("feather_", "", "")), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range Project([]ProjectFile{{"a.yaml", test.a}, {"b.yaml", test.b}}) {
				assert.Equal(t, f.File, "b.yaml", "%s: a finding", name)
				got = append(got, f.Check+" "+f.Path)
			}
			assert.EqualSlices(t, got, test.want, "%s: found", name)
		})
	}
}

func TestProjectIsBounded(t *testing.T) {
	var files []ProjectFile
	for i := range MaxFindings + 2 {
		files = append(files, ProjectFile{fmt.Sprint(i), &personas.Persona{Name: "same"}})
	}
	assert.Equal(t, len(Project(files[:MaxFindings+1])), MaxFindings, "findings")
	assert.Equal(t, len(Project(files)), MaxFindings+1, "findings")
}

func TestOneSlip(t *testing.T) {
	for _, pair := range [][2]string{{"password", "pasword"}, {"quest", "qeust"}, {"mood", "food"}, {"straße", "strasse"}} {
		want := pair[0] != "straße"
		assert.True(t, isOneSlip(pair[0], pair[1]) == want && isOneSlip(pair[1], pair[0]) == want, "%v", pair)
	}
	for _, pair := range [][2]string{{"a1", "a2"}, {"guest", "guests"}, {"abc", "xyz"}, {"ab", "abcd"}} {
		assert.True(t, !isOneSlip(pair[0], pair[1]) && !isOneSlip(pair[1], pair[0]), "%v are one slip apart", pair)
	}
}
