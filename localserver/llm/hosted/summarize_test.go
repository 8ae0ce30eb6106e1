package hosted_test

import (
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

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

// TestSummaryFails: a summary that is empty twice or refused is an error, so that
// the old one stays.
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
			if err != nil || !maps.Equal(got.Values, c.want) || got.Usage.In != 10*len(c.answers) || len(asker.seen) != len(c.answers) {
				t.Errorf("%+v, %v, after %d questions", got, err, len(asker.seen))
			}
		})
	}
}

// TestExtractFallsBack: the fallback model reads the values that are missing because of a fault of
// the model, and the trace reports that.
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
			if err != nil || !maps.Equal(got.Values, c.want) || got.Usage.In != 10*len(c.answers) || !strings.Contains(got.Why, "the built-in model read the other values") {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// TestNothingToExtract: without variables or messages, the model is not asked.
func TestNothingToExtract(t *testing.T) {
	input := inputOf(t)
	asker := scriptAnswers()
	got, err := modelOf(asker).Extract(t.Context(), input, nil)
	assert.True(t, err == nil && len(got.Values) == 0 && len(asker.seen) == 0, "%+v, %v", got, err)
	input.Machine.OutputVariables = nil
	got, err = modelOf(asker).Extract(t.Context(), input, input.Recent)
	assert.True(t, err == nil && len(got.Values) == 0 && len(asker.seen) == 0, "%+v, %v", got, err)
}
