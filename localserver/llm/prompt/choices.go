package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// maxWhy is the longest reason that is kept of an evaluation, in characters.
const maxWhy = 240

// Choices are what an evaluation can choose: the state's outgoing transitions by
// their place in the order in which the engine tries them, as in «1-pass», and
// a follow_up where it is allowed. Each request has names of its own for them.
type Choices struct {
	list     []choice
	followUp bool
}

// choice is one of them; its members are those of the template. ID is what its name
// stands for, and on a page the name itself.
type choice struct {
	ID, Decision, Target, Condition string
	// Explained says that the author's criteria tell about the decision.
	Explained  bool
	transition int
}

// ChoicesOf returns the choices of a turn.
func ChoicesOf(input llm.Input) Choices {
	c := Choices{followUp: input.FollowUpAllowed}
	for _, i := range input.Outgoing {
		t := &input.Machine.Transitions[i]
		c.list = append(c.list, choice{
			ID: fmt.Sprintf("«%d-%s»", len(c.list)+1, t.Decision), Decision: string(t.Decision),
			Target: targetTitle(input, t), Condition: t.Condition, transition: i,
		})
	}
	if c.followUp {
		c.list = append(c.list, choice{ID: fmt.Sprintf("«%d-%s»", len(c.list)+1, personas.FollowUpName), Decision: personas.FollowUpName})
	}
	return c
}

// targetTitle returns the display name of the other state that a transition
// leads to; "" for a redirect, which leads nowhere whatever it says, and for a
// kick_out, which ends everything.
func targetTitle(input llm.Input, t *personas.Transition) string {
	if t.To == t.From || t.Decision != personas.DecidePass && t.Decision != personas.DecideReject {
		return ""
	}
	for i := range input.Machine.States {
		if s := &input.Machine.States[i]; s.Key == t.To {
			return s.Title()
		}
	}
	return ""
}

// IsEmpty reports whether there is nothing to choose.
func (c Choices) IsEmpty() bool { return len(c.list) == 0 }

// drawNames draws a name for each choice.
func (c Choices) drawNames() []provider.DrawnName {
	drawn := make([]provider.DrawnName, len(c.list))
	for i := range c.list {
		drawn[i] = provider.DrawName(c.list[i].ID)
	}
	return drawn
}

// answerSchema returns the shape of an answer, by the names that were drawn. The reason
// comes first: a model chooses better when it has said what the message does.
func (c Choices) answerSchema(drawn []provider.DrawnName) *provider.Schema {
	names := make([]string, len(c.list))
	for i := range c.list {
		names[i] = drawn[i].Name
	}
	hold := objectSchema(member{"choice", kind{Type: "string", Enum: names}}, member{"why", kind{Type: "string"}})
	return &provider.Schema{Name: "evaluation", JSON: objectSchema(
		member{"why", kind{Type: "string"}}, member{"holds", kind{Type: "array", Items: hold}},
	)}
}

// ReadAnswer makes an evaluation of an answer to a request, whose names alone count.
// It reads what can be meant in one way only: names and members in any case of letters, a
// bare name in place of an object, one choice in place of a list, an answer without
// reasons. With a fault the evaluation is empty.
func (c Choices) ReadAnswer(r provider.Request, answer string) (llm.Evaluation, AnswerFault) {
	why, holds, ok := readVerdict(answer)
	if !ok {
		return llm.Evaluation{}, WrongShape
	}
	e := llm.Evaluation{Why: why}
	for _, hold := range holds {
		name, why, ok := readHold(hold)
		if !ok {
			return llm.Evaluation{}, WrongShape
		}
		meaning := r.MeaningOf(name)
		at := slices.IndexFunc(c.list, func(one choice) bool { return one.ID == meaning })
		if at < 0 {
			return llm.Evaluation{}, UnknownChoice
		}
		e = c.list[at].addTo(e, why)
	}
	if e.FollowUp && len(e.Holds) > 0 {
		return llm.Evaluation{}, FollowUpNotAlone
	}
	return e, NoFault
}

// readVerdict reads the reason of an answer and the choices that hold.
func readVerdict(answer string) (why string, holds []json.RawMessage, ok bool) {
	members, ok := readMembers(answer)
	why, isText := readReason(members["why"])
	list := members["holds"]
	if bytes.HasPrefix(list, []byte(`"`)) || bytes.HasPrefix(list, []byte(`{`)) {
		return why, []json.RawMessage{list}, ok && isText
	}
	isList := json.Unmarshal(list, &holds) == nil && holds != nil
	return why, holds, ok && isText && isList
}

// readHold reads one choice of an answer.
func readHold(raw json.RawMessage) (name, why string, ok bool) {
	if name, ok = readText(raw); ok {
		return name, "", true
	}
	members, ok := readMembers(string(raw))
	name, isName := readText(members["choice"])
	why, isText := readReason(members["why"])
	return name, why, ok && isName && isText
}

// readReason reads a reason, which may be missing.
func readReason(raw json.RawMessage) (why string, ok bool) {
	if raw == nil {
		return "", true
	}
	why, ok = readText(raw)
	return CleanReason(why), ok
}

// addTo notes that a choice holds, once.
func (c choice) addTo(e llm.Evaluation, why string) llm.Evaluation {
	switch {
	case c.Decision == personas.FollowUpName:
		e.FollowUp = true
	case !slices.ContainsFunc(e.Holds, func(m llm.Match) bool { return m.Transition == c.transition }):
		e.Holds = append(e.Holds, llm.Match{Transition: c.transition, Why: why})
	}
	return e
}

// CleanReason returns what a model gave as its reason, in one line of a bounded
// length.
func CleanReason(text string) string {
	return strings.TrimSpace(plaintext.ClipWithin(joinLines(text), maxWhy))
}
