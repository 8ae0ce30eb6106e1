package llmtest

import "net/http"

// Script describes a response. The zero Script is a complete but empty answer.
type Script struct {
	// Text is the text of the answer. Pieces, if set, replace Text. A stream sends the pieces one
	// by one.
	Text   string
	Pieces []string
	// Finish is "stop" (or ""), "length" or "refused".
	Finish  string
	In, Out int
	// Cached is the part of In from the server's cache.
	Cached int
	// First are probabilities of the first token, if requested. Nil gives the first word of the
	// text the probability 1.
	First []Token

	// Wait, if not nil, delays the answer until the channel is ready or the request is canceled.
	Wait <-chan struct{}
	// WaitAfter delays a stream after the piece with the given index.
	WaitAfter map[int]<-chan struct{}

	// Failure, if set, replaces the text.
	Failure *Failure
	// FailAfter, if set, replaces the end of a stream.
	FailAfter *Failure
	// Cut breaks the connection after the pieces of a stream, or in the middle of another answer.
	// Unended omits the end mark of a stream.
	Cut, Unended bool

	// Slices is the size of the writes of a stream in bytes. A write may end within a character. 0
	// means one write for each event.
	Slices int
	// Raw, if set, is sent unchanged with status 200.
	Raw    []byte
	Header http.Header
}

// Token is a token with its probability.
type Token struct {
	Text        string
	Probability float64
}

// Failure is an error response in the request's format.
type Failure struct {
	// Status is the HTTP status. A stream sends the status in the body, if the format allows.
	Status int
	// Type, Code and Message are members of the error. OpenAI has a type and a code. Anthropic has
	// a type. Gemini has a status (Type) and a reason (Code).
	Type, Code, Message string
	RetryAfter          string
	// Body, if set, replaces the generated body.
	Body string
}

func (s Script) textPieces() []string {
	if s.Pieces != nil {
		return s.Pieces
	}
	if s.Text == "" {
		return nil
	}
	return []string{s.Text}
}

func noModel(r Request) Failure {
	f := Failure{
		Status: http.StatusNotFound, Type: "not_found_error", Code: "model_not_found",
		Message: "The model `" + r.Model + "` does not exist",
	}
	if r.Format == Ollama || r.Format == Other {
		f.Message = "model '" + r.Model + "' not found"
	}
	return f
}
