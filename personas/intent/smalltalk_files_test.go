package intent

import (
	"regexp"
	"slices"
	"testing"
)

// TestTalkFiles reads the file of each language: kinds that exist, patterns that compile.
func TestTalkFiles(t *testing.T) {
	t.Parallel()
	english, err := readTalkTexts("en")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []Talk
	for _, r := range english.SmallTalk {
		kinds = append(kinds, r.Kind)
	}
	for _, code := range talkLanguages {
		texts, err := readTalkTexts(code)
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		if code != "en" && (len(texts.Hostility) == 0 || len(texts.NotHostile) == 0) {
			t.Errorf("%s has no hostility", code)
		}
		for _, r := range slices.Concat(texts.SmallTalk, texts.Hostility) {
			if !slices.Contains(kinds, r.Kind) && r.Kind != Insulting && r.Kind != Threatening {
				t.Errorf("%s: no kind %q in English", code, r.Kind)
			}
			if len(r.Patterns) == 0 {
				t.Errorf("%s: %s has no pattern", code, r.Kind)
			}
			for _, p := range r.Patterns {
				if _, err := regexp.Compile(p); err != nil {
					t.Errorf("%s: %s: %v", code, r.Kind, err)
				}
			}
		}
	}
}
