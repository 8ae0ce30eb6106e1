package intent

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLanguages checks the files that translators edit: each language has every intent,
// with lines that are not empty and are there once.
func TestLanguages(t *testing.T) {
	t.Parallel()
	files, err := languageFiles.ReadDir("languages")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(languageCodes) {
		t.Errorf("%d files, %d languages", len(files), len(languageCodes))
	}
	known := append(intentNames(), smallTalk)
	for _, code := range languageCodes {
		texts, err := readLanguage(code)
		if err != nil {
			t.Errorf("%s: %v", code, err)
		}
		if len(texts.Help) == 0 {
			t.Errorf("%s: no pattern for help", code)
		}
		for _, pattern := range texts.Help {
			if _, err := regexp.Compile(pattern); err != nil {
				t.Errorf("%s: %v", code, err)
			}
		}
		for intent := range texts.Intents {
			if !slices.Contains(known, intent) {
				t.Errorf("%s: unknown intent %q", code, intent)
			}
		}
		for _, intent := range known {
			lines := texts.Intents[intent]
			if len(lines) == 0 {
				t.Errorf("%s: no line for %q", code, intent)
			}
			for i, line := range lines {
				if strings.TrimSpace(line) != line || line == "" || slices.Contains(lines[:i], line) {
					t.Errorf("%s: %q: bad or repeated line %q", code, intent, line)
				}
			}
		}
	}
}
