package wire

// Tokens is the number of tokens that a call used, as reported by the model's provider. It is zero
// if no provider was called. The numbers are sent in headers, or for a stream in trailers.
type Tokens struct{ In, Out int }

// Trace is the response of GET trace. It explains how each reply of a session came about, starting
// with the opening. Transitions are indexes into the machine's list in the session's version of the
// persona.
type Trace struct {
	SessionID string      `json:"session_id"`
	PersonaID string      `json:"persona_id"`
	MachineID string      `json:"machine_id"`
	Turns     []TurnTrace `json:"turns"`
}

// TurnTrace explains one message of the character.
type TurnTrace struct {
	MessageID string `json:"message_id"`
	CreatedAt Time   `json:"created_at"`
	// Evaluation explains the judgement of the player's message. Holds lists the transitions with a
	// condition that was met. Transition is the one that fired, or null.
	Evaluation string `json:"evaluation"`
	Holds      []Hold `json:"holds"`
	Transition *int   `json:"transition"`
	// Choices are the possible decisions with their probabilities, the aside last. Method is the
	// method of asking the model. Milliseconds is the time that the judgement took. Members that
	// the judge does not provide are omitted.
	Choices      []TraceChoice `json:"choices,omitempty"`
	Method       string        `json:"method,omitempty"`
	Milliseconds int           `json:"milliseconds,omitempty"`
	// Aside means that the message was judged as an aside, even if it counted as a redirect because
	// the state's patience was used up. It is omitted if false.
	Aside bool `json:"aside,omitempty"`
	// Reply describes where the text came from. If the running summary was not updated, Summary is the
	// reason.
	Reply   string `json:"reply"`
	Summary string `json:"summary"`
	// Extraction describes the fallback if the model could not extract the output variables. It is
	// omitted if empty.
	Extraction string `json:"extraction,omitempty"`
	// Usage maps steps to their cost: open, evaluation, response, summarization, extraction.
	Usage map[string]Usage `json:"usage"`
}

// TraceChoice is one choice with its probability. Transition is null for a follow-up, an aside, or
// a redirect without a transition.
type TraceChoice struct {
	Decision    string  `json:"decision"`
	Transition  *int    `json:"transition"`
	Probability float64 `json:"probability"`
}

// Hold is a transition with a condition that was met. Why is the reason.
type Hold struct {
	Transition int    `json:"transition"`
	Why        string `json:"why"`
}

// Usage is the number of tokens that a step used. Model is provider/model.
type Usage struct {
	Model string `json:"model"`
	In    int    `json:"in"`
	Out   int    `json:"out"`
	// Cached is the number of tokens in In that were in the provider's cache. It is 0 if the
	// provider does not report it.
	Cached int `json:"cached,omitempty"`
}
