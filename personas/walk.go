package personas

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

func (p *Persona) walkMembers(v *memberWalker) {
	v.noun = "persona"
	v.walkText("name", &p.Name, required)
	v.walkText("description", &p.Description, required)
	v.walkText("persona_identity_prompt", &p.IdentityPrompt, required)
	v.walkText("perplexity_description", &p.PerplexityDescription, optional)
	v.walkLanguage(&p.Language)
	v.walkText("portrait", &p.Portrait, optional)
	v.walkOptionalInteger("hue", &p.Hue)
	v.checkMember("hue", func() string {
		if p.Hue == nil || 0 <= *p.Hue && *p.Hue <= MaxHue {
			return ""
		}
		return "must be an angle from 0 to 359: 0 is red, 120 green, 240 blue"
	})
	walkObjects(v, "variables", &p.Variables, optional)
	walkObjects(v, "machines", &p.Machines, required)
	walkObjects(v, "machine_links", &p.Links, optional)
	walkOptionalObject(v, "offline", &p.Offline)
	v.walkUnknown(&p.Extra)
}

func (x *Variable) walkMembers(v *memberWalker) {
	v.noun = "variable"
	v.walkText("key", &x.Key, required)
	v.walkText("value", &x.Value, optional)
	v.walkText("description", &x.Description, optional)
	v.walkUnknown(&x.Extra)
}

func (m *Machine) walkMembers(v *memberWalker) {
	v.noun = "machine"
	v.walkKey("machine_key", &m.Key, machineKeyForm)
	v.walkText("name", &m.Name, optional)
	v.walkText("description", &m.Description, optional)
	v.walkText("player_goal", &m.PlayerGoal, optional)
	v.walkText("creator_objective", &m.Objective, optional)
	v.walkText("creator_win_condition", &m.WinCondition, optional)
	v.walkText("creator_lose_condition", &m.LoseCondition, optional)
	v.walkText("chat_system_prompt", &m.ChatPrompt, optional)
	v.walkText("system_evaluation_prompt", &m.EvaluationPrompt, optional)
	v.walkText("system_summarization_prompt", &m.SummarizationPrompt, optional)
	walkChoice(v, "scoring_mode", &m.ScoringMode, optional, Scoring, PassFail)
	v.walkOptionalInteger("pass_threshold", &m.PassThreshold)
	v.walkOptionalInteger("early_fail_bound", &m.EarlyFailBound)
	v.walkBool("is_entry_machine", &m.IsEntry)
	walkObjects(v, "states", &m.States, required)
	walkObjects(v, "transitions", &m.Transitions, required)
	walkObjects(v, "output_variables", &m.OutputVariables, optional)
	walkObjects(v, "input_variables", &m.InputVariables, optional)
	walkOptionalObject(v, "offline", &m.Offline)
	v.walkUnknown(&m.Extra)
	if v.decoder != nil {
		m.ScoringMode = m.ScoringMode.normalize()
	}
}

func (s ScoringMode) normalize() ScoringMode {
	switch s {
	case "numeric":
		return Scoring
	case "pass/fail", "binary":
		return PassFail
	}
	return s
}

func (o *OutputVariable) walkMembers(v *memberWalker) {
	v.noun = "output variable"
	v.walkText("key", &o.Key, required)
	v.walkText("extraction_prompt", &o.ExtractionPrompt, required)
	v.walkUnknown(&o.Extra)
}

func (i *InputVariable) walkMembers(v *memberWalker) {
	v.noun = "input variable"
	v.walkText("key", &i.Key, required)
	v.walkUnknown(&i.Extra)
}

func (s *State) walkMembers(v *memberWalker) {
	v.noun = "state"
	v.walkKey("state_key", &s.Key, stateKeyForm)
	v.walkText("label", &s.Label, optional)
	v.walkText("prompt_instruction", &s.PromptInstruction, optional)
	v.walkBool("is_initial_state", &s.IsInitial)
	v.walkBool("is_terminal_state", &s.IsTerminal)
	v.walkOptionalInteger("display_order", &s.DisplayOrder)
	walkObject(v, "evaluation_criteria", &s.Criteria)
	v.walkOptionalInteger("max_redirects", &s.MaxRedirects)
	walkChoice(v, "terminal_outcome", &s.TerminalOutcome, optional, Accept, Reject)
	v.walkText("ending", &s.EndingName, optional)
	walkOptionalObject(v, "offline", &s.Offline)
	v.walkUnknown(&s.Extra)
}

