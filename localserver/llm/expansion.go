package llm

import "fmt"

// ExpansionError reports a text of the author's that is too long with the values of its
// placeholders.
type ExpansionError struct {
	// Place is the member of the document that has the text.
	Place string
	// Limit is how many characters it may have.
	Limit int
}

func (e *ExpansionError) Error() string {
	return fmt.Sprintf("%s has more than %d characters with the values of its placeholders; shorten it or the values", e.Place, e.Limit)
}
