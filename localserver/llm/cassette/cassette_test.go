package cassette

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// TestRecordedIsPlayed: each kind of answer is played as recorded, in the same pieces.
func TestRecordedIsPlayed(t *testing.T) {
	schema := &provider.Schema{Name: "verdict", JSON: []byte(`{"type":"object"}`)}
	warm := 0.7
	tests := []answerTest{
		{"a stream", newRequest("response", "Hello"), []string{"Gu", "ten ", "Tag, «Ivo» <b>&</b> ", "🐈\u200d⬛", "\n\n\ttab \u2028 \x1b[31m"}, provider.Answer{Finish: provider.Stopped, Usage: llm.Usage{In: 900, Out: 7}}},
		{"one piece", newRequest("response", "one"), []string{"Yes."}, provider.Answer{Finish: provider.Stopped}},
		{"cut short", newRequest("response", "long"), []string{"And ", "so"}, provider.Answer{Finish: provider.Length}},
		{"refused", newRequest("response", "awful"), nil, provider.Answer{Finish: provider.Refused}},
		{"refused half-way", newRequest("response", "half"), []string{"Well", ", "}, provider.Answer{Finish: provider.Refused}},
		{"nothing", newRequest("response", "nothing"), nil, provider.Answer{Finish: provider.Stopped}},
		{"a shape", provider.Request{Step: "evaluation", Messages: []llm.Message{{Role: "user", Text: "x"}}, Schema: schema, Temperature: &warm}, []string{`{"holds":["pass-1"]}`}, provider.Answer{Finish: provider.Stopped}},
		{"no messages", provider.Request{Step: "generation", System: "Write."}, []string{"a", "b"}, provider.Answer{Finish: provider.Stopped}},
	}
	path := tempFile(t)
	rec := openRecorder(t, path)
	for _, tt := range tests {
		a := newFakeAsker()
		a.play = func(provider.Request) ([]string, provider.Answer, error) { return tt.pieces, tt.answer, nil }
		for range 2 {
			pieces, got := askPieces(t, rec.Wrap(a), tt.request)
			tt.checkOne(t, "recording", pieces, got)
		}
		assert.Equal(t, a.countAsked(), 1, "%s: asked", tt.name)
	}
	assert.Equal(t, rec.AddedCount(), len(tests))
	assert.Equal(t, len(rec.UnusedAnswers()), 0)
	assert.NoError(t, rec.Close())
	p := loadPlayer(t, path)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pieces, got := askPieces(t, p.Asker(""), tt.request)
			tt.checkOne(t, "played", pieces, got)
			assert.DeepEqual(t, askOnce(t, p.Asker("openai/gpt-4o"), tt.request), got, "whole it")
		})
	}
	assert.Equal(t, p.Len(), len(tests))
	assert.Empty(t, p.UnusedAnswers())
	assert.Equal(t, p.Note(), "")
	assert.Equal(t, p.Asker("").Model(), "openai/gpt-4o")
}

type answerTest struct {
	name    string
	request provider.Request
	pieces  []string
	answer  provider.Answer
}

func (tt answerTest) checkOne(t *testing.T, where string, pieces []string, got provider.Answer) {
	t.Helper()
	want := tt.answer
	want.Text, want.Usage.Model = strings.Join(tt.pieces, ""), "openai/gpt-4o"
	assert.EqualSlices(t, pieces, tt.pieces, "%s, %s", tt.name, where)
	assert.DeepEqual(t, got, want, "%s, %s", tt.name, where)
}

