package personas

import "slices"

// Offline contains the data of a state for the built-in offline model. Evaluation prompts for other
// models also include Examples.
type Offline struct {
	Opening  []string `json:"opening,omitempty"`
	Examples Examples `json:"examples,omitzero"`
	Lines    Lines    `json:"lines,omitzero"`
	Answers  []Answer `json:"answers,omitempty"`
	// Patience is the number of consecutive asides without penalty. Each further aside counts as a
	// redirect. The value nil means unlimited.
	Patience *int    `json:"patience,omitempty"`
	Extra    Members `json:"-"`
}

// SharedOffline contains offline data for all states of a machine, or for all machines of a
// persona.
type SharedOffline struct {
	// Language is the BCP 47 tag of the answers and of player messages. The default is the language
	// of the persona.
	Language string   `json:"language,omitempty"`
	Answers  []Answer `json:"answers,omitempty"`
	Extra    Members  `json:"-"`
}

// Answer is a reply without a decision. A similar text in Ask or the recognized Intent selects the
// answer. Exactly one of Ask and Intent is set, and Say has at least one line.
type Answer struct {
	Ask    []string `json:"ask,omitempty"`
	Intent Intent   `json:"intent,omitempty"`
	Say    []string `json:"say"`
	Extra  Members  `json:"-"`
}

// Example is a possible player message with an optional reply. The document contains an example
// without reply as a string.
type Example struct {
	Say    string  `json:"say"`
	Answer string  `json:"answer,omitempty"`
	Extra  Members `json:"-"`
}

// IsText reports whether the example is written as a string rather than as an object.
func (e *Example) IsText() bool { return e.Answer == "" && len(e.Extra) == 0 }

// NewExamples returns examples without replies.
func NewExamples(texts ...string) []Example {
	examples := make([]Example, len(texts))
	for i, say := range texts {
		examples[i].Say = say
	}
	return examples
}

// ListSays returns the player messages of examples, or nil for no examples.
func ListSays(examples []Example) []string {
	texts := make([]string, 0, len(examples))
	for i := range examples {
		texts = append(texts, examples[i].Say)
	}
	return slices.Clip(texts)
}

// Intent is a kind of question that the offline model recognizes without examples.
type Intent string

// The intents (docs/persona-file.md, "Questions that decide nothing").
const (
	IntentGreeting      Intent = "greeting"
	IntentThanks        Intent = "thanks"
	IntentGoodbye       Intent = "goodbye"
	IntentHelp          Intent = "help"
	IntentWhoAreYou     Intent = "who_are_you"
	IntentWhere         Intent = "where"
	IntentGoal          Intent = "goal"
	IntentMyNameIs      Intent = "my_name_is"
	IntentMyName        Intent = "my_name"
	IntentRepeat        Intent = "repeat"
	IntentBot           Intent = "bot"
	IntentJoke          Intent = "joke"
	IntentNotUnderstood Intent = "not_understood"
	IntentOtherLanguage Intent = "other_language"
	// IntentQuestion and IntentRemark match all other questions and remarks.
	IntentQuestion Intent = "question"
	IntentRemark   Intent = "remark"
)

// Intents lists all intents.
var Intents = []Intent{
	IntentGreeting, IntentThanks, IntentGoodbye, IntentHelp, IntentWhoAreYou, IntentWhere, IntentGoal,
	IntentMyNameIs, IntentMyName, IntentRepeat, IntentBot, IntentJoke, IntentNotUnderstood, IntentOtherLanguage,
	IntentQuestion, IntentRemark,
}

// Examples contains possible player messages by decision.
type Examples struct {
	Pass     []Example `json:"pass,omitempty"`
	Redirect []Example `json:"redirect,omitempty"`
	Reject   []Example `json:"reject,omitempty"`
	KickOut  []Example `json:"kick_out,omitempty"`
	FollowUp []Example `json:"follow_up,omitempty"`
	Extra    Members   `json:"-"`
}

// Lines contains the lines of the character in a state. Enter is for entering the state, and
// Unknown is for messages that were not understood.
type Lines struct {
	Pass     []string `json:"pass,omitempty"`
	Redirect []string `json:"redirect,omitempty"`
	Reject   []string `json:"reject,omitempty"`
	KickOut  []string `json:"kick_out,omitempty"`
	FollowUp []string `json:"follow_up,omitempty"`
	Enter    []string `json:"enter,omitempty"`
	Unknown  []string `json:"unknown,omitempty"`
	Extra    Members  `json:"-"`
}

// Of returns the criterion for a decision or FollowUpName. Any other word returns "".
func (c *Criteria) Of(decision string) string {
	return byDecision(decision, c.Pass, c.Redirect, c.Reject, c.KickOut, c.FollowUp)
}

// Of returns the examples for a decision or FollowUpName. Any other word returns nil.
func (e *Examples) Of(decision string) []Example {
	return byDecision(decision, e.Pass, e.Redirect, e.Reject, e.KickOut, e.FollowUp)
}

// Of returns the lines for a decision or FollowUpName. AsideName returns Unknown. Any other word
// returns nil.
func (l *Lines) Of(decision string) []string {
	if decision == AsideName {
		return l.Unknown
	}
	return byDecision(decision, l.Pass, l.Redirect, l.Reject, l.KickOut, l.FollowUp)
}

func byDecision[T any](decision string, pass, redirect, reject, kickOut, followUp T) (none T) {
	switch decision {
	case string(DecidePass):
		return pass
	case string(DecideRedirect):
		return redirect
	case string(DecideReject):
		return reject
	case string(DecideKickOut):
		return kickOut
	case FollowUpName:
		return followUp
	}
	return none
}

// TransitionOffline contains examples for one transition. The examples distinguish transitions with
// the same decision type.
type TransitionOffline struct {
	Examples []Example `json:"examples,omitempty"`
	Extra    Members   `json:"-"`
}
