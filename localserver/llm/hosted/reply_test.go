package hosted_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"pgregory.net/rapid"
)

// listenToReply lets a model reply and compares the pieces with the text.
func listenToReply(t testing.TB, asker *scriptedAsker, input llm.Input, result llm.StepResult) (llm.GeneratedText, error) {
	t.Helper()
	var shown strings.Builder
	got, err := modelOf(asker).Reply(context.Background(), input, result, func(piece string) error {
		assert.True(t, piece != "", "an empty piece")
		shown.WriteString(piece)
		return nil
	})
	assert.Equal(t, got.Text, shown.String(), "the pieces")
	return got, err
}

func TestReply(t *testing.T) {
	moved := llm.StepResult{Decision: personas.DecidePass, Entered: &inputOf(t).Machine.States[1]}
	redirected := llm.StepResult{Decision: personas.DecideRedirect}
	for _, c := range []struct {
		name    string
		answers []answer
		result  llm.StepResult
		want    string
		why     string
	}{
		{"pieces", []answer{answerWith("Good ", "evening,", " Mira.")}, passed, "Good evening, Mira.", "openai/gpt-x"},
		{"blanks at the ends", []answer{answerWith("\n\n ", " Good", " evening. ", "\n", " ")}, passed, "Good evening.", "openai/gpt-x"},
		{"blanks within", []answer{answerWith("Good evening.\n", "\n", "The reason?")}, passed, "Good evening.\n\nThe reason?", "openai/gpt-x"},
		{"the name in front", []answer{answerWith("Otto", "line Frost", ": ", "Good evening.")}, passed, "Good evening.", "openai/gpt-x"},
		{"the first name, bold", []answer{answerWith("**ottoline:**", "\nGood evening.")}, passed, "Good evening.", "openai/gpt-x"},
		{"nearly the name", []answer{answerWith("Ottoline", " Frost, at your service: Ottoline.")}, passed, "Ottoline Frost, at your service: Ottoline.", "openai/gpt-x"},
		{"only the beginning of the name", []answer{answerWith("Otto")}, passed, "Otto", "openai/gpt-x"},
		{"a mark that was left", []answer{answerWith("Good evening, «player", "_name». «Well», said «player_gender», «tale»")}, passed,
			"Good evening, Mira. «Well», said female, «tale»", "openai/gpt-x"},
		{"the beginning of a mark at the end", []answer{answerWith("Well «play")}, passed, "Well «play", "openai/gpt-x"},
		{"empty, then a text", []answer{answerWith(" ", "\n"), answerWith("Good evening.")}, passed, "Good evening.", "openai/gpt-x"},
		{"only a name, then a text", []answer{answerWith("Ottoline: "), answerWith("Ottoline: Good evening.")}, passed, "Good evening.", "openai/gpt-x"},
		{"cut at the limit", []answer{{pieces: []string{"Good eve"}, finish: provider.Length}}, passed, "Good eve…", "openai/gpt-x, cut off at the maximum length"},
		{"cut behind a sentence", []answer{{pieces: []string{"Good evening. \"Sit.\""}, finish: provider.Length}}, passed, "Good evening. \"Sit.\"", "openai/gpt-x, cut off at the maximum length"},
		{"cut in a sentence", []answer{{pieces: []string{"Good evening. I", " would, "}, finish: provider.Length}}, passed, "Good evening. I would,…", "openai/gpt-x, cut off at the maximum length"},
		{"refused", []answer{refuseWith()}, redirected, "Older than the street.", "openai/gpt-x would not answer; deflected: offline: state desk, redirect, line 1 of 1"},
		{"refused, and the state changed", []answer{refuseWith()}, moved, "Lovely.\n\nThree rules.", "openai/gpt-x would not answer; deflected: offline: state desk, pass, line 1 of 1; offline: state rules, enter, line 1 of 1"},
		{"refused in the middle", []answer{refuseWith("Good evening. I ", "can")}, redirected, "Good evening. I can…\n\nOlder than the street.", "openai/gpt-x would not answer; deflected: offline: state desk, redirect, line 1 of 1"},
		{"refused behind a sentence", []answer{refuseWith("Good evening.", "\n")}, redirected, "Good evening.\n\nOlder than the street.", "openai/gpt-x would not answer; deflected: offline: state desk, redirect, line 1 of 1"},
		{"empty, then refused", []answer{answerWith(), refuseWith()}, redirected, "Older than the street.", "openai/gpt-x would not answer; deflected: offline: state desk, redirect, line 1 of 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asker := scriptAnswers(c.answers...)
			got, err := listenToReply(t, asker, inputOf(t), c.result)
			assert.NoError(t, err)
			assert.Equal(t, got.Text, c.want)
			assert.True(t, strings.HasPrefix(got.Why, c.why), "%q because %q, %v", got.Text, got.Why, err)
			assert.Equal(t, got.Usage, llm.Usage{Model: "openai/gpt-x", In: 10 * len(c.answers), Out: len(c.answers)})
			assert.Equal(t, len(asker.seen), len(c.answers))
		})
	}
}