// TestOnlyWhatMattersIsCompared: requests with another temperature, limit or model are the same
// question. Any other difference makes another question.
func TestOnlyWhatMattersIsCompared(t *testing.T) {
	schema := func(name, text string) *provider.Schema { return &provider.Schema{Name: name, JSON: []byte(text)} }
	base := newRequest("evaluation", "notes", "Who is there?", "A friend\nof yours")
	base.Schema = schema("verdict", `{"type": "object"}`)
	path := recordAll(t, newFakeAsker("x"), base)
	cold := 0.0
	alike := map[string]func(*provider.Request){
		"temperature":  func(r *provider.Request) { r.Temperature = &cold },
		"max tokens":   func(r *provider.Request) { r.MaxTokens = 400 },
		"white space":  func(r *provider.Request) { r.Schema = schema("verdict", "{\n  \"type\":\"object\" }") },
		"line ends":    func(r *provider.Request) { r.System = strings.ReplaceAll(r.System, "\n", "\r\n") },
		"line ends, 2": func(r *provider.Request) { r.Messages[2].Text = "A friend\r\nof yours" },
	}
	other := map[string]func(*provider.Request){
		"step":          func(r *provider.Request) { r.Step = "response" },
		"system":        func(r *provider.Request) { r.System += "." },
		"text":          func(r *provider.Request) { r.Messages[2].Text += " " },
		"role":          func(r *provider.Request) { r.Messages[1].Role = "user" },
		"fewer":         func(r *provider.Request) { r.Messages = r.Messages[:2] },
		"more":          func(r *provider.Request) { r.Messages = append(r.Messages, llm.Message{}) },
		"moved border":  func(r *provider.Request) { r.Messages[0].Text, r.Messages[1].Text = "notesW", "ho is there?" },
		"no schema":     func(r *provider.Request) { r.Schema = nil },
		"schema's name": func(r *provider.Request) { r.Schema = schema("verdicts", `{"type": "object"}`) },
		"schema":        func(r *provider.Request) { r.Schema = schema("verdict", `{"type": "array"}`) },
	}
	p := loadPlayer(t, path).Asker("anthropic/claude-sonnet-4-5")
	try := func(change func(*provider.Request)) error {
		r := base
		r.Messages = slices.Clone(base.Messages)
		change(&r)
		_, err := p.Ask(t.Context(), r, nil)
		return err
	}
	for name, change := range alike {
		t.Run(name, func(t *testing.T) { assert.NoError(t, try(change)) })
	}
	for name, change := range other {
		t.Run(name, func(t *testing.T) { assert.Equal(t, kindOf(try(change)), provider.NotRecorded) })
	}
}

// TestDigests compares digests with those of another program, from docs/cassettes.md.
func TestDigests(t *testing.T) {
	full := newRequest("evaluation", "notes", "Grüß Gott", "\x00\xff 🐈")
	full.Schema = &provider.Schema{Name: "verdict", JSON: []byte(`{"a": [1, "x y"]}`)}
	for want, r := range map[string]provider.Request{
		"92fd8de27a1ec00092f561fa7f421d20b28451e674165d3c4bfd2ab7b5eebf09": {},
		"ada247b71b957ad85867edf1bbe359eccf094ffeefe0604c059c39bf638c173b": newRequest("response", "Hello"),
		"949ea0b168bd5ad625647d963492372e2a098845bd9d3c26808bac2358caf1e3": full,
	} {
		t.Run(want, func(t *testing.T) { assert.DeepEqual(t, (scrubber{}).newQuestion(r).digestText(), want, r) })
	}
}

// TestSeveralModels: the model decides between answers to the same question.
func TestSeveralModels(t *testing.T) {
	path, r := tempFile(t), newRequest("response", "Hello")
	rec := openRecorder(t, path)
	small, large := newFakeAsker("small"), newFakeAsker("large")
	small.name, large.name = "ollama/small", "openai/large"
	for _, a := range []*fakeAsker{small, large, small, large} {
		askOnce(t, rec.Wrap(a), r)
	}
	assert.Equal(t, small.countAsked(), 1)
	assert.Equal(t, large.countAsked(), 1)
	assert.NoError(t, rec.Close())
	p := loadPlayer(t, path)
	for model, want := range map[string]string{"ollama/small": "small", "openai/large": "large", "openai/other": "large", "": "large"} {
		t.Run(model, func(t *testing.T) {
			if got := askOnce(t, p.Asker(model), r); got.Text != want || got.Usage.Model == model && got.Text != want {
				t.Errorf("%q plays %+v", model, got)
			}
		})
	}
	assert.Equal(t, p.Asker("").Model(), "recording")
	assert.Equal(t, p.Asker("a/b").Model(), "a/b")
}

// TestErrorsAreNotRecorded: errors of the provider and checks of a key are not recorded.
func TestErrorsAreNotRecorded(t *testing.T) {
	path := tempFile(t)
	rec := openRecorder(t, path)
	before := readText(t, path)
	a := newFakeAsker("some", "thing")
	down := &provider.Error{Kind: provider.Down, Message: "down"}
	a.play = func(provider.Request) ([]string, provider.Answer, error) {
		return []string{"so"}, provider.Answer{}, down
	}
	_, err := rec.Wrap(a).Ask(t.Context(), newRequest("response", "a"), nil)
	assert.ErrorIs(t, err, down, "a provider's error")
	a.play = newFakeAsker("some", "thing").play
	for range 2 {
		askOnce(t, rec.Wrap(a), newRequest("check", "Say yes."))
	}
	assert.Equal(t, a.countAsked(), 3)
	assert.Equal(t, readText(t, path), before)
	if askOnce(t, rec.Wrap(a), newRequest("response", "a")); rec.AddedCount() != 1 {
		t.Error("after the errors the answer is not kept")
	}
}

