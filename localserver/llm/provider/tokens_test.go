package provider

import (
	"github.com/parley-npc/parley/personas/assert"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/plaintext"
)

// templateMarks are control tokens of the common chat templates, as their tokenizers search for
// them: they must not occur anywhere in a request. speechMarks are the speaker marks of templates
// without tokens: they must not occur in messages.
var (
	templateMarks = strings.Fields(`<|im_start|> <|im_end|> <|im_sep|> <|endoftext|> <|eot_id|> <|begin_of_text|> <|start_header_id|> <|end_header_id|> <|header_start|>
		<|user|> <|assistant|> <|system|> <|end|> <|channel|> <|message|> <|start|> <|return|> <|START_OF_TURN_TOKEN|> <|END_OF_TURN_TOKEN|> <|CHATBOT_TOKEN|> <BOS_TOKEN>
		<|start_of_role|> <|end_of_turn|> <|im_user|> <|im_middle|> <|turn> <turn|> <|fim_prefix|> <|vision_start|> <｜User｜> <｜Assistant｜> <｜begin▁of▁sentence｜> <｜end▁of▁sentence｜>
		[INST] [/INST] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [AVAILABLE_TOOLS] [TOOL_CALLS] [gMASK] [sMASK] [MASK] [CLS] [SEP] [|system|] [|assistant|] [|endofturn|]
		<<SYS>> <</SYS>> <s> </s> <bos> <eos> <pad> <unk> <mask> <sop> <eop> <start_of_turn> <end_of_turn> <end_of_utterance> <extra_id_0> <extra_id_1> <unused7> <reserved_106> <fim_prefix> <tool_call> </tool_call> <_user> <_bot>`)
	speechMarks = []string{
		"<system>", "</assistant>", "<role>", "<think>", "<用户>", "<AI>", "<seed:bos>", "<SPECIAL_10>", "\n\nHuman:", "\n\nAssistant:", "\nSYSTEM:", " USER:", " ASSISTANT:", "\n### Instruction:", "\n### Response:",
		"\nGPT4 Correct User:", "\n**System**:", "\nАссистент:",
	}
)

// disguises are notations of a token that become the token on a server that normalizes texts or
// drops invisible characters.
var disguises = map[string]func(string) string{
	"as it is": func(s string) string { return s },
	"invisible inside": func(s string) string {
		return strings.NewReplacer("<", "<\u200b", "[", "[\u200d", "|>", "|\u2060>").Replace(s)
	},
	"in full width": func(s string) string {
		return strings.NewReplacer("<", "＜", ">", "＞", "[", "［", "]", "］", "|", "｜").Replace(s)
	},
	"twice":             func(s string) string { return s + s },
	"inside of another": func(s string) string { return s[:1] + s + s[1:] },
}

// TestControlTokensAreBroken: a control token never reaches a provider, in any text and any
// disguise; if the model repeats one, it is restored.
func TestControlTokensAreBroken(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		d := llmtest.New(func(r llmtest.Request) llmtest.Script { return llmtest.Script{Text: r.LastMessage(), Slices: 1} })
		a := newFakeProvider(t, d).newAsker(t, model)
		for _, mark := range append(append([]string{}, templateMarks...), speechMarks...) {
			for name, disguise := range disguises {
				said := "Hello." + disguise(mark) + " pass"
				r := Request{System: "You are Mara.", Messages: []llm.Message{{Role: "user", Text: said}, {Role: "assistant", Text: said}, {Role: "user", Text: said}}}
				answer, _ := mustAsk(t, a, r, stream)
				checkBroken(t, d.LastRequest(), mark, name)
				want := strings.ReplaceAll(said, "\u2060", "")
				assert.Must(t, strings.ReplaceAll(answer.Text, "\u2060", "") == want && r.Messages[0].Text == said, "%q came back as %q", said, answer.Text)
			}
		}
	})
}

// checkBroken checks that no text of a request contains the mark, even after a server has
// normalized the text and dropped invisible characters.
func checkBroken(t *testing.T, r llmtest.Request, mark, name string) {
	t.Helper()
	dropped := strings.NewReplacer("\u200b", "", "\u200d", "", "\u2060", "")
	for _, m := range r.Messages {
		for _, text := range []string{m.Text, dropped.Replace(m.Text), llmtest.NormalizeWidth(dropped.Replace(m.Text))} {
			if strings.Contains(text, mark) || strings.Contains(text, llmtest.NormalizeWidth(mark)) {
				t.Fatalf("%q, %s, reached the model in %q", mark, name, text)
			}
		}
	}
}

// TestInstructionsHaveNoTokens: the texts of an untrusted persona cannot contain tokens; the marks
// that authors use to structure texts stay.
func TestInstructionsHaveNoTokens(t *testing.T) {
	const prose = "<rules>\n# How to speak\n<house_rules>Say [name] and [1]: a < b > c, x|y, List<String>.</house_rules>\nUser: Hello.\nMara: Ahoy!\n</rules> "
	d := llmtest.New(nil)
	a := newFakeProvider(t, d).newAsker(t, models[0])
	for _, mark := range templateMarks {
		if mark == "<tool_call>" || mark == "</tool_call>" {
			continue // an author's own word
		}
		mustAsk(t, a, Request{System: prose + mark, Messages: []llm.Message{{Role: "user", Text: "Hello."}}}, false)
		got := d.LastRequest().System
		assert.True(t, !strings.Contains(got, mark) && strings.HasPrefix(got, prose), "%q: %q", mark, got)
	}
}

// TestWordsStay: other words of players are sent unchanged.
func TestWordsStay(t *testing.T) {
	for _, said := range []string{
		"I <3 you", "a < b > c", "x -> y, x <- y", "<b>bold</b> <i>x</i>", "[sic] [1] [ ] [x]", "a | b || c", "He said: go. Well: no.", "My AI: a friend", "12:30", "¡<hola>!", "if (a<b && c>d) {}", "The system: I like it.", "«1-pass» ‹a›",
	} {
		if got := breakTokens(Request{Messages: []llm.Message{{Text: said}}}).Messages[0].Text; got != said && said != "The system: I like it." && said != "My AI: a friend" {
			t.Errorf("%q is sent as %q", said, got)
		}
	}
}

// TestBreaksAreMended: any text without one of our look-alikes is restored verbatim, in pieces too,
// and its length is bounded.
func TestBreaksAreMended(t *testing.T) {
	assert.NotContains(t, breakTokens(Request{Messages: []llm.Message{{Text: "<|］"}}}).Messages[0].Text, "］")
	piece := rapid.OneOf(rapid.SampledFrom(append(append([]string{"<", "＜", "﹤", "|", "｜", ">", "[", "］", ":", "\n", "/", "s", "INST", "\u200b", " "}, templateMarks...), speechMarks...)), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		said := strings.ReplaceAll(strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "said"), ""), "\u2060", "")
		sent := breakTokens(Request{Messages: []llm.Message{{Text: said}}}).Messages[0].Text
		if plaintext.MendTokens(sent) != said || len(sent) > 12*len(said) {
			t.Fatalf("%q is sent as %q and comes back as %q", said, sent, plaintext.MendTokens(sent))
		}
		again := breakTokens(Request{Messages: []llm.Message{{Text: sent}}}).Messages[0].Text
		assert.Must(t, again == sent, "%q is broken again to %q", sent, again)
		got := ""
		m := tokenMender{emit: func(piece string) error { got += piece; return nil }}
		for _, r := range sent {
			_ = m.emitPiece(string(r))
		}
		_ = m.emitHeld()
		assert.Must(t, got == said, "%q in pieces is %q", said, got)
	})
}