// TestRepliesForThePlayer: text in which the model speaks as the player is neither shown nor stored.
func TestRepliesForThePlayer(t *testing.T) {
	const kept = "Good evening."
	for text, want := range map[string]string{
		"Good evening.\nMira: I want fish.\nOttoline: Take it.": kept,
		"Good evening.\n\nMira: I want fish.":                   kept,
		"Good evening.  \r\n mira:I want fish.":                 kept,
		"Good evening.\n**Mira:** I want fish.":                 kept,
		"Good evening.\n**Mira**: I want fish.":                 kept,
		"Good evening.\n### Mira: I want fish.":                 kept,
		"Good evening.\n[Mira]: I want fish.":                   kept,
		"Good evening.\n> *Mira:* I want fish.":                 kept,
		"Good evening.\nMira (laughing): I want fish.":          kept,
		"Good evening.\nMira : I want fish.":                    kept,
		"Good evening.\nMira：I want fish.":                      kept,
		"Good evening.\n«player_name»: I want fish.":            kept,
		"Good evening.\nPlayer: I want fish.":                   kept,
		"Good evening.\nUser: I want fish.":                     kept,
		"Good evening.\nHuman: I want fish.":                    kept,
		"Good evening.\nSpieler: Fisch.":                        kept,
		"Good evening.\nJoueur : du poisson.":                   kept,
		"Good evening.\nMira:":                                  kept,
		"Ottoline: Good evening.\nMira: Hm.":                    kept,
		"**Ottoline Frost**: Good evening.\nMira: Hm.":          kept,
		"[Ottoline]: Good evening.":                             kept,
		"Ottoline (dry): Good evening.":                         kept,
		// The character's words.
		"I heard Mira: she wants fish.": "I heard Mira: she wants fish.",
		"Well,\nMira, sit.":             "Well,\nMira, sit.",
		"Well,\nMiranda: she is late.":  "Well,\nMiranda: she is late.",
		"Well,\nMira :) sit.":           "Well,\nMira :) sit.",
		"Well,\nMira:) sit.":            "Well,\nMira:) sit.",
		"Well,\n- Mira: the window.":    "Well,\n- Mira: the window.",
		"Well,\nMira (who is late, as is her habit and always was) : no.": "Well,\nMira (who is late, as is her habit and always was) : no.",
		"The user: that is you.": "The user: that is you.",
		"Well,\nMira":            "Well,\nMira",
		"Well,\n**Mira**":        "Well,\n**Mira**",
	} {
		for _, size := range []int{1, 2, 3, 5, 1000} {
			var pieces []string
			for rest := []rune(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				pieces = append(pieces, string(rest[:min(size, len(rest))]))
			}
			got := assert.Value(listenToReply(t, scriptAnswers(answerWith(pieces...)), inputOf(t), passed))(t, "%q in pieces of %d", text, size)
			assert.Equal(t, got.Text, want, "%q in pieces of %d", text, size)
			cut := strings.Contains(got.Why, "continued as the player")
			assert.True(t, want != kept || !strings.Contains(text, "\n") || cut, "%q: the trace says %q", text, got.Why)
		}
	}
}

