package admission

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/apierror"
)

// checkQuery refuses an ambiguous query: parts that package url drops, and invalid text.
func checkQuery(raw string) error {
	values, err := url.ParseQuery(raw)
	switch {
	case err != nil && strings.Contains(raw, ";"):
		return apierror.BadRequest("the query has a semicolon: parameters are joined by &, and a semicolon in a value is written %3B")
	case err != nil:
		return apierror.BadRequest("the query cannot be read: a % must be followed by two hexadecimal digits")
	}
	for name, texts := range values {
		if !utf8.ValidString(name + strings.Join(texts, "")) {
			return apierror.BadRequest("the query is not UTF-8")
		}
	}
	return nil
}
