package cassette

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// TestMissing: the error shows the most similar question and the first difference.
func TestMissing(t *testing.T) {
	path := recordAll(t, echoAsker(), append(conversationRequests(),
		newRequest("response", "notes", "Who is there?", "A friend", "Come in", "Thank you very much for this warm welcome in a cold night"),
		newRequest("response", "other notes", "Who is there?", "An enemy"))...)
	shaped := conversationRequests()[1]
	shaped.Schema = &provider.Schema{Name: "verdict", JSON: []byte(`{"type":"array"}`)}
	turned := conversationRequests()[2]
	turned.Messages = append([]llm.Message{}, turned.Messages...)
	turned.Messages[1].Role = "user"
	prompted := conversationRequests()[2]
	prompted.System = "You are Mora.\nYou like dogs."
	both := newRequest("response", "notes", "Who is there?", "A fiend")
	both.System = "You are Moira.\nYou like cats."
	tests := []struct {
		name string
		r    provider.Request
		want string
	}{
		{"another message", newRequest("response", "notes", "Who is there?", "A fiend"), `no answer for this reply: the most similar one, in line 6, differs in message 3: asked "A fiend", recorded "A friend". To record it again, run the same command with --llm openai/gpt-4o --llm-record ` + path},
		{"another prompt", prompted, `the most similar one, in line 6, differs in line 2 of the instructions: asked "… are Mora.\nYou like dogs.", recorded "… are Mora.\nYou like cats.". To record`},
		{"both", both, `differs in line 1 of the instructions: asked "You are Moira.\nYou like cats.", recorded "You are Mora.\nYou like cats."; and in message 3: asked "A fiend", recorded "A friend".`},
		{"deep in a long text", newRequest("response", "notes", "Who is there?", "A friend", "Come in", "Thank you very much for this warm welcome in a hot night"), `message 5: asked "…s warm welcome in a hot night", recorded "…s warm welcome in a cold night"`},
		{"more", newRequest("response", "notes", "Who is there?", "A friend", "Come in", "Thank you very much for this warm welcome in a cold night", "Yes", "x"), `message 6: asked "Yes", recorded nothing`},
		{"fewer", newRequest("response", "notes", "Who is there?"), `message 3: asked nothing, recorded "A friend"`},
		{"roles", turned, `message 2: asked with role "user", recorded with role "assistant"`},
		{"a shape", shaped, `the shape of the answer: asked "verdict" (`},
		{"control characters", newRequest("open", "\x1b[31m\u202e\nnotes"), `asked "\x1b[31m\u202e\nnotes", recorded "notes"`},
		{"a step without any", newRequest("summarization", "notes", "more notes"), `no answer for this summarization ("more notes") nor for any other of this step; it has 5 answers for other steps. To record`},
		{"nothing asked", provider.Request{}, `no answer for this question (without a message) nor`},
	}
	player := loadPlayer(t, path)
	p := player.Asker("")
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.Ask(t.Context(), tt.r, nil)
			if kindOf(err) != provider.NotThere || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "the recording "+path) {
				t.Error(err)
			}
			assert.True(t, !strings.ContainsAny(err.Error(), "\n\x1b\u202e"), "it is not one clean line: %q", err)
			missed := player.MissingQuestions()
			assert.True(t, len(missed) == i+1 && missed[i] == err.Error(), "remembered are %q", missed)
		})
	}
	for range maxMissed {
		_, _ = p.Ask(t.Context(), newRequest("open"), nil)
	}
	assert.Equal(t, len(player.MissingQuestions()), maxMissed, "remembered")
}

func TestQuote(t *testing.T) {
	long := strings.Repeat("é", 100)
	for _, tt := range []struct {
		text string
		at   int
		want string
	}{
		{"", 0, `""`},
		{long[:2*maxQuote], 0, `"` + strings.Repeat("é", maxQuote) + `"`},
		{long[:2*maxQuote+2], 0, `"` + strings.Repeat("é", maxQuote) + `…"`},
		{long, 51, `"…` + strings.Repeat("é", maxQuote) + `…"`}, // in the middle of a character
		{long, 200, `"…` + strings.Repeat("é", lead) + `"`},
		{long, 2 * lead, `"` + strings.Repeat("é", maxQuote) + `…"`},
		{long, 2*lead + 2, `"…` + strings.Repeat("é", maxQuote) + `…"`},
		{"\xff\xfe", 1, `"\xff\xfe"`},
	} {
		t.Run(fmt.Sprintf("%.10q at %d of %d", tt.text, tt.at, len(tt.text)), func(t *testing.T) {
			assert.Equal(t, quoteAt(tt.text, tt.at), tt.want, "%.20q at %d", tt.text, tt.at)
		})
	}
}
