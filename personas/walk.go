package personas

import (
	"strings"
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
	v.walkText("creator_objective", &m.Objective, optional)
	v.walkText("creator_win_condition", &m.WinCondition, optional)
	v.walkText("creator_lose_condition", &m.LoseCondition, optional)
	v.walkText("chat_system_prompt", &m.ChatPrompt, optional)
	v.walkText("system_evaluation_prompt", &m.EvaluationPrompt, optional)
	v.walkText("system_summarization_prompt", &m.SummarizationPrompt, optional)
	walkChoice(v, "scoring_mode", &m.ScoringMode, optional, Scoring, PassFail, "numeric", "pass/fail", "binary")
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

// normalize gives the one spelling of a scoring mode that has several.
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
		v.refuseMember("condition_value", `condition_type "always" asks for nothing`)
	default:
		v.refuseMember("condition_value", "")
	}
	v.walkBool("is_auto_advance", &l.AutoAdvance)
	v.walkUnknown(&l.Extra)
}

// machineKeyForm complains about a machine_key that is not
// [a-z0-9][a-z0-9_-]*, the form that is safe in addresses (persona-file section 1).
func machineKeyForm(key string) string {
	const first = "abcdefghijklmnopqrstuvwxyz0123456789"
	if key == "" {
		return "must not be empty; give the machine a short name such as \"gate\""
	}
	if strings.IndexByte(first, key[0]) < 0 || strings.Trim(key, first+"_-") != "" {
		return quote(clip(key)) + " must be lower-case letters, digits, \"_\" and \"-\", beginning with a letter or digit" + suggestKey(key)
	}
	return longKey(key)
}

func suggestKey(key string) string {
	fixed := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r == ' ' || r == '.':
			return '_'
		}
		return -1
	}, strings.ToLower(key))
	if fixed = strings.Trim(fixed, "_-"); fixed == "" {
		return ""
	}
	return "; for example " + quote(clip(fixed))
}

// stateKeyForm complains about a state_key that cannot be shown in one line.
func stateKeyForm(key string) string {
	switch {
	case key == "":
		return "must not be empty; give the state a short name such as \"greeting\""
	case strings.TrimSpace(key) != key:
		return quote(clip(key)) + " must not begin or end with a space"
	case strings.IndexFunc(key, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0:
		return quote(clip(key)) + " must be of printable characters in one line"
	}
	return longKey(key)
}

// MaxKey is the greatest length of a key in characters (docs/interface.md, limits).
const MaxKey = 200

func longKey(key string) string {
	if n := utf8.RuneCountInString(key); n > MaxKey {
		return "is too long; at most 200 characters are allowed"
	}
	return ""
}