func (c *Criteria) walkMembers(v *memberWalker) {
	v.walkText("pass", &c.Pass, optional)
	v.walkText("redirect", &c.Redirect, optional)
	v.walkText("reject", &c.Reject, optional)
	v.walkText("kick_out", &c.KickOut, optional)
	v.walkText("follow_up", &c.FollowUp, optional)
	v.walkUnknown(&c.Extra)
}

func (t *Transition) walkMembers(v *memberWalker) {
	v.noun = "transition"
	v.walkText("from_state_key", &t.From, required)
	v.walkText("to_state_key", &t.To, optional)
	walkChoice(v, "decision_type", &t.Decision, required, DecidePass, DecideRedirect, DecideReject, DecideKickOut)
	v.walkInteger("score_delta", &t.ScoreDelta, optional)
	v.walkInteger("priority", &t.Priority, optional)
	v.walkText("condition", &t.Condition, optional)
	v.walkText("ending", &t.EndingName, optional)
	walkOptionalObject(v, "offline", &t.Offline)
	v.walkUnknown(&t.Extra)
}

func (l *Link) walkMembers(v *memberWalker) {
	v.noun = "machine link"
	v.walkText("source_machine_key", &l.Source, required)
	v.walkText("target_machine_key", &l.Target, required)
	walkChoice(v, "condition_type", &l.Condition, required, IfOutcome, IfScoreGTE, IfScoreLTE, Always)
	switch l.Condition {
	case IfOutcome:
		walkChoice(v, "condition_value", &l.Outcome, required, Accept, Reject, KickOut)
	case IfScoreGTE, IfScoreLTE:
		v.walkInteger("condition_value", &l.Score, required)
	case Always:
		v.refuseMember("condition_value", `condition_type "always" does not use a value`)
	default:
		v.refuseMember("condition_value", "")
	}
	v.walkBool("is_auto_advance", &l.AutoAdvance)
	v.walkUnknown(&l.Extra)
}

// machineKeyForm returns a message if a machine_key does not match [a-z0-9][a-z0-9_-]*, or else "".
// Such keys need no escaping in URLs.
func machineKeyForm(key string) string {
	const first = "abcdefghijklmnopqrstuvwxyz0123456789"
	if key == "" {
		return "must not be empty; use a short name such as \"gate\""
	}
	if strings.IndexByte(first, key[0]) < 0 || strings.Trim(key, first+"_-") != "" {
		return quote(clip(key)) + " must be lower-case letters, digits, \"_\" and \"-\", beginning with a letter or digit"
	}
	return longKey(key)
}