// TestReplyOfThePlayerAlone: a reply of only the player's words is requested once more.
func TestReplyOfThePlayerAlone(t *testing.T) {
	asker := scriptAnswers(answerWith("Mira: I want", " fish."), answerWith("Good evening."))
	got := assert.Value(listenToReply(t, asker, inputOf(t), passed))(t)
	assert.Equal(t, got.Text, "Good evening.")
	assert.Equal(t, len(asker.seen), 2)
	_, err := listenToReply(t, scriptAnswers(answerWith("Mira: I"), answerWith("User: I")), inputOf(t), passed)
	checkKind(t, err, provider.Unusable)
}

// TestPlayerNamedLikeCharacter: if the player and the character have the same name, the name means the character.
func TestPlayerNamedLikeCharacter(t *testing.T) {
	input := inputOf(t)
	input.Player.Name = "Ottoline"
	got := assert.Value(listenToReply(t, scriptAnswers(answerWith("Ottoline: Good evening.\nOttoline: Sit.")), input, passed))(t)
	assert.Equal(t, got.Text, "Good evening.\nOttoline: Sit.")
}

// TestShownThoughtIsNotKept: a thought that was shown is not stored with the text.
func TestShownThoughtIsNotKept(t *testing.T) {
	asker := &scriptedAsker{name: "openai/gpt-x"}
	asker.play = func(_ context.Context, _ provider.Request, emit func(string) error) (provider.Answer, error) {
		for _, piece := range []string{"Fish is what she wants. ", "Ottoline: Good ", "evening, «player_name»."} {
			if err := emit(piece); err != nil {
				return provider.Answer{}, err
			}
		}
		return provider.Answer{Text: "Ottoline: Good evening, «player_name».", Finish: provider.Stopped}, nil
	}
	var shown strings.Builder
	got, err := modelOf(asker).Reply(t.Context(), inputOf(t), passed, func(piece string) error { shown.WriteString(piece); return nil })
	assert.NoError(t, err)
	assert.Equal(t, got.Text, "Good evening, Mira.")
	assert.True(t, got.Withdrawn, "%q, shown %q, %v", got.Text, shown.String(), err)
	assert.True(t, strings.HasPrefix(shown.String(), "Fish is what she wants."), "shown %q", shown.String())
}

func TestEmptyTwice(t *testing.T) {
	asker := scriptAnswers(answerWith(), answerWith(" "))
	got, err := listenToReply(t, asker, inputOf(t), passed)
	checkKind(t, err, provider.Unusable)
	assert.True(t, got.Text == "" && got.Usage.In == 20 && strings.Contains(asker.seen[1].System, "was empty"), "%+v", got)
}

// TestFailsInTheMiddle: text shown before a failure is not completed, and the turn is not applied.
func TestFailsInTheMiddle(t *testing.T) {
	got, err := listenToReply(t, scriptAnswers(answer{pieces: []string{"Good ", "evening"}, err: failWith(provider.Down).err}), inputOf(t), passed)
	checkKind(t, err, provider.Down)
	assert.Equal(t, got.Text, "Good evening")
}

// TestListenerGone: an error of emit ends the reply, and the model is not asked again.
func TestListenerGone(t *testing.T) {
	gone := errors.New("gone")
	for name, answers := range map[string][]answer{
		"first piece": {answerWith("Good ", "evening")}, "deflection": {refuseWith()},
		"last piece": {answerWith("Otto")}, "second piece": {answerWith("Good evening. ", "The reason?")},
	} {
		t.Run(name, func(t *testing.T) {
			asker, calls := scriptAnswers(answers...), 0
			_, err := modelOf(asker).Reply(t.Context(), inputOf(t), passed, func(string) error {
				calls++
				if name == "second piece" && calls == 1 {
					return nil
				}
				return gone
			})
			assert.True(t, errors.Is(err, gone) && len(asker.seen) == 1 && calls <= 2,
				"%v, asked %d times, %d pieces", err, len(asker.seen), calls)
		})
	}
}

