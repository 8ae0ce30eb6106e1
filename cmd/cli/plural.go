package cli

import "fmt"

// Pluralize returns a number and a thing, with an s behind the thing unless n is 1.
func Pluralize(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
