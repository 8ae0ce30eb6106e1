package draft

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

// Limits of a draft, which are checked before it is used.
const (
	// maxAnswer is the maximum length of an answer in bytes. It is five times the length of the
	// largest sample persona.
	maxAnswer   = 128 << 10
	maxMachines = 12
	// maxStates and maxTransitions are limits for the whole persona.
	maxStates      = 80
	maxTransitions = 400
	// maxNumber is the maximum of scores, deltas and counts. With larger numbers, a proof would be
	// slow.
	maxNumber = 1000
)

// Check names of this package's findings, in addition to those of lint.
const (
	checkForm  = "draft-form"
	checkSize  = "draft-size"
	checkProof = "proof"
)

type attempt struct {
	text     string
	persona  personas.Persona
	findings []personas.Diagnostic
	// isForm means that the answer could be decoded as a persona.
	isForm bool
}

func (a attempt) toDraft(rounds int, usage llm.Usage) (Draft, error) {
	if !a.isForm {
		return Draft{Rounds: rounds, Usage: usage}, fmt.Errorf("%w (%s)", ErrForm, a.findings[0].Message)
	}
	return Draft{Persona: a.persona, Findings: a.findings, Rounds: rounds, Usage: usage}, nil
}

// rankAttempt returns a number that is higher for a better attempt. Fewer errors count first, then
// fewer findings.
func (a attempt) rankAttempt() int {
	if !a.isForm {
		return -1 << 30
	}
	return -len(a.findings) - 1000*len(lint.Errors(a.findings))
}

func readAttempt(answer provider.Answer, name string) attempt {
	if answer.Finish == provider.Length {
		return attempt{findings: newFinding(checkForm, "", "the answer was cut off because it is too long: write a smaller draft")}
	}
	a := attempt{text: answer.Text}
	source, err := tidyJSON(answer.Text)
	if err != nil {
		a.findings = newFinding(checkForm, "", "the answer is no JSON object of the given shape: %v", err)
		return a
	}
	persona, _, faults := personas.Parse("draft.json", source)
	if len(persona.Machines) == 0 && persona.IdentityPrompt == "" {
		a.findings = newFinding(checkForm, "", "the answer has neither a persona_identity_prompt nor machines")
		return a
	}
	if name != "" {
		persona.Name = name
	}
	dropFormFields(&persona)
	a.persona, a.isForm = persona, true
	if a.findings = checkSizes(&persona); len(a.findings) > 0 {
		// A draft that exceeds the limits is not used, but the next draft may be better.
		a.isForm = false
		return a
	}
	a.findings = append(findHidden(source), lint.All(&persona, faults)...)
	if len(lint.FormErrors(a.findings)) == 0 {
		a.findings = append(a.findings, findImpossible(&persona)...)
	}
	return a
}

func newFinding(check, path, format string, args ...any) []personas.Diagnostic {
	return []personas.Diagnostic{{Path: path, Check: check, Severity: lint.Error, Message: fmt.Sprintf(format, args...)}}
}

// tidyJSON converts a draft to a persona document. In a draft, condition_value is always a string, because
// the strictest providers allow one type per member.
func tidyJSON(text string) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		return nil, err
	}
	if err := tidyMember(members, "machine_links", tidyLinks); err != nil {
		return nil, err
	}
	if err := tidyMember(members, "machines", tidyMachines); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// tidyMember applies tidy to a member that is a list of objects. It ignores any other value,
// because the parser of the document reports it.
func tidyMember(members map[string]json.RawMessage, name string, tidy func([]map[string]any)) error {
	var list []map[string]any
	if json.Unmarshal(members[name], &list) == nil {
		tidy(list)
		changed, err := json.Marshal(list)
		members[name] = changed
		return err
	}
	return nil
}

func tidyLinks(links []map[string]any) {
	for _, link := range links {
		value, isText := link["condition_value"].(string)
		number, err := strconv.Atoi(value)
		switch {
		case link["condition_type"] == string(personas.Always) || isText && value == "":
			delete(link, "condition_value")
		case err == nil:
			link["condition_value"] = number
		}
	}
}

func tidyMachines(machines []map[string]any) {
	for _, m := range machines {
		for _, s := range objectsIn(m["states"]) {
			off, _ := s["offline"].(map[string]any)
			if patience, isNumber := off["patience"].(float64); isNumber && patience <= 0 || s["is_terminal_state"] == true {
				delete(off, "patience")
			}
			for _, answer := range objectsIn(off["answers"]) {
				tidyAnswer(answer)
			}
		}
	}
}

func tidyAnswer(answer map[string]any) {
	if ask, isList := answer["ask"].([]any); isList && len(ask) == 0 {
		delete(answer, "ask")
	}
	if _, asks := answer["ask"]; asks || answer["intent"] == "" {
		delete(answer, "intent")
	}
}

func objectsIn(value any) []map[string]any {
	items, _ := value.([]any)
	var out []map[string]any
	for _, item := range items {
		if object, isObject := item.(map[string]any); isObject {
			out = append(out, object)
		}
	}
	return out
}

// dropFormFields removes the members that the schema of the draft requires but the persona document
// does not need.
func dropFormFields(p *personas.Persona) {
	for i := range p.Machines {
		m := &p.Machines[i]
		if m.Mode() == personas.PassFail {
			m.PassThreshold, m.EarlyFailBound = nil, nil
		}
		for j := range m.States {
			plainState(m, &m.States[j])
		}
		for j := range m.Transitions {
			plainTransition(m, &m.Transitions[j])
		}
	}
}

func plainState(m *personas.Machine, s *personas.State) {
	if s.MaxRedirects != nil && *s.MaxRedirects == 0 || s.IsTerminal {
		s.MaxRedirects = nil
	}
	if !s.IsTerminal || m.Mode() == personas.Scoring || s.TerminalOutcome == personas.Accept {
		s.TerminalOutcome = ""
	}
	if s.Offline != nil && isEmpty(s.Offline) {
		s.Offline = nil
	}
}

func isEmpty(o *personas.Offline) bool {
	x, l := &o.Examples, &o.Lines
	examples := slices.Concat(x.Pass, x.Redirect, x.Reject, x.KickOut, x.FollowUp)
	lines := slices.Concat(o.Opening, l.Pass, l.Redirect, l.Reject, l.KickOut, l.FollowUp, l.Enter, l.Unknown)
	return len(examples) == 0 && len(lines) == 0 && len(o.Answers) == 0 && o.Patience == nil
}

func plainTransition(m *personas.Machine, t *personas.Transition) {
	if m.Mode() == personas.PassFail {
		t.ScoreDelta = 0
	}
	if t.Decision == personas.DecideRedirect || t.Decision == personas.DecideKickOut {
		t.To = "" // These decisions do not change the state.
	}
	if t.Offline != nil && len(t.Offline.Examples) == 0 {
		t.Offline = nil
	}
}