func stateKeyForm(key string) string {
	switch {
	case key == "":
		return "must not be empty; use a short name such as \"greeting\""
	case strings.TrimSpace(key) != key:
		return quote(clip(key)) + " must not begin or end with a space"
	case strings.IndexFunc(key, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0:
		return quote(clip(key)) + " must have only printable characters"
	}
	return longKey(key)
}

// MaxKey is the maximum length of a key in characters (docs/interface.md, limits).
const MaxKey = 200

func longKey(key string) string {
	if n := utf8.RuneCountInString(key); n > MaxKey {
		return "is too long; at most 200 characters are allowed"
	}
	return ""
}

const atTopLevel = "the persona, at the outermost level"

// memberTables maps the name of a member to phrases for the places where it belongs, and the noun of
// a kind of object to the names of its members.
type memberTables struct {
	sync.Once
	homes, names map[string][]string
}

var members memberTables

func (m *memberTables) build() {
	m.homes, m.names = map[string][]string{}, map[string][]string{}
	for _, kind := range []struct {
		home string
		walk func(*memberWalker)
	}{
		{atTopLevel, new(Persona).walkMembers}, {"a machine", new(Machine).walkMembers}, {"a state", new(State).walkMembers},
		{"a transition", new(Transition).walkMembers}, {"an item of machine_links, at the outermost level", new(Link).walkMembers}, {"a variable", new(Variable).walkMembers},
		{"an output variable", new(OutputVariable).walkMembers}, {"an input variable", new(InputVariable).walkMembers},
		{"offline, in a state", new(Offline).walkMembers}, {"lines, in the offline of a state", new(Lines).walkMembers},
		{"examples, in the offline of a state", new(Examples).walkMembers}, {"an answer", new(Answer).walkMembers},
		{"evaluation_criteria, in a state", new(Criteria).walkMembers},
	} {
		v := &memberWalker{n: &node{kind: object}, collect: func(Unknown) {}}
		kind.walk(v)
		m.names[v.noun] = v.known
		for _, member := range v.known {
			m.homes[member] = append(m.homes[member], kind.home)
		}
	}
}

func membersOf(noun string) []string {
	members.Do(members.build)
	return members.names[noun]
}

func homesOf(member string) []string {
	members.Do(members.build)
	return members.homes[member]
}

// MemberHomes returns phrases for the places where a member of that name belongs, such as "a
// state". It returns nil for "name", "description", "key" and "offline", which many kinds of objects
// have.
func MemberHomes(name string) []string {
	if name == "name" || name == "description" || name == "key" || name == "offline" {
		return nil
	}
	return homesOf(name)
}

// maxForeign is the maximum number of members of an object that refuseForeign reports.
const maxForeign = 20

// refuseForeign reports an object that has only members of another kind of object, such as a state
// among the transitions. This diagnostic replaces the others of the object, d.faults[before:].
func (d *decoder) refuseForeign(v *memberWalker, before int) {
	names := v.n.names
	if !d.strict || v.noun == "" || len(v.order) > 0 || len(names) == 0 || len(names) > maxForeign || before == len(d.faults) || before >= maxFaults {
		return
	}
	homes := MemberHomes(names[0].text)
	for _, name := range names[1:] {
		others := MemberHomes(name.text)
		homes = slices.DeleteFunc(slices.Clone(homes), func(home string) bool { return !slices.Contains(others, home) })
	}
	if len(homes) == 0 {
		return
	}
	d.faults = d.faults[:before]
	first := names[0]
	if homes[0] == atTopLevel && len(names) == 1 {
		d.addFault(first.at, v.at.pathOf(), "%s does not belong among the %ss: it belongs to %s", first.text, v.noun, homes[0])
		return
	}
	d.addFault(first.at, v.at.pathOf(), "this is not a %s: %s belongs to %s", v.noun, first.text, homes[0])
}

var otherWords = map[string]string{
	"title": "name", "id": "key", "text": "prompt_instruction", "instructions": "prompt_instruction", "instruction": "prompt_instruction", "name": "label",
	"start": "is_initial_state", "is_start": "is_initial_state", "first": "is_initial_state",
	"end": "is_terminal_state", "final": "is_terminal_state", "is_final": "is_terminal_state", "is_end": "is_terminal_state",
	"points": "score_delta", "score": "condition_value", "weight": "priority", "order": "priority", "when": "condition", "if": "condition", "criterion": "condition",
	"goal": "creator_objective", "links": "machine_links", "vars": "variables", "personality": "persona_identity_prompt", "system_prompt": "persona_identity_prompt", "prompt": "prompt_instruction",
	"entry": "is_entry_machine", "target": "to_state_key", "source": "from_state_key",
	"default": "value", "summary": "description", "question": "ask", "questions": "ask", "reply": "say", "replies": "say",
	"threshold": "pass_threshold", "outputs": "output_variables", "inputs": "input_variables", "nodes": "states", "edges": "transitions", "auto_advance": "is_auto_advance",
}

// NearestMember returns the member that an author probably meant. It is the result of Nearest. If
// there is none, it is the only member that contains all words of the name (is_terminal_state for
// is_terminal), or else a member for which the name is a synonym. certain is true if no other
// member can be meant.
func NearestMember(name string, known []string) (meant string, certain bool) {
	if meant = Nearest(name, known); meant != "" {
		return meant, OnlyNear(name, known) != ""
	}
	var parts []string
	for _, member := range known {
		if hasParts(member, name) {
			parts = append(parts, member)
		}
	}
	if len(parts) == 1 {
		return parts[0], true
	}
	if other := otherWords[foldWord(name)]; slices.Contains(known, other) {
		return other, false
	}
	return "", false
}

// hasParts reports whether all words of a name, separated by "_", are words of a member's name.
func hasParts(member, name string) bool {
	parts := strings.Split(member, "_")
	for part := range strings.SplitSeq(foldWord(name), "_") {
		if !slices.Contains(parts, part) {
			return false
		}
	}
	return len(name) <= 64
}