// TestListenerErrorHiddenByAsker: the listener's error counts, even if the asker hides it.
func TestListenerErrorHiddenByAsker(t *testing.T) {
	gone, s := errors.New("gone"), &scriptedAsker{name: "openai/gpt-x"}
	s.play = func(_ context.Context, _ provider.Request, emit func(string) error) (provider.Answer, error) {
		if emit("Good evening") != nil {
			return provider.Answer{}, failWith(provider.Down).err
		}
		return provider.Answer{}, nil
	}
	_, err := modelOf(s).Reply(t.Context(), inputOf(t), passed, func(string) error { return gone })
	assert.ErrorIs(t, err, gone)
}

const (
	// identity is a run of the identity prompt of 19 words.
	identity = "You are Ottoline Frost, night clerk of the Hotel Meridian since before the lift was put in by the two brothers."
	greeting = "Good evening and welcome to the Hotel Meridian where every night has thirteen hours and a half"
)

// TestLeak: a reply that quotes the identity prompt is cut off after a few words.
func TestLeak(t *testing.T) {
	for name, text := range map[string]string{
		"as it stands": identity, "another case": strings.ToUpper(identity), "other signs": strings.ReplaceAll(identity, " ", " * "),
		"behind words": "Very well, here it is. " + identity + " That is all.",
	} {
		t.Run(name, func(t *testing.T) {
			asker := scriptAnswers(answerWith(strings.SplitAfter(text, " ")...))
			got, err := listenToReply(t, asker, inputOf(t), llm.StepResult{Decision: personas.DecideRedirect})
			assert.NoError(t, err)
			assert.True(t, strings.HasSuffix(got.Text, "…\n\nOlder than the street."), "%q, %v", got.Text, err)
			assert.NotContains(t, strings.ToLower(got.Text), "clerk")
			why := "openai/gpt-x began to quote its instructions and was cut off; deflected: offline"
			assert.True(t, strings.HasPrefix(got.Why, why), "because %q", got.Why)
			assert.Equal(t, got.Usage, (llm.Usage{Model: "openai/gpt-x", In: 10, Out: 1}))
		})
	}
}

// TestHidden: each author's text that would help a player to cheat is guarded.
func TestHidden(t *testing.T) {
	secret := "the lift stops at the thirteenth floor if somebody says the word pineapple to the porter"
	for name, put := range map[string]func(*llm.Input, *llm.StepResult){
		"objective": func(s *llm.Input, _ *llm.StepResult) { s.Machine.Objective = secret },
		"chat":      func(s *llm.Input, _ *llm.StepResult) { s.Machine.ChatPrompt = secret },
		"state":     func(s *llm.Input, _ *llm.StepResult) { s.State.PromptInstruction = secret },
		"entered":   func(_ *llm.Input, b *llm.StepResult) { b.Entered = &personas.State{PromptInstruction: secret} },
	} {
		t.Run(name, func(t *testing.T) {
			input, result := inputOf(t), passed
			put(&input, &result)
			got, err := listenToReply(t, scriptAnswers(answerWith(secret)), input, result)
			assert.True(t, err == nil && !strings.Contains(got.Text, "pineapple"), "%q, %v", got.Text, err)
		})
	}
}

func TestFailsBehindALeak(t *testing.T) {
	broken := failWith(provider.Down)
	broken.pieces = []string{identity, " And the pug is called Admiral."}
	got := assert.Value(listenToReply(t, scriptAnswers(broken), inputOf(t), passed))(t)
	assert.Equal(t, got.Text, "You are Ottoline Frost, night…\n\nLovely.")
	gone := errors.New("gone")
	_, err := modelOf(scriptAnswers(answerWith(identity))).Reply(t.Context(), inputOf(t), passed, func(delta string) error {
		if strings.Contains(delta, "Lovely") {
			return gone
		}
		return nil
	})
	assert.ErrorIs(t, err, gone)
}

