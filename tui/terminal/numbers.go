package terminal

import "strconv"

// GroupThousands returns a number with commas between groups of three digits.
func GroupThousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
