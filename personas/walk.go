package personas

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

func (p *Persona) walkMembers(w *memberWalker) {
	w.noun = "persona"
	w.walkText("name", &p.Name, required)
	w.walkText("description", &p.Description, required)
	w.walkText("persona_identity_prompt", &p.IdentityPrompt, required)
	w.walkText("perplexity_description", &p.PerplexityDescription, optional)
	w.walkLanguage(&p.Language)
	w.walkText("portrait", &p.Portrait, optional)
	w.walkOptionalInteger("hue", &p.Hue)
	w.checkMember("hue", func() string {
		if p.Hue == nil || 0 <= *p.Hue && *p.Hue <= MaxHue {
			return ""
		}
		return "must be an angle from 0 to 359: 0 is red, 120 green, 240 blue"
	})
	walkObjects(w, "variables", &p.Variables, optional)
	walkObjects(w, "machines", &p.Machines, required)
	walkObjects(w, "machine_links", &p.Links, optional)
	walkOptionalObject(w, "offline", &p.Offline)
	w.walkUnknown(&p.Extra)
}

func (x *Variable) walkMembers(w *memberWalker) {
	w.noun = "variable"
	w.walkText("key", &x.Key, required)
	w.walkText("value", &x.Value, optional)
	w.walkText("description", &x.Description, optional)
	w.walkUnknown(&x.Extra)
}