// TestNoLeak: quotations and eleven equal words are shown.
func TestNoLeak(t *testing.T) {
	for name, text := range map[string]string{
		"a line of the author's": greeting + ".",
		"eleven words":           "You are Ottoline Frost, night clerk of the Hotel Meridian, yes!",
		"eleven words and on":    "You are Ottoline Frost, night clerk of the Hotel Meridian, or not since before the lift.",
		"twice seven":            "night clerk of the Hotel Meridian since, I say, since before the lift was put in",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := listenToReply(t, scriptAnswers(answerWith(text)), inputOf(t), passed)
			assert.True(t, err == nil && got.Text == text, "%q, %v", got.Text, err)
		})
	}
}

// TestLeakLimitIsTwelveWords: eleven words of the instructions are shown, twelve are not.
func TestLeakLimitIsTwelveWords(t *testing.T) {
	words := strings.Fields(identity)
	eleven, twelve := strings.Join(words[:11], " "), strings.Join(words[:12], " ")
	got, _ := listenToReply(t, scriptAnswers(answerWith(eleven)), inputOf(t), passed)
	assert.Equal(t, got.Text, eleven, "eleven")
	got, _ = listenToReply(t, scriptAnswers(answerWith(twelve)), inputOf(t), passed)
	assert.Equal(t, got.Text, "You are Ottoline Frost, night…\n\nLovely.", "twelve")
}

// TestLeakWithoutBlanks: scripts that put no blanks between words are guarded too.
func TestLeakWithoutBlanks(t *testing.T) {
	input := inputOf(t)
	persona := *input.Persona
	persona.IdentityPrompt = "你是子午线酒店的夜班职员。门童是一条名叫上将的巴吉度猎犬。你从不说十三。"
	input.Persona = &persona
	got, err := listenToReply(t, scriptAnswers(answerWith("好的。", persona.IdentityPrompt)), input, passed)
	assert.NoError(t, err)
	assert.NotContains(t, got.Text, "门童")
	assert.True(t, strings.HasSuffix(got.Text, "Lovely."), "%q, %v", got.Text, err)
	if got, _ := listenToReply(t, scriptAnswers(answerWith("晚上好，子午线酒店欢迎你。")), input, passed); got.Text != "晚上好，子午线酒店欢迎你。" {
		t.Errorf("%q", got.Text)
	}
}

// TestPiecesDoNotMatter: the player gets the same text for any pieces of the answer.
func TestPiecesDoNotMatter(t *testing.T) {
	input := inputOf(t)
	parts := []string{"Ottoline", " Frost", ":", "**", " ", "\n", "«player_name»", "«", "»", "Good evening", identity,
		"You are Ottoline Frost, night clerk of the", "é", "夜", "."}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 12).Draw(rt, "text"), "")
		var pieces []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "piece")
			for n < len(rest) && !utf8.RuneStart(rest[n]) {
				n++
			}
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		whole, err1 := listenToReply(t, scriptAnswers(answerWith(text), answerWith("x")), input, passed)
		cut, err2 := listenToReply(t, scriptAnswers(answerWith(pieces...), answerWith("x")), input, passed)
		assert.NoError(rt, err1)
		assert.NoError(rt, err2)
		assert.Equal(rt, whole.Text, cut.Text)
		assert.Equal(rt, whole.Why, cut.Why)
		assert.Equal(rt, strings.TrimSpace(whole.Text), whole.Text)
	})
}

func TestOpenInPieces(t *testing.T) {
	for name, c := range map[string]struct {
		answers []answer
		want    string
	}{
		"pieces":                {[]answer{answerWith(" Ottoline: Good ", "evening, «player", "_name». ")}, "Good evening, Mira."},
		"empty, then a text":    {[]answer{answerWith(" ", "\n"), answerWith("Good evening.")}, "Good evening."},
		"refused in the middle": {[]answer{refuseWith("Good evening. I ", "can")}, "Good evening. I can…\n\nThe bell rings."},
		"leaks":                 {[]answer{answerWith(strings.SplitAfter("Well. "+identity, " ")...)}, "Well. You are Ottoline Frost, night…\n\nThe bell rings."},
	} {
		t.Run(name, func(t *testing.T) {
			var shown strings.Builder
			got := assert.Value(modelOf(scriptAnswers(c.answers...)).Open(t.Context(), inputOf(t), func(piece string) error {
				shown.WriteString(piece)
				return nil
			}))(t)
			assert.Equal(t, got.Text, c.want)
			assert.Equal(t, shown.String(), c.want)
		})
	}
	gone := errors.New("gone")
	_, err := modelOf(scriptAnswers(answerWith("Good evening, ", "Mira."))).Open(t.Context(), inputOf(t), func(string) error { return gone })
	assert.ErrorIs(t, err, gone)
}

