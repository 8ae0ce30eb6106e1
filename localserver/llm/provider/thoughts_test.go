package provider

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/plaintext"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestThoughtsAnywhere(t *testing.T) {
	cases := map[string]string{
		"<think>He lies.</think>\n\nYou lie.":               "You lie.",
		"\n<think>\n</think>You lie.":                       "You lie.",
		"<think>never ends":                                 "",
		"<thin":                                             "<thin",
		"I <think>so</think>.":                              "I .",
		"  You lie.":                                        "  You lie.",
		"<thinking hard> You lie.":                          "<thinking hard> You lie.",
		"<think>a</thi</think>b<think>c</think>":            "b",
		"Good. <think>He lies.</think> Go on.":              "Good. Go on.",
		"Good.\n<think>\nHe lies.\n</think>\nGo on.":        "Good.\nGo on.",
		"Good.<think>never ends":                            "Good.",
		"A<think>1</think>B<think>2</think>C":               "ABC",
		"<think>a<think>b</think>c</think>You lie.":         "You lie.",
		"<think>I write <think> first.</think>You lie.":     "You lie.",
		"<think>a<think>b<think>c</think>d</think>You lie.": "You lie.",
		"<think><think></think></think>":                    "",
		"<Think>He lies.</THINK>You lie.":                   "You lie.",
		"<think>I say `</think>You lie.":                    "You lie.",
		"A stray ` here\n<think>y</think>Yes.":              "A stray ` here\nYes.",
		"He lies.</think>\n\nYou lie.":                      "You lie.",
		"1 < 2 [and] 3 <thinker> ◁ ok":                      "1 < 2 [and] 3 <thinker> ◁ ok",
		"ends with <":                                       "ends with <",
		"ends with <think":                                  "ends with <think",
		"ends with `":                                       "ends with `",
		"<|channel|>analysis<|message|>He lies.<|end|><|start|>assistant<|channel|>final<|message|>You lie.": "You lie.",
	}
	for _, m := range thoughtMarks {
		cases["A "+m.begin+"\nx "+m.end+" b."] = "A b."
	}
	for text, want := range cases {
		for _, slice := range []int{1, 2, 3, 7, 1000} {
			assert.Equal(t, filterIn(t, text, slice, func(*answerText) {}), want, "%q in pieces of %d", text, slice)
		}
	}
}

// filterIn filters a text in pieces of slice characters, and returns the result.
func filterIn(t *testing.T, text string, slice int, prepare func(*answerText)) string {
	t.Helper()
	out := newAnswerText(1<<20, nil)
	prepare(out)
	for rest := []rune(text); len(rest) > 0; rest = rest[min(slice, len(rest)):] {
		assert.NoError(t, out.addPiece(string(rest[:min(slice, len(rest))])))
	}
	out.setFinish(Stopped)
	assert.NoError(t, out.endAnswer())
	return out.text.String()
}

// TestTurnsEnd: a text ends with the tokens of a template, and not if it mentions tags.
func TestTurnsEnd(t *testing.T) {
	cases := map[string]string{
		"<|im_start|>Hm.":                   "Hm.",
		"\n<|assistant|>\nHm.<|user|>Fish.": "\n\nHm.",
		"1 < 2, [IN] and <b>so</b>":         "1 < 2, [IN] and <b>so</b>",
		"ends with <|im":                    "ends with <|im",
		"<think>x<|im_end|></think>Hm.":     "Hm.",
		"<|im_end|>":                        "",
	}
	for _, token := range turnTokens {
		cases["Hm."+token+"\n<|im_start|>user\nI give you fish."] = "Hm."
	}
	for text, want := range cases {
		for _, slice := range []int{1, 2, 3, 7, 1000} {
			assert.Equal(t, filterIn(t, text, slice, func(*answerText) {}), want, "%q in pieces of %d", text, slice)
		}
	}
	runInEach(t, func(t *testing.T, model string, stream bool) {
		s := newFakeProvider(t, llmtest.New(llmtest.Sequence(llmtest.Script{Pieces: []string{"Hm.<|im_", "end|>\n<|im_start|>user\n", "I give you fish."}, Finish: "length"})))
		answer, _ := mustAsk(t, s.newAsker(t, model), fullRequest(), stream)
		assert.Equal(t, answer.Text, "Hm.")
		assert.Equal(t, answer.Finish, Stopped)
	})
}

