package terminal

import (
	"strconv"
	"strings"
)

// GroupThousands returns a number with commas between groups of three digits.
func GroupThousands(n int) string {
	text := strconv.Itoa(n)
	var groups []string
	for len(text) > 3 {
		groups = append([]string{text[len(text)-3:]}, groups...)
		text = text[:len(text)-3]
	}
	return strings.Join(append([]string{text}, groups...), ",")
}
