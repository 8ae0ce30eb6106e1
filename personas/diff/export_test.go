package diff

// Words calls findWords with the whole budget of edits of one comparison.
func Words(before, after string) []Piece {
	edits := maxAllEdits
	return findWords(before, after, &edits)
}
