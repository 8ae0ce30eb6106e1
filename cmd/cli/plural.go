package cli

import "fmt"

// Pluralize says how many there are of a thing, with the plural.
func Pluralize(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
