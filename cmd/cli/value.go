package cli

// ValueOr returns the text, or other if text is nil.
func ValueOr(text *string, other string) string {
	if text == nil {
		return other
	}
	return *text
}
