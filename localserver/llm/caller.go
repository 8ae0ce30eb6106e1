package llm

import (
	"context"
	"log/slog"
)

// A Secret is a provider's key. Printing, logging or encoding a Secret writes "[secret]". The text
// is in a closure, because fmt prints unexported string fields without calling String.
type Secret struct{ reveal func() string }

// NewSecret returns a Secret with text, or the zero Secret for an empty text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{reveal: func() string { return text }}
}

// Reveal returns the text, for the header with the key.
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

// GoString is like String. It implements fmt.GoStringer.
func (s Secret) GoString() string { return s.String() }

// LogValue is like String. It implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is like String. It implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ModelChoice is a model with the key for its provider.
type ModelChoice struct {
	Key   Secret
	Model string
}

// Caller contains the models and keys of a request. A step without its own choice uses the embedded
// ModelChoice.
type Caller struct {
	ModelChoice
	Evaluation, Response, Summarization ModelChoice
}

// PerCallerModel is a model that accepts the keys of callers. The offline model does not accept
// keys.
type PerCallerModel interface {
	Model
	// With returns the model for a caller's requests. The error text is sent to the caller.
	With(Caller) (Model, error)
	// Check asks the provider whether the caller's key is valid. It returns the name of the model
	// for replies. The error text is sent to the caller.
	Check(context.Context, Caller) (model string, err error)
}