func TestSummarize(t *testing.T) {
	input := inputOf(t)
	asker := scriptAnswers(answerWith(" \n"), answerWith("Mira ", "came.\x1b[0m"))
	got := assert.Value(modelOf(asker).Summarize(t.Context(), input, input.Recent))(t)
	assert.Equal(t, got.Text, "Mira came. [0m")
	assert.Equal(t, got.Usage.In, 20)
	assert.Contains(t, asker.seen[1].System, "was empty", "the second time, the instructions do not say that the first answer was empty")
	got = assert.Value(modelOf(scriptAnswers(answerWith(strings.Repeat("ö", 5000)))).Summarize(t.Context(), input, input.Recent))(t)
	assert.Equal(t, utf8.RuneCountInString(got.Text), 1200)
}

// TestSummaryFails: a summary that is empty twice or refused is an error.
func TestSummaryFails(t *testing.T) {
	input := inputOf(t)
	for _, answers := range [][]answer{{answerWith(""), answerWith(" ")}, {refuseWith("Mira ca")}, {answerWith(""), refuseWith()}} {
		asker := scriptAnswers(answers...)
		got, err := modelOf(asker).Summarize(t.Context(), input, input.Recent)
		checkKind(t, err, provider.Unusable)
		assert.Equal(t, got.Text, "")
		assert.Equal(t, got.Usage.In, 10*len(asker.seen))
		assert.Equal(t, len(asker.seen), len(answers))
	}
}

func TestExtract(t *testing.T) {
	input := inputOf(t)
	for _, c := range []struct {
		name    string
		answers []answer
		want    map[string]string
	}{
		{"both", []answer{answerWith(`{"purpose":"a wedding","tale":"the sea"}`)}, map[string]string{"purpose": "a wedding", "tale": "the sea"}},
		{"null is absent", []answer{answerWith(`{"purpose":"a wedding","tale":null}`)}, map[string]string{"purpose": "a wedding"}},
		{"words, then JSON", []answer{answerWith("A wedding."), answerWith(`{"purpose":"a wedding"}`)}, map[string]string{"purpose": "a wedding"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			asker := scriptAnswers(c.answers...)
			got, err := modelOf(asker).Extract(t.Context(), input, input.Recent)
			assert.NoError(t, err)
			assert.True(t, maps.Equal(got.Values, c.want), "%+v, %v, after %d questions", got, err, len(asker.seen))
			assert.Equal(t, got.Usage.In, 10*len(c.answers))
			assert.Equal(t, len(asker.seen), len(c.answers))
		})
	}
}

// TestExtractFallsBack: the fallback model reads missing values, and the trace says so.
func TestExtractFallsBack(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []answer
		want    map[string]string
	}{
		{"words twice", []answer{answerWith("A wedding."), answerWith("A wedding!")}, map[string]string{"purpose": "wedding"}},
		{"half of it good, twice", []answer{answerWith(`{"purpose":1,"tale":"a"}`), answerWith(`{"purpose":{},"tale":"b"}`)}, map[string]string{"purpose": "wedding", "tale": "b"}},
		{"refused", []answer{refuseWith()}, map[string]string{"purpose": "wedding"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			asker, input := scriptAnswers(c.answers...), inputOf(t)
			said := append(input.Recent, llm.Message{Role: "user", Text: "My reason for the stay is a wedding."})
			got, err := modelOf(asker).Extract(t.Context(), input, said)
			assert.NoError(t, err)
			assert.True(t, maps.Equal(got.Values, c.want), "%+v, %v", got, err)
			assert.Equal(t, got.Usage.In, 10*len(c.answers))
			assert.Contains(t, got.Why, "the built-in model read the other values")
		})
	}
}