// TestListenerErrorStopsPieces: if a listener returns an error, it gets that error and no more pieces.
// The whole answer is recorded, and a replay stops at the same piece.
func TestListenerErrorStopsPieces(t *testing.T) {
	path, enough := tempFile(t), errors.New("enough")
	rec := openRecorder(t, path)
	hear := func(a provider.Asker) (heard []string, err error) {
		_, err = a.Ask(t.Context(), newRequest("response", "Hello"), func(delta string) error {
			heard = append(heard, delta)
			if delta == "secret" {
				return enough
			}
			return nil
		})
		return heard, err
	}
	want := []string{"My ", "secret"}
	for _, a := range []provider.Asker{rec.Wrap(newFakeAsker("My ", "secret", " is")), rec.Wrap(newFakeAsker("never asked"))} {
		heard, err := hear(a)
		assert.True(t, errors.Is(err, enough) && slices.Equal(heard, want), "recording: %q, %v", heard, err)
	}
	assert.NoError(t, rec.Close())
	p := loadPlayer(t, path)
	heard, err := hear(p.Asker(""))
	assert.True(t, errors.Is(err, enough) && slices.Equal(heard, want), "played: %q, %v", heard, err)
	assert.Equal(t, askOnce(t, p.Asker(""), newRequest("response", "Hello")).Text, "My secret is")
	rec = openRecorder(t, tempFile(t))
	broken := newFakeAsker("My ", "secret")
	answer := broken.play
	broken.play = func(r provider.Request) ([]string, provider.Answer, error) {
		pieces, given, _ := answer(r)
		return pieces, given, &provider.Error{Kind: provider.Down, Message: "down"}
	}
	if heard, err := hear(rec.Wrap(broken)); !errors.Is(err, enough) || !slices.Equal(heard, want) || rec.AddedCount() != 0 {
		t.Errorf("and then it breaks off: %q, %v, %d kept", heard, err, rec.AddedCount())
	}
}

// TestTooLong: the error for a too long question is permanent, and is recorded.
func TestTooLong(t *testing.T) {
	path := tempFile(t)
	rec, a := openRecorder(t, path), newFakeAsker()
	a.play = func(provider.Request) ([]string, provider.Answer, error) {
		return nil, provider.Answer{}, &provider.Error{Kind: provider.TooLong, Message: "too long"}
	}
	for range 2 {
		_, err := rec.Wrap(a).Ask(t.Context(), newRequest("response", "Hello"), nil)
		assert.Equal(t, kindOf(err), provider.TooLong, "recording: %v", err)
	}
	assert.NoError(t, rec.Close())
	if _, err := loadPlayer(t, path).Asker("").Ask(t.Context(), newRequest("response", "Hello"), nil); kindOf(err) != provider.TooLong || a.countAsked() != 1 {
		t.Errorf("asked %d times, played: %v", a.countAsked(), err)
	}
}

// TestPlayingEnds: playing ends with its context and with an error of the listener.
func TestPlayingEnds(t *testing.T) {
	path := recordAll(t, newFakeAsker(), newRequest("response", "other"))
	rec := openRecorder(t, path)
	askPieces(t, rec.Wrap(newFakeAsker("a", "b", "c")), newRequest("response", "Hello"))
	assert.NoError(t, rec.Close())
	p := loadPlayer(t, path).Asker("")
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	_, err := p.Ask(ctx, newRequest("response", "Hello"), func(string) error {
		if count++; count == 2 {
			cancel()
		}
		return nil
	})
	assert.Equal(t, kindOf(err), provider.Late)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, count, 2)
	_, err = p.Ask(ctx, newRequest("response", "Hello"), nil)
	assert.Equal(t, kindOf(err), provider.Late, "an ended call: %v", err)
	gone := errors.New("gone")
	_, err = p.Ask(t.Context(), newRequest("response", "Hello"), func(string) error { return gone })
	assert.ErrorIs(t, err, gone, "who listens has gone")
}

