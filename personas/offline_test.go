package personas

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestExampleForms: an example is a text or an object, and is encoded in the simplest possible form.
func TestExampleForms(t *testing.T) {
	for _, c := range []struct {
		src, written string
		want         Example
	}{
		{`"open, please"`, `"open, please"`, Example{Say: "open, please"}},
		{`{"say": "please"}`, `"please"`, Example{Say: "please"}},
		{`{"answer": "Well.", "say": "please"}`, `{"say":"please","answer":"Well."}`, Example{Say: "please", Answer: "Well."}},
		{`{"say": "please", "x-by": 1}`, `{"say":"please","x-by":1}`, Example{Say: "please", Extra: Members{{"x-by", json.RawMessage("1")}}}},
	} {
		var got Example
		err := json.Unmarshal([]byte(c.src), &got)
		assert.True(t, err == nil && reflect.DeepEqual(got, c.want), "%s: %+v, %v", c.src, got, err)
		assert.Equal(t, string(assert.Value(json.Marshal(got))(t)), c.written, "%s", c.src)
	}
	var e Example
	assert.True(t, json.Unmarshal([]byte(`[1]`), &e) != nil, "a list is taken for an example")
}

// TestUnknownMembersOfAnswers: unknown members of offline parts are kept and reported with a suggestion.
func TestUnknownMembersOfAnswers(t *testing.T) {
	src := strings.NewReplacer("{say: e2, answer: a}", "{say: e2, answer: a, x-e: 1}", "{ask: [q], say: [s]}", "{ask: [q], say: [s], x-a: 2}",
		"{language: fr,", "{language: fr, x-m: 3,", "offline: {answers: [{intent: joke", "offline: {x-p: 4, answers: [{intent: joke").Replace(full)
	p, _, faults := Parse("a.yaml", []byte(src))
	assert.Empty(t, faults)
	want := []string{"x-own", "machines[0].states[0].offline.examples.pass[1].x-e", "machines[0].states[0].offline.answers[0].x-a", "machines[0].offline.x-m", "offline.x-p"}
	var got []string
	for _, u := range UnknownMembers(&p) {
		got = append(got, u.Path)
	}
	assert.Equal(t, len(got), len(want), "unknown members %v, want %v", got, want)
	for _, path := range want {
		assert.Contains(t, strings.Join(got, " "), path, "among %v", got)
	}
	assert.Empty(t, Validate(&p), "a parsed document is rejected")
}

func TestLanguageTags(t *testing.T) {
	for tag, want := range map[string]bool{
		"en": true, "fr": true, "pt-BR": true, "zh-Hant-TW": true, "de-CH-1996": true, "gsw": true, "EN": true,
		"": false, "e": false, "english": false, "en_US": false, "en-": false, "-en": false, "e1": false, "fr-toolongsubtag": false, "日本": false,
		"en-" + strings.Repeat("abcdefgh-", 4) + "a": false,
	} {
		assert.Equal(t, isLanguageTag(tag), want, "%q: %t", tag, !want)
	}
}