func (m *Machine) walkMembers(w *memberWalker) {
	w.noun = "machine"
	w.walkKey("machine_key", &m.Key, machineKeyForm)
	w.walkText("name", &m.Name, optional)
	w.walkText("description", &m.Description, optional)
	w.walkText("player_goal", &m.PlayerGoal, optional)
	w.walkText("creator_objective", &m.Objective, optional)
	w.walkText("creator_win_condition", &m.WinCondition, optional)
	w.walkText("creator_lose_condition", &m.LoseCondition, optional)
	w.walkText("chat_system_prompt", &m.ChatPrompt, optional)
	w.walkText("system_evaluation_prompt", &m.EvaluationPrompt, optional)
	w.walkText("system_summarization_prompt", &m.SummarizationPrompt, optional)
	walkChoice(w, "scoring_mode", &m.ScoringMode, optional, Scoring, PassFail)
	w.walkOptionalInteger("pass_threshold", &m.PassThreshold)
	w.walkOptionalInteger("early_fail_bound", &m.EarlyFailBound)
	w.walkBool("is_entry_machine", &m.IsEntry)
	walkObjects(w, "states", &m.States, required)
	walkObjects(w, "transitions", &m.Transitions, required)
	walkObjects(w, "output_variables", &m.OutputVariables, optional)
	walkObjects(w, "input_variables", &m.InputVariables, optional)
	walkOptionalObject(w, "offline", &m.Offline)
	w.walkUnknown(&m.Extra)
	if w.decoder != nil {
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

func (o *OutputVariable) walkMembers(w *memberWalker) {
	w.noun = "output variable"
	w.walkText("key", &o.Key, required)
	w.walkText("extraction_prompt", &o.ExtractionPrompt, required)
	w.walkUnknown(&o.Extra)
}

func (i *InputVariable) walkMembers(w *memberWalker) {
	w.noun = "input variable"
	w.walkText("key", &i.Key, required)
	w.walkUnknown(&i.Extra)
}

func (s *State) walkMembers(w *memberWalker) {
	w.noun = "state"
	w.walkKey("state_key", &s.Key, stateKeyForm)
	w.walkText("label", &s.Label, optional)
	w.walkText("prompt_instruction", &s.PromptInstruction, optional)
	w.walkBool("is_initial_state", &s.IsInitial)
	w.walkBool("is_terminal_state", &s.IsTerminal)
	w.walkOptionalInteger("display_order", &s.DisplayOrder)
	walkObject(w, "evaluation_criteria", &s.Criteria)
	w.walkOptionalInteger("max_redirects", &s.MaxRedirects)
	walkChoice(w, "terminal_outcome", &s.TerminalOutcome, optional, Accept, Reject)
	w.walkText("ending", &s.EndingName, optional)
	walkOptionalObject(w, "offline", &s.Offline)
	w.walkUnknown(&s.Extra)
}

func (c *Criteria) walkMembers(w *memberWalker) {
	w.walkText("pass", &c.Pass, optional)
	w.walkText("redirect", &c.Redirect, optional)
	w.walkText("reject", &c.Reject, optional)
	w.walkText("kick_out", &c.KickOut, optional)
	w.walkText("follow_up", &c.FollowUp, optional)
	w.walkUnknown(&c.Extra)
}

func (t *Transition) walkMembers(w *memberWalker) {
	w.noun = "transition"
	w.walkText("from_state_key", &t.From, required)
	w.walkText("to_state_key", &t.To, optional)
	walkChoice(w, "decision_type", &t.Decision, required, DecidePass, DecideRedirect, DecideReject, DecideKickOut)
	w.walkInteger("score_delta", &t.ScoreDelta, optional)
	w.walkInteger("priority", &t.Priority, optional)
	w.walkText("condition", &t.Condition, optional)
	w.walkText("ending", &t.EndingName, optional)
	walkOptionalObject(w, "offline", &t.Offline)
	w.walkUnknown(&t.Extra)
}

func (l *Link) walkMembers(w *memberWalker) {
	w.noun = "machine link"
	w.walkText("source_machine_key", &l.Source, required)
	w.walkText("target_machine_key", &l.Target, required)
	walkChoice(w, "condition_type", &l.Condition, required, IfOutcome, IfScoreGTE, IfScoreLTE, Always)
	switch l.Condition {
	case IfOutcome:
		walkChoice(w, "condition_value", &l.Outcome, required, Accept, Reject, KickOut)
	case IfScoreGTE, IfScoreLTE:
		w.walkInteger("condition_value", &l.Score, required)
	case Always:
		w.refuseMember("condition_value", `condition_type "always" does not use a value`)
	default:
		w.refuseMember("condition_value", "")
	}
	w.walkBool("is_auto_advance", &l.AutoAdvance)
	w.walkUnknown(&l.Extra)
}

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

// memberTables describes all members. homes maps a member to phrases for its places. names maps the
// noun of an object to its members.
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
		{atTopLevel, new(Persona).walkMembers},
		{"a machine", new(Machine).walkMembers},
		{"a state", new(State).walkMembers},
		{"a transition", new(Transition).walkMembers},
		{"an item of machine_links, at the outermost level", new(Link).walkMembers},
		{"a variable", new(Variable).walkMembers},
		{"an output variable", new(OutputVariable).walkMembers},
		{"an input variable", new(InputVariable).walkMembers},
		{"offline, in a state", new(Offline).walkMembers},
		{"lines, in the offline of a state", new(Lines).walkMembers},
		{"examples, in the offline of a state", new(Examples).walkMembers},
		{"an answer", new(Answer).walkMembers},
		{"evaluation_criteria, in a state", new(Criteria).walkMembers},
	} {
		w := &memberWalker{n: &node{kind: object}, collect: func(Unknown) {}}
		kind.walk(w)
		m.names[w.noun] = w.memberNames
		for _, member := range w.memberNames {
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

// MemberHomes returns phrases for the objects with a member of that name, such as "a state". The
// common names "name", "description", "key" and "offline" return nil.
func MemberHomes(name string) []string {
	if name == "name" || name == "description" || name == "key" || name == "offline" {
		return nil
	}
	return homesOf(name)
}

const maxForeign = 20

// refuseForeign reports an object with members of another kind of object only. The diagnostic
// replaces d.faults[before:].
func (d *decoder) refuseForeign(w *memberWalker, before int) {
	names := w.n.names
	if !d.strict || before == len(d.faults) || before >= maxFaults {
		return
	}
	if w.noun == "" || len(w.order) > 0 || len(names) == 0 || len(names) > maxForeign {
		return
	}
	homes := MemberHomes(names[0].text)
	for _, name := range names[1:] {
		others := MemberHomes(name.text)
		homes = slices.DeleteFunc(slices.Clone(homes), func(home string) bool {
			return !slices.Contains(others, home)
		})
	}
	if len(homes) == 0 {
		return
	}
	d.faults = d.faults[:before]
	first := names[0]
	if homes[0] == atTopLevel && len(names) == 1 {
		d.addFault(first.span, w.place.pathOf(), "%s does not belong among the %ss: it belongs to %s",
			first.text, w.noun, homes[0])
		return
	}
	d.addFault(first.span, w.place.pathOf(), "this is not a %s: %s belongs to %s", w.noun, first.text, homes[0])
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

// NearestMember returns the member that an author probably meant. After Nearest, NearestMember
// tries the only member with all words of the name, then synonyms. The result certain is true if no
// other member is possible.
func NearestMember(name string, candidates []string) (meant string, certain bool) {
	if meant = Nearest(name, candidates); meant != "" {
		return meant, OnlyNear(name, candidates) != ""
	}
	var parts []string
	for _, member := range candidates {
		if hasParts(member, name) {
			parts = append(parts, member)
		}
	}
	if len(parts) == 1 {
		return parts[0], true
	}
	if other := otherWords[foldWord(name)]; slices.Contains(candidates, other) {
		return other, false
	}
	return "", false
}

func hasParts(member, name string) bool {
	parts := strings.Split(member, "_")
	for part := range strings.SplitSeq(foldWord(name), "_") {
		if !slices.Contains(parts, part) {
			return false
		}
	}
	return len(name) <= 64
}

func (o *Offline) walkMembers(w *memberWalker) {
	w.walkTexts("opening", &o.Opening)
	walkObject(w, "examples", &o.Examples)
	walkObject(w, "lines", &o.Lines)
	walkObjects(w, "answers", &o.Answers, optional)
	w.walkOptionalInteger("patience", &o.Patience)
	w.checkMember("patience", func() string {
		if o.Patience == nil || *o.Patience >= 1 {
			return ""
		}
		return "must be at least 1: it is the number of consecutive asides that the state allows; leave it out for no limit"
	})
	w.walkUnknown(&o.Extra)
}

func (o *SharedOffline) walkMembers(w *memberWalker) {
	w.walkLanguage(&o.Language)
	walkObjects(w, "answers", &o.Answers, optional)
	w.walkUnknown(&o.Extra)
}

func (a *Answer) walkMembers(w *memberWalker) {
	w.noun = "answer"
	w.walkTexts("ask", &a.Ask)
	walkChoice(w, "intent", &a.Intent, optional, Intents...)
	w.walkTexts("say", &a.Say)
	w.walkUnknown(&a.Extra)
	if w.decoder == nil || !w.decoder.strict {
		return
	}
	if complaint := a.findComplaint(); complaint != "" {
		w.decoder.addFault(w.n.span, w.place.pathOf(), "the answer %s", complaint)
	}
}

func (a *Answer) findComplaint() string {
	switch {
	case len(a.Ask) > 0 && a.Intent != "":
		return "has both ask and intent; split it into two answers"
	case len(a.Ask) == 0 && a.Intent == "":
		return "has neither ask nor intent; add what players ask, or an intent"
	case len(a.Say) == 0:
		return "has no lines; add at least one line under say"
	}
	return ""
}

func (e *Examples) walkMembers(w *memberWalker) {
	w.walkExamples("pass", &e.Pass)
	w.walkExamples("redirect", &e.Redirect)
	w.walkExamples("reject", &e.Reject)
	w.walkExamples("kick_out", &e.KickOut)
	w.walkExamples("follow_up", &e.FollowUp)
	w.walkUnknown(&e.Extra)
}

func (e *Example) walkMembers(w *memberWalker) {
	w.noun = "example"
	w.walkText("say", &e.Say, required)
	w.walkText("answer", &e.Answer, optional)
	w.walkUnknown(&e.Extra)
}

func (l *Lines) walkMembers(w *memberWalker) {
	w.walkTexts("pass", &l.Pass)
	w.walkTexts("redirect", &l.Redirect)
	w.walkTexts("reject", &l.Reject)
	w.walkTexts("kick_out", &l.KickOut)
	w.walkTexts("follow_up", &l.FollowUp)
	w.walkTexts("enter", &l.Enter)
	w.walkTexts("unknown", &l.Unknown)
	w.walkUnknown(&l.Extra)
}

func (t *TransitionOffline) walkMembers(w *memberWalker) {
	w.walkExamples("examples", &t.Examples)
	w.walkUnknown(&t.Extra)
}

func (w *memberWalker) walkExamples(member string, value *[]Example) {
	parent := &place{w.place, member, -1}
	if w.startWrite(member) {
		l := &node{kind: list, items: make([]*node, len(*value))}
		for i := range *value {
			l.items[i] = w.writeExample(&place{parent, "", i}, &(*value)[i])
		}
		w.putMember(member, l, len(*value) > 0)
		return
	}
	n := w.takeMember(member, list, optional)
	if n == nil {
		w.offerWrap(member)
		return
	}
	*value = slices.Grow(*value, len(n.items))
	for i, item := range n.items {
		*value = append(*value, w.decoder.readExample(&place{parent, "", i}, item))
	}
}

func (w *memberWalker) writeExample(place *place, e *Example) *node {
	if e.IsText() {
		return &node{kind: str, text: e.Say}
	}
	return w.writeRecord(place, e.walkMembers)
}

func (d *decoder) readExample(place *place, n *node) (e Example) {
	if n.kind == object && !d.isTextWithColon(n) {
		d.readObject(n, place, e.walkMembers)
		return e
	}
	e.Say = d.readString(place, n)
	return e
}

// isTextWithColon reports whether YAML parsed a text with a colon as an object.
func (d *decoder) isTextWithColon(n *node) bool {
	if !d.strict || len(n.names) != 1 || isFlow(d.t.src, n) || isCollection(n.items[0]) {
		return false
	}
	return Nearest(n.names[0].text, []string{"say", "answer"}) == ""
}

func (w *memberWalker) walkLanguage(value *string) {
	w.walkText("language", value, optional)
	w.checkMember("language", func() string {
		if *value == "" || isLanguageTag(*value) {
			return ""
		}
		return quote(clip(*value)) + " is not a language tag; write a BCP 47 tag such as en, fr or pt-BR"
	})
}

func isLanguageTag(tag string) bool {
	parts := strings.Split(tag, "-")
	if n := len(parts[0]); n < 2 || n > 3 || strings.ContainsAny(parts[0], "0123456789") {
		return false
	}
	const allowed = "abcdefghijklmnopqrstuvwxyz0123456789"
	return len(tag) <= maxLanguage && !slices.ContainsFunc(parts, func(part string) bool {
		return part == "" || len(part) > 8 || strings.Trim(strings.ToLower(part), allowed) != ""
	})
}

// RFC 5646, section 4.4.1.
const maxLanguage = 35

func (w *memberWalker) checkMember(member string, complain func() string) {
	if w.decoder == nil {
		return
	}
	if i := w.n.findMember(member); i >= 0 {
		if complaint := complain(); complaint != "" {
			w.addStrictFault(w.n.items[i].span, member, "%s %s", member, complaint)
		}
	}
}