// TestSameQuestionAtOnce: of several equal questions one is asked, and the next if it fails.
func TestSameQuestionAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := openRecorder(t, tempFile(t))
		gate, failing := make(chan struct{}), atomic.Bool{}
		failing.Store(true)
		a := newFakeAsker()
		a.play = func(provider.Request) ([]string, provider.Answer, error) {
			<-gate
			if failing.Swap(false) {
				return nil, provider.Answer{}, &provider.Error{Kind: provider.Down, Message: "down"}
			}
			return []string{"one ", "answer"}, provider.Answer{Finish: provider.Stopped}, nil
		}
		texts := make(chan string, 10)
		for range 8 {
			go func() {
				answer, _ := rec.Wrap(a).Ask(t.Context(), newRequest("response", "Hello"), nil)
				texts <- answer.Text
			}()
		}
		synctest.Wait()
		assert.Equal(t, a.countAsked(), 1, "asked at once")
		impatient, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := rec.Wrap(a).Ask(impatient, newRequest("response", "Hello"), nil)
			texts <- fmt.Sprint(kindOf(err))
		}()
		synctest.Wait()
		cancel()
		assert.Equal(t, <-texts, string(provider.Late), "one who goes away while waiting")
		gate <- struct{}{}
		assert.Equal(t, <-texts, "")
		gate <- struct{}{}
		for range 7 {
			assert.Equal(t, <-texts, "one answer")
		}
		assert.Equal(t, a.countAsked(), 2)
		assert.Equal(t, rec.AddedCount(), 1)
	})
}

// TestOneRecorder: a file has one recorder at a time, under any of its names.
func TestOneRecorder(t *testing.T) {
	path := tempFile(t)
	rec := openRecorder(t, path)
	_, err := Open(path, testOptions())
	assert.ErrorIs(t, err, ErrBusy, "a second recorder")
	other := filepath.Join(filepath.Dir(path), "link.jsonl")
	if err := os.Symlink(path, other); err == nil {
		_, err := Open(other, testOptions())
		assert.ErrorIs(t, err, ErrBusy, "a second recorder through a link")
	} else if runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	for range 2 {
		assert.NoError(t, rec.Close())
	}
	if _, err := os.Stat(path + ".lock"); !errors.Is(err, os.ErrNotExist) && runtime.GOOS != "windows" {
		t.Errorf("the lock is left: %v", err)
	}
	_, err = rec.Wrap(echoAsker()).Ask(t.Context(), newRequest("response", "late"), nil)
	assert.Equal(t, kindOf(err), provider.Down, "after the end: %v", err)
	openRecorder(t, path)
}

// TestCannotBeWritten: a failure to record is reported before the next question.
func TestCannotBeWritten(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Join(folder, "not", "there.jsonl")} {
		t.Run(path, func(t *testing.T) {
			_, err := Open(path, testOptions())
			assert.ErrorContains(t, err, filepath.Base(path))
		})
	}
	path := filepath.Join(folder, "a.jsonl")
	rec, a := openRecorder(t, path), echoAsker()
	askOnce(t, rec.Wrap(a), newRequest("response", "kept"))
	_ = rec.file.Close()
	for i, said := range []string{"lost", "not asked"} {
		_, err := rec.Wrap(a).Ask(t.Context(), newRequest("response", said), nil)
		assert.Equal(t, kindOf(err), provider.Down, "question %d", i)
		assert.ErrorContains(t, err, "cannot be recorded", "question %d", i)
		assert.Equal(t, a.countAsked(), 2, "question %d", i)
	}
	if askOnce(t, rec.Wrap(a), newRequest("response", "kept")); a.countAsked() != 2 {
		t.Error("what is there is not played any more")
	}
	assert.True(t, rec.Close() != nil, "the end of the recording says nothing of what was lost")
	assert.Equal(t, loadPlayer(t, path).Len(), 1, "answers are left")
}

// TestJudgementsAreReplayed: the probabilities of a letter and of the choices of a decision model,
// and their tokens, are recorded and replayed; the two kinds are distinguished.
func TestJudgementsAreReplayed(t *testing.T) {
	t.Parallel()
	letter := newRequest("evaluation", "The message: \"hi\"")
	letter.TopTokens = 20
	decision := newRequest("evaluation", "The message: \"hi\"")
	decision.Decision = &provider.Decision{Wire: provider.SystemOne}
	decision.Schema = &provider.Schema{Name: "decision", JSON: []byte(`{"wire":"systemone"}`)}
	path := tempFile(t)
	rec := openRecorder(t, path)
	asker := newFakeAsker()
	asker.play = func(r provider.Request) ([]string, provider.Answer, error) {
		first := []provider.TokenProbability{{Token: "A", Probability: 0.75}, {Token: "B", Probability: 0.25}}
		if r.Decision != nil {
			first = []provider.TokenProbability{{Token: provider.DecisionMatter, Probability: 0.5}, {Token: "pass", Probability: 1}}
		}
		return nil, provider.Answer{Finish: provider.Stopped, First: first, Usage: llm.Usage{In: 12, Out: 1, Cached: 10}}, nil
	}
	recorded := []provider.Answer{askOnce(t, rec.Wrap(asker), letter), askOnce(t, rec.Wrap(asker), decision)}
	assert.NoError(t, rec.Close())
	played := loadPlayer(t, path).Asker("")
	for i, r := range []provider.Request{letter, decision} {
		got, want := askOnce(t, played, r), recorded[i]
		assert.EqualSlices(t, got.First, want.First)
		assert.Equal(t, got.Usage, want.Usage)
		assert.Equal(t, got.Usage.Cached, 10)
	}
}

