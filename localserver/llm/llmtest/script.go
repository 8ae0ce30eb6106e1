package llmtest

import "net/http"

// Script describes the answer to one request. The zero Script is a complete but empty answer.
type Script struct {
	// Text is the text of the answer. If Pieces is set, it is used instead of Text. A stream sends
	// the pieces one by one. An answer that is not streamed contains all of them.
	Text   string
	Pieces []string
	// Finish is "stop" (or ""), "length" or "refused".
	Finish string
	// In and Out are the numbers of tokens to report.
	In, Out int
	// Cached is the reported number of tokens in In that came from the server's cache.
	Cached int
	// First are the probabilities of the first token, for requests that ask for them. If First is
	// nil, the first word of the text has the probability 1.
	First []Token

	// Wait, if not nil, delays the answer until the channel is closed or has a value, or the caller
	// cancels the request.
	Wait <-chan struct{}
	// WaitAfter contains channels by the index of a piece. After sending that piece, the double
	// waits for the channel.
	WaitAfter map[int]<-chan struct{}

	// Failure, if set, is sent instead of the text.
	Failure *Failure
	// FailAfter, if set, is sent in a stream after all pieces. It replaces the end of the stream.
	FailAfter *Failure
	// Cut breaks the connection after all pieces of a stream, or in the middle of an answer that is
	// not streamed. Unended ends a stream without its end mark.
	Cut, Unended bool

	// Slices is the size of the slices in which a stream is sent, in bytes. A slice may end within
	// a character. 0 means that each event is sent at once.
	Slices int
	// Raw, if set, is sent unchanged, with status 200 and the content type of the format.
	Raw []byte
	// Header is added to the headers of the response.
	Header http.Header
}

// Token is a token with its probability.
type Token struct {
	Text        string
	Probability float64
}

// Failure is an error that is sent in the request's format.
type Failure struct {
	// Status is the HTTP status. In a stream the status is part of the body, if the format supports
	// that.
	Status int
	// Type, Code and Message are the members of the error, if the format has them. OpenAI has a
	// type and a code. Anthropic has a type. Gemini has a status (Type) and a reason (Code).
	Type, Code, Message string
	// RetryAfter is the value of the header Retry-After.
	RetryAfter string
	// Body, if set, replaces the body in the request's format.
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
