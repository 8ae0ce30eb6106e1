package llmtest

import "net/http"

// Script is how one request is answered. The zero Script is an empty answer that
// ends well.
type Script struct {
	// Text is the answer; Pieces are the pieces of a stream, and replace Text. A whole answer is
	// the pieces together.
	Text   string
	Pieces []string
	// Finish is "stop" (or ""), "length" or "refused".
	Finish string
	// In and Out are the reported numbers of tokens.
	In, Out int
	// Cached is the reported number of tokens of In from the server's cache.
	Cached int
	// First are the probabilities of the first token, for requests that ask for them; nil is
	// the first word of the text.
	First []Token
	// NoUsage leaves them out of the answer.
	NoUsage bool

	// If Wait is not nil, the double waits before the answer until it is closed, a value arrives,
	// or the caller goes away.
	Wait <-chan struct{}
	// WaitAfter is waited for after the piece of that number (from 0) was sent.
	WaitAfter map[int]<-chan struct{}

	// Failure is answered in place of the text.
	Failure *Failure
	// FailAfter is sent in a stream after all pieces, in place of the end.
	FailAfter *Failure
	// Cut breaks the connection after all pieces of a stream, or in the middle of a whole answer.
	// Unended ends the stream normally, but without its end mark.
	Cut, Unended bool

	// Slices sends a stream in slices of this many bytes, which also cut characters in two; 0 sends
	// each event at once.
	Slices int
	// Comments puts comments, pings and empty events into a stream of events.
	Comments bool
	// CRLF ends lines with both characters.
	CRLF bool
	// NoDone leaves out OpenAI's [DONE].
	NoDone bool
	// Raw is sent unchanged, with the status 200 and the format's type.
	Raw []byte
	// Header is added to the answer's.
	Header http.Header
}

// Token is a token with its probability.
type Token struct {
	Text        string
	Probability float64
}

// Failure is an error in the form of the request's format.
type Failure struct {
	// Status is the HTTP status; in a stream it is in the body if the format supports that.
	Status int
	// Type, Code and Message are the parts that the formats have: OpenAI's type and code,
	// Anthropic's type, Gemini's status (Type) and reason (Code).
	Type, Code, Message string
	// RetryAfter is the header Retry-After.
	RetryAfter string
	// Body replaces the format's own body.
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
	f := Failure{Status: http.StatusNotFound, Type: "not_found_error", Code: "model_not_found", Message: "The model `" + r.Model + "` does not exist"}
	if r.Format == Ollama || r.Format == Other {
		f.Message = "model '" + r.Model + "' not found"
	}
	return f
}
