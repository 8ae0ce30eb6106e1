package diff

// Words is findWords with all the edits of one comparison.
func Words(before, after string) []Piece {
	edits := maxAllEdits
	return findWords(before, after, &edits)
}
