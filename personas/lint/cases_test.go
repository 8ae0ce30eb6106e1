package lint

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// Cases are abbreviated personas: `machine KEY words...`, `state KEY words...`, `FROM > TO decision
// words...` and `link FROM TO condition [value] words...`. Words are short forms such as initial
// for is_initial_state, NUMBER for the delta, pN for the priority; the text after # is the
// condition. A pass has a condition unless one of its words is "bare".

func smallPersona(t *testing.T, short string) *personas.Persona {
	t.Helper()
	p := &personas.Persona{Name: "n", Description: "d", IdentityPrompt: "i"}
	for line := range strings.Lines(short) {
		line, condition, _ := strings.Cut(strings.TrimSpace(line), " # ")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "var":
			p.Variables = append(p.Variables, personas.Variable{Key: words[1], Value: strings.Join(words[2:], " ")})
		case words[0] == "link":
			p.Links = append(p.Links, shortLink(t, words[1:]))
		case words[0] == "machine":
			p.Machines = append(p.Machines, shortMachine(t, words[1:]))
		case words[0] == "state":
			m := &p.Machines[len(p.Machines)-1]
			m.States = append(m.States, shortState(t, words[1:], condition))
		default:
			m := &p.Machines[len(p.Machines)-1]
			m.Transitions = append(m.Transitions, shortTransition(t, words, condition))
		}
	}
	return p
}

func parseNumber(t *testing.T, word string) *int {
	t.Helper()
	return new(assert.Value(strconv.Atoi(word))(t))
}

func shortMachine(t *testing.T, words []string) personas.Machine {
	m := personas.Machine{Key: words[0]}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "pass_fail":
			m.ScoringMode = personas.PassFail
		case "entry":
			m.IsEntry = true
		case "threshold":
			m.PassThreshold = parseNumber(t, value)
		case "bound":
			m.EarlyFailBound = parseNumber(t, value)
		case "out":
			m.OutputVariables = append(m.OutputVariables, personas.OutputVariable{Key: value, ExtractionPrompt: "what?"})
		case "in":
			m.InputVariables = append(m.InputVariables, personas.InputVariable{Key: value})
		default:
			t.Fatalf("machine: %q", w)
		}
	}
	return m
}

func shortState(t *testing.T, words []string, prompt string) personas.State {
	s := personas.State{Key: words[0], PromptInstruction: prompt}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "initial":
			s.IsInitial = true
		case "terminal":
			s.IsTerminal = true
		case "max":
			s.MaxRedirects = parseNumber(t, value)
		case "ending":
			s.EndingName = value
		case "REJECT", "ACCEPT":
			s.TerminalOutcome = personas.Outcome(name)
		default:
			t.Fatalf("state: %q", w)
		}
	}
	return s
}

func shortTransition(t *testing.T, words []string, condition string) personas.Transition {
	r := personas.Transition{From: words[0], Decision: personas.Decision(words[3]), Condition: condition}
	if words[2] != "-" {
		r.To = words[2]
	}
	bare := false
	for _, w := range words[4:] {
		switch w[0] {
		case 'b':
			bare = true
		case 'e':
			r.EndingName = w
		case 'p':
			r.Priority = *parseNumber(t, w[1:])
		default:
			r.ScoreDelta = *parseNumber(t, w)
		}
	}
	if r.Decision == personas.DecidePass && condition == "" && !bare {
		r.Condition = strings.Join(words, " ")
	}
	return r
}

func shortLink(t *testing.T, words []string) personas.Link {
	l := personas.Link{Source: words[0], Target: words[1], Condition: personas.Condition(words[2])}
	for _, w := range words[3:] {
		switch {
		case w == "auto":
			l.AutoAdvance = true
		case l.Condition == personas.IfOutcome:
			l.Outcome = personas.Outcome(w)
		default:
			l.Score = *parseNumber(t, w)
		}
	}
	return l
}

// ofShortPersonas are the checks with findings in nearly every short persona.
var ofShortPersonas = []string{redirectLinesMissing.Name, "offline-lines-missing", rejectLeadsLikePass.Name}

// formatFindings formats the findings. Of the checks in ofShortPersonas it includes only those in asked.
func formatFindings(found []personas.Diagnostic, asked []string) []string {
	var all []string
	for _, f := range found {
		say := f.Check + " " + f.Path
		if !slices.Contains(ofShortPersonas, f.Check) || slices.Contains(asked, say) {
			all = append(all, say)
		}
	}
	return all
}

// lintPersona lints a persona as if it had been read from a text.
func lintPersona(p *personas.Persona) []personas.Diagnostic { return All(p, personas.Validate(p)) }

