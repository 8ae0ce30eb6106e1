package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestSecret prints, logs and encodes a secret in every way, also inside of structures.
func TestSecret(t *testing.T) {
	const text = "sk-0123456789"
	s := NewSecret(text)
	hidden := struct{ caller Caller }{Caller{ModelChoice: ModelChoice{Key: s, Model: "m"}, Evaluation: ModelChoice{Key: s}}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p"} {
		for _, value := range []any{s, &s, hidden, &hidden, []Secret{s}, map[string]Secret{"k": s}, hidden.caller} {
			fmt.Fprintf(&out, verb+"\n", value)
		}
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("m", "key", s, "caller", hidden.caller, "hidden", hidden)
	}
	encoded := assert.Value(json.Marshal(map[string]any{"key": s, "caller": hidden.caller}))(t)
	out.Write(encoded)
	for _, form := range []string{text, fmt.Sprintf("%x", text), fmt.Sprintf("%X", text), fmt.Sprintf("%d", []byte(text)), text[3:]} {
		t.Run(form, func(t *testing.T) { assert.NotContains(t, out.String(), form, "the secret shows as") })
	}
	assert.True(t, s.IsSet(), "%v %q", s.IsSet(), s.Reveal())
	assert.Equal(t, s.Reveal(), text)
	assert.Equal(t, fmt.Sprint(s), "[secret]")
	none := NewSecret("")
	assert.True(t, !none.IsSet(), "an empty text is no secret")
	assert.Equal(t, none.Reveal(), "", "an empty text is no secret")
	assert.Equal(t, fmt.Sprint(none), "", "an empty text is no secret")
}
