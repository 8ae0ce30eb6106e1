package personas

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func (p *Persona) walk(v *visit) {
	v.noun = "persona"
	v.text("name", &p.Name, required)
	v.text("description", &p.Description, required)
	v.text("persona_identity_prompt", &p.IdentityPrompt, required)
	v.text("perplexity_description", &p.PerplexityDescription, optional)
	records(v, "variables", &p.Variables, optional)
	records(v, "machines", &p.Machines, required)
	records(v, "machine_links", &p.Links, optional)
	v.rest(&p.Extra)
}

func (x *Variable) walk(v *visit) {
	v.noun = "variable"
	v.text("key", &x.Key, required)
	v.text("value", &x.Value, optional)
	v.text("description", &x.Description, optional)
	v.rest(&x.Extra)
}

func (m *Machine) walk(v *visit) {
	v.noun = "machine"
	v.key("machine_key", &m.Key, machineKeyForm)
	v.text("name", &m.Name, optional)
	v.text("description", &m.Description, optional)
	v.text("creator_objective", &m.Objective, optional)
	v.text("creator_win_condition", &m.WinCondition, optional)
	v.text("creator_lose_condition", &m.LoseCondition, optional)
	v.text("chat_system_prompt", &m.ChatPrompt, optional)
	v.text("system_evaluation_prompt", &m.EvaluationPrompt, optional)
	v.text("system_summarization_prompt", &m.SummarizationPrompt, optional)
	choice(v, "scoring_mode", &m.ScoringMode, optional, Scoring, PassFail, "numeric", "pass/fail", "binary")
	v.number("pass_threshold", &m.PassThreshold)
	v.number("early_fail_bound", &m.EarlyFailBound)
	v.flag("is_entry_machine", &m.IsEntry)
	records(v, "states", &m.States, required)
	records(v, "transitions", &m.Transitions, required)
	records(v, "output_variables", &m.OutputVariables, optional)
	records(v, "input_variables", &m.InputVariables, optional)
	v.rest(&m.Extra)
	if v.read != nil {
		m.ScoringMode = m.ScoringMode.normal()
	}
}

// normal gives the one spelling of a scoring mode that has several.
func (s ScoringMode) normal() ScoringMode {
	switch s {
	case "numeric":
		return Scoring
	case "pass/fail", "binary":
		return PassFail
	}
	return s
}

func (o *OutputVariable) walk(v *visit) {
	v.noun = "output variable"
	v.text("key", &o.Key, required)
	v.text("extraction_prompt", &o.ExtractionPrompt, required)
	v.rest(&o.Extra)
}

func (i *InputVariable) walk(v *visit) {
	v.noun = "input variable"
	v.text("key", &i.Key, required)
	v.rest(&i.Extra)
}

func (s *State) walk(v *visit) {
	v.noun = "state"
	v.key("state_key", &s.Key, stateKeyForm)
	v.text("label", &s.Label, optional)
	v.text("prompt_instruction", &s.PromptInstruction, optional)
	v.flag("is_initial_state", &s.IsInitial)
	v.flag("is_terminal_state", &s.IsTerminal)
	v.number("display_order", &s.DisplayOrder)
	nested(v, "evaluation_criteria", &s.Criteria)
	v.number("max_redirects", &s.MaxRedirects)
	choice(v, "terminal_outcome", &s.TerminalOutcome, optional, Accept, Reject)
	pointer(v, "offline", &s.Offline)
	v.rest(&s.Extra)
}

func (c *Criteria) walk(v *visit) {
	v.text("pass", &c.Pass, optional)
	v.text("redirect", &c.Redirect, optional)
	v.text("reject", &c.Reject, optional)
	v.text("kick_out", &c.KickOut, optional)
	v.text("follow_up", &c.FollowUp, optional)
	v.rest(&c.Extra)
}

func (o *Offline) walk(v *visit) {
	v.texts("opening", &o.Opening)
	nested(v, "examples", &o.Examples)
	nested(v, "lines", &o.Lines)
	v.rest(&o.Extra)
}

func (e *Examples) walk(v *visit) {
	v.texts("pass", &e.Pass)
	v.texts("redirect", &e.Redirect)
	v.texts("reject", &e.Reject)
	v.texts("kick_out", &e.KickOut)
	v.texts("follow_up", &e.FollowUp)
	v.rest(&e.Extra)
}

func (l *Lines) walk(v *visit) {
	v.texts("pass", &l.Pass)
	v.texts("redirect", &l.Redirect)
	v.texts("reject", &l.Reject)
	v.texts("kick_out", &l.KickOut)
	v.texts("follow_up", &l.FollowUp)
	v.texts("enter", &l.Enter)
	v.rest(&l.Extra)
}

func (t *Transition) walk(v *visit) {
	v.noun = "transition"
	v.text("from_state_key", &t.From, required)
	v.text("to_state_key", &t.To, optional)
	choice(v, "decision_type", &t.Decision, required, DecidePass, DecideRedirect, DecideReject, DecideKickOut)
	v.integer("score_delta", &t.ScoreDelta, optional)
	v.integer("priority", &t.Priority, optional)
	v.text("condition", &t.Condition, optional)
	pointer(v, "offline", &t.Offline)
	v.rest(&t.Extra)
}

func (t *TransitionOffline) walk(v *visit) {
	v.texts("examples", &t.Examples)
	v.rest(&t.Extra)
}

func (l *Link) walk(v *visit) {
	v.noun = "machine link"
	v.text("source_machine_key", &l.Source, required)
	v.text("target_machine_key", &l.Target, required)
	choice(v, "condition_type", &l.Condition, required, IfOutcome, IfScoreGTE, IfScoreLTE, Always)
	switch l.Condition {
	case IfOutcome:
		choice(v, "condition_value", &l.Outcome, required, Accept, Reject, KickOut)
	case IfScoreGTE, IfScoreLTE:
		v.integer("condition_value", &l.Score, required)
	case Always:
		v.absent("condition_value", `condition_type "always" asks for nothing`)
	default:
		v.absent("condition_value", "")
	}
	v.flag("is_auto_advance", &l.AutoAdvance)
	v.rest(&l.Extra)
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
