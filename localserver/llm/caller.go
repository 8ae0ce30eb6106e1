package llm

import (
	"context"
	"log/slog"
)

// A Secret is a provider's key that a caller sends with a request. If a Secret is printed, logged
// or encoded, the output is "[secret]". A function captures the key, because fmt would print a
// string in an unexported field without calling the methods of the field's type.
type Secret struct{ reveal func() string }

// NewSecret returns a Secret that contains text, or the zero Secret if text is empty.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{reveal: func() string { return text }}
}

// Reveal returns the text. Use it only for the header that sends the key to its provider.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// IsSet reports whether the Secret contains a text.
func (s Secret) IsSet() bool { return s.reveal != nil }

// String returns "[secret]", or "" for the zero Secret.
func (s Secret) String() string {
	if s.reveal == nil {
		return ""
	}
	return "[secret]"
}

// GoString returns the same as String, for %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue returns the same as String. slog calls it.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns the same as String. Encoders call it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ModelChoice is a model for a step of a turn, with the key for the model's provider.
type ModelChoice struct {
	Key   Secret
	Model string
}

// Caller contains the models and keys that a caller sends with a request. The embedded ModelChoice
// is used for a step without its own choice.
type Caller struct {
	ModelChoice
	Evaluation, Response, Summarization ModelChoice
}

// PerCallerModel is a model that can use the keys of callers. The offline model does not implement
// it.
type PerCallerModel interface {
	Model
	// With returns the model for a caller's requests. Its error is a sentence for the caller, for
	// example that the model does not exist.
	With(Caller) (Model, error)
	// Check asks the provider whether the caller's key is valid. It returns the name of the model
	// that would write the replies. Its error is a sentence for the caller.
	Check(context.Context, Caller) (model string, err error)
}