const inn = `
state a initial
state z terminal
`

func TestCases(t *testing.T) {
	for _, table := range []map[string]lintCase{cases, wordCases} {
		for name, c := range table {
			t.Run(name, func(t *testing.T) {
				p := smallPersona(t, c.persona)
				if c.change != nil {
					c.change(p)
				}
				found := lintPersona(p)
				assert.EqualSlices(t, formatFindings(found, c.want), c.want, "found %+v", found)
			})
		}
	}
}

type lintCase struct {
	persona string
	change  func(p *personas.Persona)
	want    []string
}

// cases list exactly the expected findings.
var cases = map[string]lintCase{
	"nothing wrong": {persona: "machine m pass_fail" + inn + "a > z pass"},

	// Reachability.
	"a state without a way in": {"machine m pass_fail" + inn + "state b\na > z pass\nb > z pass", nil, []string{"unreachable-state machines[0].states[2]"}},
	"a chain of lost states is one finding": {"machine m pass_fail" + inn + "state c\nstate b\na > z pass\nb > c pass\nc > z pass\nc > z reject", nil,
		[]string{"unreachable-state machines[0].states[3]"}},
	"two lost circles are two findings": {"machine m pass_fail" + inn + "state b\nstate c\nstate d\nstate e\na > z pass\nb > c pass\nc > b pass\nd > e pass\ne > d pass", nil,
		[]string{"unreachable-state machines[0].states[2]", "unreachable-state machines[0].states[4]"}},
	"a kick_out that names a state loses it": {"machine m pass_fail" + inn + "state out terminal\na > z pass\na > out kick_out", nil, []string{"unreachable-state machines[0].states[2]"}},
	"a reject leads on where points count":   {persona: "machine m" + inn + "state b terminal\na > z pass 3\na > b reject -1"},
	"a lost state takes its rows with it":    {"machine m pass_fail" + inn + "state b max=0\na > z pass\nb > - redirect\nb > z pass", nil, []string{"unreachable-state machines[0].states[2]"}},
	"redirects that are none":                {"machine m pass_fail\nstate a initial max=0\nstate z terminal\na > z pass\na > - redirect", nil, []string{"dead-transition machines[0].transitions[1]"}},
	"a row behind one that always holds":     {"machine m pass_fail" + inn + "state y terminal\na > z pass bare\na > y pass p1", nil, []string{"dead-transition machines[0].transitions[1]"}},
	"priority and not the order counts":      {persona: "machine m pass_fail" + inn + "state y terminal\na > z pass bare p1\na > y pass"},
	"with a criterion it does not always hold": {"machine m pass_fail" + inn + "state y terminal\na > z pass bare\na > y pass p1",
		func(p *personas.Persona) { p.Machines[0].States[0].Criteria.Pass = "pays" }, nil},
	"a pass behind a redirect without a priority": {"machine m" + inn + "state y terminal\na > z pass 3 p1\na > y pass 3 p2\na > z reject -1 p2\na > - redirect\na > - kick_out p-1", nil,
		[]string{"redirect-lines-missing machines[0].states[0]", "pass-tried-last machines[0].transitions[0].priority"}},
	"a pass behind a kick_out":      {persona: "machine m pass_fail" + inn + "a > z pass p1\na > - kick_out"},
	"a reject behind the passes":    {persona: "machine m pass_fail" + inn + "a > z pass p1\na > - reject p2"},
	"a first pass without a number": {persona: "machine m pass_fail" + inn + "state y terminal\na > z pass\na > y pass p1\na > - reject"},
	"a state without a way out":     {"machine m pass_fail" + inn + "state b\na > z pass\na > b pass", nil, []string{"dead-end machines[0].states[2]"}},
	"all ways lead to the dead end": {"machine m pass_fail\nstate a initial\nstate b\nstate c\nstate z terminal\na > b pass\nb > c pass\nc > - redirect", nil, []string{"machine-never-won machines[0]", "dead-end machines[0].states[2]"}},
	"a limit is no way out where points count": {"machine m\nstate a initial\nstate b max=2\nstate z terminal\na > b pass 3\na > z pass 3\nb > - redirect", nil,
		[]string{"dead-end machines[0].states[1]"}},
	"a circle without an exit":        {"machine m pass_fail" + inn + "state b\nstate c\na > z pass\na > b pass\nb > c pass\nc > b pass", nil, []string{"stuck-loop machines[0].states[2]"}},
	"a circle that loses points ends": {persona: "machine m" + inn + "state b\nstate c\na > z pass 3\na > b pass\nb > c pass -1\nc > b pass"},
	"a circle on the way to a dead end": {"machine m pass_fail" + inn + "state b\nstate c\nstate d\na > z pass\na > b pass\nb > c pass\nc > b pass\nc > d pass", nil,
		[]string{"dead-end machines[0].states[4]"}},
	"the whole machine is a circle":  {"machine m pass_fail\nstate a initial\nstate b\nstate z terminal\na > b pass\nb > a pass", nil, []string{"machine-never-won machines[0]", "stuck-loop machines[0].states[0]"}},
	"a limit that always rejects":    {"machine m pass_fail" + inn + "state b max=1\na > z pass\na > b pass\nb > - redirect", nil, []string{"redirect-trap machines[0].states[2]"}},
	"points that always run out":     {"machine m" + inn + "state b\na > z pass 3\na > b pass\nb > - redirect -1", nil, []string{"redirect-trap machines[0].states[2]"}},
	"a kick_out may be all there is": {persona: "machine m pass_fail" + inn + "state b\na > z pass\na > b pass\nb > - kick_out"},
	"but not with a limit":           {"machine m pass_fail" + inn + "state b max=2\na > z pass\na > b pass\nb > - kick_out", nil, []string{"redirect-trap machines[0].states[2]"}},
	"a trap at the beginning":        {"machine m pass_fail\nstate a initial max=1\nstate z terminal\na > - redirect", nil, []string{"machine-never-won machines[0]", "redirect-trap machines[0].states[0]"}},

	// Endings of a machine.
	"no ending means ACCEPT":             {"machine m pass_fail\nstate a initial\nstate z terminal REJECT\na > z pass", nil, []string{"machine-never-won machines[0]"}},
	"the ACCEPT one is lost":             {"machine m pass_fail\nstate a initial\nstate z terminal REJECT\nstate y terminal\na > z pass", nil, []string{"machine-never-won machines[0]", "unreachable-state machines[0].states[2]"}},
	"it is declared unbeatable":          {"machine m pass_fail\nstate a initial\nstate z terminal REJECT\na > z pass", declareUnbeatable, nil},
	"too few points on purpose":          {"machine m threshold=4" + inn + "a > z pass 3", declareUnbeatable, nil},
	"it can never be lost":               {"machine m threshold=0" + inn + "a > z pass 3\na > z reject 0", nil, []string{"outcome-impossible machines[0].states"}},
	"it can be lost":                     {persona: "machine m threshold=1" + inn + "a > z pass 3\na > z reject 0"},
	"one point short":                    {"machine m threshold=4" + inn + "a > z pass 3", nil, []string{"threshold-never-met machines[0].pass_threshold"}},
	"just enough":                        {persona: "machine m threshold=3" + inn + "a > z pass 3"},
	"the default is too much":            {"machine m" + inn + "a > z pass 2", nil, []string{"threshold-never-met machines[0]"}},
	"points that can be had often":       {persona: "machine m threshold=1000" + inn + "a > a pass 1\na > z pass"},
	"the points are in a lost state":     {"machine m" + inn + "state b\na > z pass\nb > z pass 3", nil, []string{"machine-never-won machines[0]", "unreachable-state machines[0].states[2]"}},
	"a bound at the start":               {"machine m bound=0" + inn + "a > z pass 3", nil, []string{"early-fail-masks machines[0].early_fail_bound"}},
	"a bound below the start":            {persona: "machine m bound=-1" + inn + "a > z pass 3"},
	"a bound at the threshold":           {"machine m bound=3" + inn + "a > z pass 3", nil, []string{"machine-never-won machines[0]", "early-fail-masks machines[0].early_fail_bound"}},
	"a bound on every way":               {"machine m bound=-2" + inn + "a > b pass -2\nstate b\nb > z pass 9", nil, []string{"machine-never-won machines[0]", "early-fail-masks machines[0].states[2]"}},
	"a terminal state below the bound":   {"machine m" + inn + "a > z pass -5", nil, []string{"machine-never-won machines[0]", "early-fail-masks machines[0]"}},
	"points without a count":             {"machine m pass_fail threshold=1" + inn + "a > z pass 3", nil, []string{"pass-fail-with-scores machines[0].scoring_mode"}},
	"an outcome that the score decides":  {"machine m\nstate a initial\nstate z terminal ACCEPT\na > z pass 3", nil, []string{"terminal-outcome-ignored machines[0].states[1].terminal_outcome"}},
	"an ending of a state that goes on":  {"machine m pass_fail\nstate a initial ending=x\nstate z terminal ending=x\na > z pass", nil, []string{"ending-ignored machines[0].states[0].ending"}},
	"endings where nothing ends":         {"machine m pass_fail\nstate a initial\nstate b\nstate z terminal\na > b pass ending\na > - redirect ending p1\nb > z pass ending", nil, []string{"ending-ignored machines[0].transitions[0].ending", "ending-ignored machines[0].transitions[1].ending"}},
	"endings by points":                  {"machine m\nstate a initial\nstate b\nstate z terminal\na > b pass 3 ending\na > a redirect -1 ending p1\na > - reject ending p2\na > - kick_out ending p3\nb > z pass ending", nil, []string{"ending-ignored machines[0].transitions[0].ending"}},
	"an outcome of a state that goes on": {"machine m pass_fail\nstate a initial REJECT\nstate z terminal\na > z pass", nil, []string{"terminal-outcome-ignored machines[0].states[0].terminal_outcome"}},

	// What unlocks what.
	"a link that asks for too much":     {two + "link m n always\nlink m n score_gte 4", nil, []string{"link-never-opens machine_links[1].condition_value"}},
	"a link that asks for all":          {persona: two + "link m n score_gte 3"},
	"an outcome that is not there":      {two + "link m n always\nlink m n outcome KICK_OUT", nil, []string{"link-never-opens machine_links[1].condition_value"}},
	"the only link asks for too much":   {two + "link m n score_gte 4", nil, []string{"machine-never-unlocks machines[1]"}},
	"what lies behind a locked machine": {two + "machine o pass_fail" + inn + "a > z pass\nlink m n score_gte 4\nlink n o always", nil, []string{"machine-never-unlocks machines[1]"}},
	"the link waits for a machine that cannot be won": {"machine m threshold=9" + inn + "a > z pass 3\nmachine n pass_fail" + inn + "a > z pass\nlink m n outcome ACCEPT", nil,
		[]string{"threshold-never-met machines[0].pass_threshold"}},
	"no way in":                         {two + "link m n always\nlink n m always", nil, []string{"no-entry-machine machines"}},
	"a way in":                          {persona: strings.Replace(two, "machine m", "machine m entry", 1) + "link m n always"},
	"machines that wait for each other": {two + "machine o pass_fail" + inn + "a > z pass\nlink n o always\nlink o n always", nil, []string{"link-cycle-locked machines[1]"}},
	"a machine that waits for itself":   {two + "link n n always", nil, []string{"link-cycle-locked machines[1]"}},
	"a circle with a way in":            {persona: two + "machine o pass_fail" + inn + "a > z pass\nlink n o always\nlink o n always\nlink m n always"},
	"a link to an open machine":         {strings.Replace(two, "machine n", "machine n entry", 1) + "link m n always", nil, []string{"link-without-effect machine_links[0]"}},
	"a link twice":                      {two + "link m n always\nlink m n always", nil, []string{"link-without-effect machine_links[1]"}},
	"two ways on at once":               {three + "link m n score_gte 1 auto\nlink m o score_lte 3 auto", nil, []string{"auto-advance-ambiguous machine_links[1].is_auto_advance"}},
	"scores that no ending has":         {persona: three + "link m n score_gte 1 auto\nlink m o score_lte 2 auto"},
	"two ways on by turns":              {persona: three + "link m n score_gte 1 auto\nlink m o score_lte 0 auto"},
	"ACCEPT or REJECT":                  {persona: three + "link m n outcome ACCEPT auto\nlink m o outcome REJECT auto"},
	"ACCEPT has more than 2 points":     {persona: three + "link m n outcome ACCEPT auto\nlink m o score_lte 2 auto"},
	"ACCEPT may have 3 points":          {three + "link m n outcome ACCEPT auto\nlink m o score_gte 3 auto", nil, []string{"auto-advance-ambiguous machine_links[1].is_auto_advance"}},
	"only one leads straight on":        {persona: three + "link m n always auto\nlink m o always"},

	// Variables.
	"an input that nobody gives":               {"machine m pass_fail in=k" + inn + "a > z pass", nil, []string{"variable-undefined machines[0].input_variables[0].key"}},
	"an input with a default":                  {persona: "var k v\nmachine m pass_fail in=k" + inn + "a > z pass"},
	"read where it is learned":                 {"machine m pass_fail out=k\nstate a initial # {{k}}\nstate z terminal\na > z pass", nil, []string{"variable-of-own-machine machines[0].states[0].prompt_instruction"}},
	"read where it is learned, with a default": {"var k v\nmachine m pass_fail out=k\nstate a initial # {{k}}\nstate z terminal\na > z pass", nil, []string{"variable-of-own-machine machines[0].states[0].prompt_instruction"}},
	"read where it is learned again":           {persona: "var k v\nmachine m pass_fail out=k" + inn + "a > z pass\nmachine n pass_fail out=k\nstate a initial # {{k}}\nstate z terminal\na > z pass\nlink m n always"},
	"read behind what learns it":               {persona: "machine m pass_fail out=k" + inn + "a > z pass\nmachine n pass_fail in=k" + inn + "a > z pass\nlink m n always"},
	"read where one can go before":             {"machine m pass_fail out=k" + inn + "a > z pass\nmachine n pass_fail in=k" + inn + "a > z pass", nil, []string{"variable-never-set-before-use machines[1].input_variables[0].key"}},
	"a way around what learns it": {three + "machine x pass_fail in=k" + inn + "a > z pass\nlink n x always\nlink o x always",
		func(p *personas.Persona) {
			p.Machines[1].OutputVariables = []personas.OutputVariable{{Key: "k", ExtractionPrompt: "?"}}
		},
		[]string{"variable-never-set-before-use machines[3].input_variables[0].key"}},
	"the identity reads it at once": {"machine m pass_fail out=k" + inn + "a > z pass", func(p *personas.Persona) { p.IdentityPrompt = "{{k}}" },
		[]string{"variable-never-set-before-use persona_identity_prompt"}},
	"a variable that nobody reads":      {"var k v\nmachine m pass_fail" + inn + "a > z pass", nil, []string{"variable-never-used variables[0].key"}},
	"a slip is told once":               {"var password v\nmachine m pass_fail in=pasword" + inn + "a > z pass", nil, []string{"variable-undefined machines[0].input_variables[0].key"}},
	"a variable that a machine learns":  {persona: "var k v\nmachine m pass_fail out=k" + inn + "a > z pass"},
	"a variable with a name of its own": {"var player_name v\nmachine m pass_fail" + inn + "a > z pass", nil, []string{"variable-unusable variables[0].key"}},
	"a variable with braces":            {"var {k} v\nmachine m pass_fail" + inn + "a > z pass", nil, []string{"variable-unusable variables[0].key"}},
}

