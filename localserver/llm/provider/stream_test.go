package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

func allEvents(in io.Reader, most int, lines bool) ([]string, error) {
	e := newEventReader(in, most, lines)
	var all []string
	for {
		data, err := e.nextEvent()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, string(data))
	}
}

func TestEvents(t *testing.T) {
	for text, want := range map[string]string{
		"data: a\n\ndata: b\n\n":             "a|b",
		"data:a\r\n\r\ndata:  b\r\n\r\n":     "a| b",
		"\ufeffdata: a\n\n":                  "a",
		": comment\n\nevent: x\ndata: a\n\n": "a",
		"data: a\ndata: b\n\n":               "a\nb",
		"data\n\n\n\ndata: a":                "a",
		"event: ping\n\nid: 1\n\n":           "",
		"data:\n\n":                          "",
		"data: a\n\ndata:\n\ndata: : keepalive\n\nevent: ping\ndata: keepalive\n\ndata: b\n\n": "a|b",
		"data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n":                                     `{"a":1}|{"b":2}|[DONE]`,
		"data: {\"a\":\ndata: {\"b\":2}}\n\n":                                                  "{\"a\":\n{\"b\":2}}",
		"data: 茶\n\n":                                                                          "茶",
		"data: a\r\rdata: b\r\r":                                                               "a|b",
		"data: a\rdata: b\r\r":                                                                 "a\nb",
		"data: a\r\ndata: b\r\n\rdata: c\n\r":                                                  "a\nb|c",
		"data: a\n\rdata: b\r\n\n":                                                             "a|b",
		"\r\r\n\ndata: a\r":                                                                    "a",
	} {
		t.Run(text, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
				got, err := allEvents(in, 1000, false)
				assert.NoError(t, err, "%q is %q", text, got)
				assert.Equal(t, strings.Join(got, "|"), want, "%q is %q", text, got)
			}
		})
	}
	got, err := allEvents(strings.NewReader("{1}\r\n\n  \n{2}"), 1000, true)
	assert.NoError(t, err, got)
	assert.Equal(t, strings.Join(got, "|"), "{1}|{2}", got)
}

func TestEventsAreBounded(t *testing.T) {
	for _, lines := range []bool{true, false} {
		_, err := allEvents(strings.NewReader("data: a\n\n"), 9, lines)
		assert.NoError(t, err)
		_, err = allEvents(strings.NewReader("data: a\n\n"), 8, lines)
		assert.ErrorIs(t, err, errTooMuch)
		line := "data: " + strings.Repeat("a", maxLine-6-1)
		assert.Value(allEvents(strings.NewReader(line+"\n"), 4*maxLine, lines))(t, "%d bytes", len(line))
		_, err = allEvents(strings.NewReader(line+"a\n"), 4*maxLine, lines)
		assert.ErrorIs(t, err, errLongLine)
	}
	many := strings.Repeat("data: "+strings.Repeat("a", maxLine/4)+"\n", 5)
	_, err := allEvents(strings.NewReader(many), 4*maxLine, false)
	assert.ErrorIs(t, err, errLongLine)
}

// What comes behind the end mark is read to its end, but not waited for.
func TestDrain(t *testing.T) {
	rest := strings.NewReader("\r\n0\r\n")
	if drainAnswer(rest, time.Minute, func() { t.Error("given up") }); rest.Len() != 0 {
		t.Errorf("%d bytes are left", rest.Len())
	}
	in, out := io.Pipe()
	defer out.Close()
	drainAnswer(in, time.Millisecond, func() { in.Close() })
}

// decodeStream reads a stream as an answer of a format.
func decodeStream(f Format, data []byte, limit int) (*answerText, error) {
	out := newAnswerText(limit, nil)
	e := newEventReader(strings.NewReader(string(data)), 1<<20, formats[f].streamFraming() == jsonLines)
	for !out.over {
		event, err := e.nextEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = formats[f].readEvent(event, out)
		}
		if err != nil {
			return out, err
		}
	}
	return out, out.endAnswer()
}

func fuzzStream(f *testing.F, format Format, model string) {
	for _, script := range []llmtest.Script{{Text: spoken, In: 1, Out: 2}, {Text: "a", Comments: true, CRLF: true, Finish: "length"}, {FailAfter: &llmtest.Failure{Status: 500, Message: "no"}}} {
		d := llmtest.New(llmtest.Sequence(script))
		f.Add(streamOf(f, d, model))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 500
		out, err := decodeStream(format, data, limit)
		assert.Must(t, out.text.Len() <= limit, "%d bytes", out.text.Len())
		if err == nil && (!out.ended || out.finish == "") {
			t.Fatalf("a whole answer without an end: %+v", out)
		}
		if _, isFault := errors.AsType[*failure](err); err != nil && !isFault {
			t.Fatalf("%T", err)
		}
		whole := newAnswerText(limit, nil)
		if err := formats[format].readWhole(data, whole); err == nil && !json.Valid(data) {
			t.Fatalf("%q is no JSON", data)
		}
	})
}

func FuzzOpenAIStream(f *testing.F)    { fuzzStream(f, OpenAI, "openai/gpt-4o") }
func FuzzAnthropicStream(f *testing.F) { fuzzStream(f, Anthropic, "anthropic/m") }
func FuzzGeminiStream(f *testing.F)    { fuzzStream(f, Gemini, "gemini/m") }
func FuzzOllamaStream(f *testing.F)    { fuzzStream(f, Ollama, "ollama/m") }

func TestFindJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`:                                `{"a":1}`,
		"\n {\"a\":1} \n":                        `{"a":1}`,
		"```json\n{\"a\":1}\n```":                `{"a":1}`,
		"I take {x}: {\"a\":{\"b\":[1]}} Good?":  `{"a":{"b":[1]}}`,
		`First {"a":1}, no: {"a":2}.`:            "",
		`{"a":1}{"a":1}`:                         "",
		`He said {"a" and {"a":1}`:               "",
		`{"a":"He said {"a":1}"}`:                "",
		`So {} and {"a":1}`:                      "",
		`{"a": "}{"} and`:                        `{"a": "}{"}`,
		`{"a":1`:                                 "",
		"no":                                     "",
		`{"a":[1, ], "b":",]",}`:                 `{"a":[1 ], "b":",]"}`,
		"So, {\"a\":1,\n}":                       "{\"a\":1\n}",
		"":                                       "",
		"[1]":                                    "",
		strings.Repeat("{", 63) + `{"a":1}`:      `{"a":1}`,
		strings.Repeat("{ \n", 9999) + `{"a":1}`: `{"a":1}`,
	} {
		t.Run(fmt.Sprintf("%.40q", text), func(t *testing.T) {
			got, ok := findJSON(text)
			assert.True(t, got == want && ok == (want != ""), "%q is %q", text, got)
		})
	}
}

func FuzzFindJSON(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, "```json\n{\"a\":1}\n```", `x {"a":"\u0000"} y`, "{{{{", `{"a":{"a":{`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := findJSON(text)
		if ok != (got != "") || ok && ((got[0] != '{' || !json.Valid([]byte(got))) || !strings.Contains(dropTrailingCommas(text), got)) {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}
