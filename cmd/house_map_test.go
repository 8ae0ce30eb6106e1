package cmd

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHouseMap: docs/house.md says of each file of this package in which row it
// stands, and has no row for files that are not there.
func TestHouseMap(t *testing.T) {
	names := productFiles(t)
	rows := mapOfCommands(t)
	for _, name := range names {
		if !slices.ContainsFunc(rows, func(row string) bool { return onRow(row, name) }) {
			t.Errorf("cmd/%s.go stands in no row of docs/house.md, \"Finding one's way in cmd\"", name)
		}
	}
	for _, row := range rows {
		if !slices.ContainsFunc(names, func(name string) bool { return onRow(row, name) }) {
			t.Errorf("docs/house.md names `%s`, and no file of cmd is called so", row)
		}
	}
}

// onRow tells whether a row's word, such as auth*, means a file.
func onRow(word, name string) bool {
	ok, err := path.Match(word, name)
	return ok && err == nil
}

func productFiles(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".go"); ok && !strings.HasSuffix(name, "_test") {
			names = append(names, name)
		}
	}
	return names
}

// mapOfCommands are the words in the right column of the table.
func mapOfCommands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../docs/house.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## Finding one's way in cmd\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	var words []string
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[len(cells)-2], -1) {
			words = append(words, m[1])
		}
	}
	if len(words) == 0 {
		t.Fatal("docs/house.md has no such table")
	}
	return words
}