// drawnRequest returns a request with a name that was drawn for it, in all its texts.
func drawnRequest() (provider.Request, string) {
	name := provider.DrawName("«1-pass»")
	return provider.Request{
		Step: "evaluation", System: "Choose " + name.Name + ".", Messages: []llm.Message{{Role: "user", Text: "End: " + name.Name}},
		Schema: &provider.Schema{Name: "evaluation", JSON: []byte(`{"enum":["` + name.Name + `"]}`)}, Drawn: []provider.DrawnName{name},
	}, name.Name
}

// TestDrawnNamesAreReplayed: a request finds its answer regardless of the names drawn for it, and
// the answer contains the names of the current request: while it is recorded and played.
func TestDrawnNamesAreReplayed(t *testing.T) {
	path := tempFile(t)
	rec := openRecorder(t, path)
	asker := newFakeAsker()
	asker.play = func(r provider.Request) ([]string, provider.Answer, error) {
		text := `{"choice":"` + r.Drawn[0].Name + `","why":"He says «1-pass» and 1-pass."}`
		return []string{text[:15], text[15:]}, provider.Answer{Finish: provider.Stopped}, nil
	}
	check := func(a provider.Asker) {
		r, name := drawnRequest()
		got := askOnce(t, a, r)
		assert.True(t, strings.HasPrefix(got.Text, `{"choice":"`+name+`"`) && strings.Count(got.Text, name) == 1,
			"%s is answered with %s", name, got.Text)
		pieces, again := askPieces(t, a, r)
		assert.Equal(t, strings.Join(pieces, ""), again.Text, "in pieces it is %q", pieces)
		assert.Equal(t, strings.Count(again.Text, name), 1, "in pieces it is %q", pieces)
	}
	for range 3 {
		check(rec.Wrap(asker))
	}
	assert.Equal(t, asker.countAsked(), 1, "asked")
	assert.NoError(t, rec.Close())
	for range 3 {
		check(loadPlayer(t, path).Asker(""))
	}
}

// TestMissing: the error shows the most similar question and the first difference.
func TestMissing(t *testing.T) {
	path := recordAll(t, echoAsker(), append(conversationRequests(),
		newRequest("response", "notes", "Who is there?", "A friend", "Come in", "Thank you very much for this warm welcome in a cold night"),
		newRequest("response", "other notes", "Who is there?", "An enemy"))...)
	prompted := conversationRequests()[2]
	prompted.System = "You are Mora.\nYou like dogs."
	tests := []struct {
		name string
		r    provider.Request
		want string
	}{
		{"another message", newRequest("response", "notes", "Who is there?", "A fiend"), `no answer for this reply: the most similar one, in line 6, differs: asked "… is there?\nuser: A fiend\n ", recorded "… is there?\nuser: A friend\n ". To record it again, run the same command with --llm openai/gpt-4o --llm-record ` + path},
		{"another prompt", prompted, `differs: asked "… are Mora.\nYou like dogs.\nuser: notes\nassistant: Who`},
		{"control characters", newRequest("open", "\x1b[31m\u202e\nnotes"), `asked "…ou like cats.\nuser: \x1b[31m\u202e\nnotes\n "`},
		{"a step without any", newRequest("summarization", "notes", "more notes"), `no answer for this summarization ("more notes") nor for any other of this step. To record`},
		{"nothing asked", provider.Request{}, `no answer for this question (without a message) nor`},
	}
	player := loadPlayer(t, path)
	p := player.Asker("")
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.Ask(t.Context(), tt.r, nil)
			assert.Equal(t, kindOf(err), provider.NotRecorded)
			assert.Contains(t, err.Error(), tt.want)
			assert.True(t, strings.HasPrefix(err.Error(), "the recording "+path), err)
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
	} {
		t.Run(fmt.Sprintf("%.10q at %d of %d", tt.text, tt.at, len(tt.text)), func(t *testing.T) {
			assert.Equal(t, quoteAt(tt.text, tt.at), tt.want, "%.20q at %d", tt.text, tt.at)
		})
	}
}
