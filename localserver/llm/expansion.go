package llm

import "fmt"

// ExpansionError means that an author's text is too long after its placeholders were replaced.
type ExpansionError struct {
	// Place is the member of the persona document that contains the text.
	Place string
	// Limit is the maximum length in characters.
	Limit int
}

func (e *ExpansionError) Error() string {
	return fmt.Sprintf("%s has more than %d characters after its placeholders are replaced; shorten the text or the values", e.Place, e.Limit)
}
