package cmd_test

import (
	"os"
	"regexp"
	"testing"
)

// TestHouseTable: docs/house.md has a row for each package of the law, and none for
// a package that the law does not know.
func TestHouseTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/house.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		told[m[1]] = true
		if _, known := rows(law)[m[1]]; !known {
			t.Errorf("docs/house.md has a row for %s, and the law has none", m[1])
		}
	}
	for room := range rows(law) {
		if !told[room] {
			t.Errorf("docs/house.md has no row for %s", room)
		}
	}
}
