package hosted_test

import (
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm/provider"
)

func TestSummarize(t *testing.T) {
	scene := sceneOf(t)
	asker := sequence(says(" \n"), says("Mira ", "came.\x1b[0m"))
	got, err := played(asker).Summarize(t.Context(), scene, scene.Recent)
	if err != nil || got.Text != "Mira came. [0m" || got.Usage.In != 20 {
		t.Errorf("%+v, %v", got, err)
	}
	if !strings.Contains(asker.seen[1].System, "was empty") {
		t.Error("the second time, the instructions do not say that the first answer was empty")
	}
	got, err = played(sequence(says(strings.Repeat("ö", 5000)))).Summarize(t.Context(), scene, scene.Recent)
	if err != nil || utf8.RuneCountInString(got.Text) != 1200 {
		t.Errorf("%d characters, %v", utf8.RuneCountInString(got.Text), err)
	}
}

// TestSummaryFails: a summary that is empty twice or refused is an error, so that
// the old one stays.
func TestSummaryFails(t *testing.T) {
	scene := sceneOf(t)
	for _, answers := range [][]answer{{says(""), says(" ")}, {refuses("Mira ca")}, {says(""), refuses()}} {
		asker := sequence(answers...)
		got, err := played(asker).Summarize(t.Context(), scene, scene.Recent)
		checkKind(t, err, provider.Down)
		if got.Text != "" || got.Usage.In != 10*len(asker.seen) || len(asker.seen) != len(answers) {
			t.Errorf("%+v after %d questions", got, len(asker.seen))
		}
	}
}

func TestExtract(t *testing.T) {
	scene := sceneOf(t)
	for _, c := range []struct {
		name    string
		answers []answer
		want    map[string]string
	}{
		{"both", []answer{says(`{"purpose":"a wedding","tale":"the sea"}`)}, map[string]string{"purpose": "a wedding", "tale": "the sea"}},
		{"null is absent", []answer{says(`{"purpose":"a wedding","tale":null}`)}, map[string]string{"purpose": "a wedding"}},
		{"words, then JSON", []answer{says("A wedding."), says(`{"purpose":"a wedding"}`)}, map[string]string{"purpose": "a wedding"}},
		{"words twice", []answer{says("A wedding."), says("A wedding!")}, nil},
		{"half of it good, twice", []answer{says(`{"purpose":1,"tale":"a"}`), says(`{"purpose":{},"tale":"b"}`)}, map[string]string{"tale": "b"}},
		{"refused", []answer{refuses()}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			asker := sequence(c.answers...)
			got, err := played(asker).Extract(t.Context(), scene, scene.Recent)
			if err != nil || !maps.Equal(got.Values, c.want) || got.Usage.In != 10*len(c.answers) || len(asker.seen) != len(c.answers) {
				t.Errorf("%+v, %v, after %d questions", got, err, len(asker.seen))
			}
		})
	}
}

// TestNothingToExtract: a model is not asked for what there is none of.
func TestNothingToExtract(t *testing.T) {
	scene := sceneOf(t)
	asker := sequence()
	if got, err := played(asker).Extract(t.Context(), scene, nil); err != nil || len(got.Values) != 0 || len(asker.seen) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	scene.Machine.OutputVariables = nil
	if got, err := played(asker).Extract(t.Context(), scene, scene.Recent); err != nil || len(got.Values) != 0 || len(asker.seen) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
