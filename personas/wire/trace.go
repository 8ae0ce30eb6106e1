package wire

// Tokens are what a call cost, as the model's provider counts them; zero where no
// provider was asked. They travel in headers, of a stream in its trailers.
type Tokens struct{ In, Out int }

// Trace is the answer of GET trace: why a session went as it did, the opening line
// first. Transitions are positions in the machine's list, as the session's version
// of the persona has it.
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
	// Evaluation describes why the player's message was judged so, and Holds which
	// transitions held; Transition is the one that counted, null for none.
	Evaluation string `json:"evaluation"`
	Holds      []Hold `json:"holds"`
	Transition *int   `json:"transition"`
	// Choices are the possible meanings of the message, with their probabilities, the aside last;
	// Method is how a model was asked for them, and Milliseconds the duration. They are omitted if
	// the judge does not provide them.
	Choices      []TraceChoice `json:"choices,omitempty"`
	Method       string        `json:"method,omitempty"`
	Milliseconds int           `json:"milliseconds,omitempty"`
	// Aside means that the message was judged to decide nothing, even if the state's patience was
	// used up and it counted as a redirect. It is omitted if false.
	Aside bool `json:"aside,omitempty"`
	// Reply is the source of the text, Summary the reason why the running summary was not updated.
	Reply   string `json:"reply"`
	Summary string `json:"summary"`
	// Extraction describes what was done instead if the model could not read the output variables.
	// It is omitted if empty.
	Extraction string `json:"extraction,omitempty"`
	// Usage is by step: open, evaluation, response, summarization, extraction.
	Usage map[string]Usage `json:"usage"`
}

// TraceChoice is one choice with its probability. Transition is null for a follow-up, an
// aside, and a redirect without a row.
type TraceChoice struct {
	Decision    string  `json:"decision"`
	Transition  *int    `json:"transition"`
	Probability float64 `json:"probability"`
}

// Hold is a transition that held, and why.
type Hold struct {
	Transition int    `json:"transition"`
	Why        string `json:"why"`
}

// Usage is what a step cost: tokens of the model, as provider/model.
type Usage struct {
	Model string `json:"model"`
	In    int    `json:"in"`
	Out   int    `json:"out"`
	// Cached is how many tokens of In were in the provider's cache, if it reports that.
	Cached int `json:"cached,omitempty"`
}