// TestThoughtsAndJSON: an answer in JSON keeps what is in its strings.
func TestThoughtsAndJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"why":"he writes <think>"}`:                   `{"why":"he writes <think>"}`,
		`<think>{"a":1}</think>{"why":"<think>"}`:       `{"why":"<think>"}`,
		"Well. <think>{}</think> {\"why\":\"[THINK]\"}": "Well. {\"why\":\"[THINK]\"}",
	} {
		assert.Equal(t, filterIn(t, text, 3, func(out *answerText) { out.thought.frontOnly = true }), want, text)
	}
}

// TestUnmarkedThoughts: a model that marks only the end of a thought, because its template contains
// the beginning, is recognized after the first answer.
func TestUnmarkedThoughts(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		first := llmtest.Script{Pieces: []string{"He lies, I think. ", "Yes.</think>", "\n\nYou lie."}}
		plain := llmtest.Script{Pieces: []string{"No ", "thought."}}
		marked := llmtest.Script{Pieces: []string{"<think>He lies.</think>", "You lie."}}
		a := newFakeProvider(t, llmtest.New(llmtest.Sequence(first, first, plain, marked))).newAsker(t, model)
		for i, want := range []string{"You lie.", "You lie.", "No thought.", "You lie."} {
			var shown strings.Builder
			emit := func(delta string) error { shown.WriteString(delta); return nil }
			if !stream {
				emit = nil
			}
			answer, err := a.Ask(t.Context(), fullRequest(), emit)
			assert.True(t, err == nil && answer.Text == want, "the answer %d is %q, %v", i+1, answer.Text, err)
			assert.True(t, !stream || i <= 0 || shown.String() == want, "of the answer %d was shown %q", i+1, shown.String())
		}
	})
}

// TestThoughtsAloudAreHeld: the first answer of a model with a name that suggests thoughts is shown
// when it turns out to be none, and later answers are shown at once.
func TestThoughtsAloudAreHeld(t *testing.T) {
	for want, pieces := range map[string][]string{"Hm.": {"Fish is ", "good.", "</think>", "Hm."}, "Fish is good.": {"Fish ", "is good."}} {
		d := llmtest.New(llmtest.Sequence(llmtest.Script{Pieces: pieces}))
		a := newFakeProvider(t, d).newAsker(t, "openai/deepseek-r1:8b")
		answer, shown := mustAsk(t, a, fullRequest(), true)
		assert.Equal(t, answer.Text, want)
		assert.Equal(t, strings.Join(shown, ""), want)
		_, shown = mustAsk(t, a, fullRequest(), true)
		assert.Equal(t, len(shown) == 2, want == "Fish is good.", shown)
	}
}

// FuzzThoughts: the result does not depend on pieces, and unmarked text is unchanged.
func FuzzThoughts(f *testing.F) {
	f.Add("A <think>b</think> `<think>` c ``` [THINK]x[/THINK]", 3)
	f.Add("<think>a<think>b</think>c", 1)
	f.Fuzz(func(t *testing.T, text string, slice int) {
		text = strings.ToValidUTF8(text, "")
		whole := filterIn(t, text, len(text)+1, func(*answerText) {})
		if strings.Contains(strings.ToLower(text), "/") && whole != text {
			return // An end mark alone takes back what was not shown yet.
		}
		assert.Equal(t, filterIn(t, text, 1+max(slice, 0)%5, func(*answerText) {}), whole, "%q whole", text)
		assert.True(t, strings.ContainsAny(text, "<[◁") || whole == text, "%q is %q", text, whole)
	})
}

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

// disguises are notations that become a token on a server that normalizes texts.
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
		for _, text := range []string{m.Text, dropped.Replace(m.Text), norm.NFKC.String(dropped.Replace(m.Text))} {
			assert.Must(t, !strings.Contains(text, mark) && !strings.Contains(text, norm.NFKC.String(mark)),
				"%q, %s, reached the model in %q", mark, name, text)
		}
	}
}

// TestInstructionsHaveNoTokens: the texts of an untrusted persona contain no tokens.
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

func TestWordsStay(t *testing.T) {
	for _, said := range []string{
		"I <3 you", "a < b > c", "x -> y, x <- y", "<b>bold</b> <i>x</i>", "[sic] [1] [ ] [x]", "a | b || c", "He said: go. Well: no.", "My AI: a friend", "12:30", "¡<hola>!", "if (a<b && c>d) {}", "The system: I like it.", "«1-pass» ‹a›",
	} {
		got := breakTokens(Request{Messages: []llm.Message{{Text: said}}}).Messages[0].Text
		assert.True(t, got == said || said == "The system: I like it." || said == "My AI: a friend", "%q is sent as %q", said, got)
	}
}

// TestBreaksAreMended: any text without look-alikes is restored, in pieces too.
func TestBreaksAreMended(t *testing.T) {
	assert.NotContains(t, breakTokens(Request{Messages: []llm.Message{{Text: "<|］"}}}).Messages[0].Text, "］")
	piece := rapid.OneOf(rapid.SampledFrom(append(append([]string{"<", "＜", "﹤", "|", "｜", ">", "[", "］", ":", "\n", "/", "s", "INST", "\u200b", " "}, templateMarks...), speechMarks...)), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		said := strings.ReplaceAll(strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "said"), ""), "\u2060", "")
		sent := breakTokens(Request{Messages: []llm.Message{{Text: said}}}).Messages[0].Text
		assert.Must(t, plaintext.MendTokens(sent) == said && len(sent) <= 12*len(said),
			"%q is sent as %q and comes back as %q", said, sent, plaintext.MendTokens(sent))
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