func declareUnbeatable(p *personas.Persona) {
	p.Machines[0].Extra = personas.Members{{Name: "x-unbeatable", Value: []byte("true")}}
}

const two = "machine m" + inn + "a > z pass 3\nmachine n pass_fail" + inn + "a > z pass\n"

const three = "machine m" + inn + "a > z pass 3\na > z reject -1\nmachine n pass_fail" + inn + "a > z pass\nmachine o pass_fail" + inn + "a > z pass\n"

// TestExampleFindings holds every word that the checks say of their examples.
func TestExampleFindings(t *testing.T) {
	var out strings.Builder
	for _, c := range Checks {
		if c.Bad == "" {
			continue
		}
		out.WriteString("# " + c.Name + "\n")
		found := lintText(c.WrongExample())
		if c.Project {
			found = Project(c.exampleFiles())
		}
		for _, f := range found {
			out.WriteString(f.Path + ": " + string(f.Severity) + ": " + f.Message + " [" + f.Check + "]\n")
			if f.Fix != nil {
				out.WriteString("  fix: " + string(f.Fix.Kind) + " " + f.Fix.Path + " " + f.Fix.Value + "\n")
			}
		}
	}
	assert.Golden(t, filepath.Join("testdata", "examples.txt"), out.String())
}

const checksHead = `# Checks

The checks of ` + "`parley persona lint`" + `. An **error** is refused by a server or must not be saved. A **warning** is a mistake that players would meet. An
**info** is a hint. A finding that follows from another one is not reported, and each check reports at most 100.

` + "`parley persona lint --explain CHECK`" + ` prints a section. The examples are parts of one persona without findings. This page is generated:
` + "`go test ./personas/lint -run TestChecksPage -update`" + `.

`

func TestChecksPage(t *testing.T) {
	var out strings.Builder
	out.WriteString(checksHead + "| check | | |\n|---|---|---|\n")
	for _, c := range Checks {
		out.WriteString("| [" + c.Name + "](#" + c.Name + ") | " + string(c.Severity) + " | " + strings.ReplaceAll(c.Summary, "|", "\\|") + " |\n")
	}
	for _, c := range Checks {
		out.WriteString("\n" + c.Page())
	}
	assert.Golden(t, filepath.Join("..", "..", "docs", "checks.md"), out.String())
}
