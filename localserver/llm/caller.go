package llm

import (
	"context"
	"log/slog"
)

// Secret is a provider's key that a caller brings for one request. However it is
// printed, logged or encoded, only whether there is one is shown. It holds a
// function and no text because fmt asks no methods of members that are not
// exported, but prints what is in them.
type Secret struct{ reveal func() string }

// NewSecret returns a Secret with a text; "" gives the zero Secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{reveal: func() string { return text }}
}

// Reveal returns the text. Use it only for the header that sends it to its provider.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// IsSet reports whether there is a secret.
func (s Secret) IsSet() bool { return s.reveal != nil }

// String shows that there is a secret.
func (s Secret) String() string {
	if s.reveal == nil {
		return ""
	}
	return "[secret]"
}

// GoString returns String, for %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue returns String, for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns String, for encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ModelChoice is the model of one step of a turn, and the key for it.
type ModelChoice struct {
	Key   Secret
	Model string
}

// Caller is the models and keys that a caller of the game SDK sends with a request. A step that is
// left out is as in Step.
type Caller struct {
	ModelChoice
	Evaluation, Response, Summarization ModelChoice
}

// PerCallerModel is a model that can use the keys of callers. The offline model does not implement
// it, because it ignores keys.
type PerCallerModel interface {
	Model
	// With returns the model that plays a caller's request. Its error is a sentence for the caller,
	// for example that the model does not exist.
	With(Caller) (Model, error)
	// Check asks the provider whether the caller's key is good and names the model
	// that would play. Its error is a sentence for the caller.
	Check(context.Context, Caller) (model string, err error)
}