// TestNothingToExtract: without variables or messages, the model is not asked.
func TestNothingToExtract(t *testing.T) {
	input := inputOf(t)
	asker := scriptAnswers()
	got, err := modelOf(asker).Extract(t.Context(), input, nil)
	assert.NoError(t, err)
	assert.Empty(t, got.Values)
	assert.Empty(t, asker.seen)
	input.Machine.OutputVariables = nil
	got, err = modelOf(asker).Extract(t.Context(), input, input.Recent)
	assert.NoError(t, err)
	assert.Empty(t, got.Values)
	assert.Empty(t, asker.seen)
}

// localAsker is a scriptedAsker at a given address that judges by letter.
type localAsker struct {
	scriptedAsker
	address string
}

func (a *localAsker) Place() string { return a.address + " " + a.name }

func newLocalAsker(address string) *localAsker {
	a := &localAsker{scriptedAsker{name: "openai/gpt-x", letters: true}, address}
	a.play = func(_ context.Context, r provider.Request, _ func(string) error) (provider.Answer, error) {
		return provider.Answer{Text: "N", First: []provider.TokenProbability{{Token: "N", Probability: 1}}}, nil
	}
	return a
}

// TestPrepare: a model on this machine gets the instructions of the reply and of the judgement
// before the message, and both requests for the message begin with the same bytes.
func TestPrepare(t *testing.T) {
	a := newLocalAsker("http://127.0.0.1:8080/v1")
	m := hosted.New(hosted.Options{Evaluation: a, Response: a, Prepares: true})
	input := inputOf(t)
	early := input
	early.Message = ""
	m.Prepare(t.Context(), early)
	assert.Must(t, len(a.seen) == 2, "Prepare sent %d requests, want 2", len(a.seen))
	for i, r := range a.seen {
		assert.Equal(t, r.Step, "prepare", "request %d", i)
		assert.Equal(t, r.MaxTokens, 1, "request %d", i)
	}
	e := assert.Value(m.Evaluate(t.Context(), input))(t)
	assert.Value(m.Reply(t.Context(), input, llm.StepResult{Aside: e.Aside}, func(string) error { return nil }))(t)
	checkSharedStart(t, "reply", a.seen[0], a.seen[3])
	checkSharedStart(t, "judgement", a.seen[1], a.seen[2])
}

// checkSharedStart reports an error unless two requests differ only in the last message.
func checkSharedStart(t *testing.T, name string, early, late provider.Request) {
	t.Helper()
	assert.Equal(t, early.System, late.System, "%s: the instructions differ", name)
	last := len(late.Messages) - 1
	assert.True(t, len(early.Messages) == last+1 && reflect.DeepEqual(early.Messages[:last], late.Messages[:last]),
		"%s: the messages before the last one differ:\n%q\n%q", name, early.Messages, late.Messages)
	assert.True(t, early.Messages[last].Text != late.Messages[last].Text, "%s: Prepare already contained the message %q", name, late.Messages[last].Text)
}

// TestPrepareSendsNothing: models elsewhere, and models without the option, are not asked.
func TestPrepareSendsNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		address  string
		prepares bool
	}{
		"another machine": {"https://api.example.com/v1", true},
		"not enabled":     {"http://127.0.0.1:8080/v1", false},
	} {
		a := newLocalAsker(tt.address)
		hosted.New(hosted.Options{Evaluation: a, Response: a, Prepares: tt.prepares}).Prepare(t.Context(), inputOf(t))
		assert.Equal(t, len(a.seen), 0, "%s: Prepare sent", name)
	}
}

// TestPrepareIgnoresErrors: an error of the first request does not prevent the second one.
func TestPrepareIgnoresErrors(t *testing.T) {
	a := newLocalAsker("http://127.0.0.1:8080/v1")
	a.play = func(context.Context, provider.Request, func(string) error) (provider.Answer, error) {
		return provider.Answer{}, &provider.Error{Kind: provider.Down, Message: "down"}
	}
	hosted.New(hosted.Options{Evaluation: a, Response: a, Prepares: true}).Prepare(t.Context(), inputOf(t))
	assert.Equal(t, len(a.seen), 2, "Prepare sent")
}
