package transcript

// EntryAt is the entry that a line of the window shows, -1 for none.
func (v *View) EntryAt(line int) int {
	start := v.windowStart()
	if v.Follow { // A conversation that is shorter than the window stands at its end.
		shown := 0
		for i := start.entry; i < len(v.Entries) && shown < v.height; i++ {
			shown += len(v.entryLines(i))
		}
		line -= max(v.height-shown+start.line, 0)
	}
	for i := start.entry; i < len(v.Entries) && line >= 0; i++ {
		n := len(v.entryLines(i))
		if i == start.entry {
			n -= start.line
		}
		if line < n {
			return i
		}
		line -= n
	}
	return -1
}

// ChooseEntry marks the message of an entry, or none for -1. It reports whether the entry can be
// chosen.
func (v *View) ChooseEntry(entry int) bool {
	before := v.Chosen
	v.Chosen = 0
	if entry >= 0 && entry < len(v.Entries) && v.Entries[entry].isTurn() && v.Streaming != entry+1 {
		v.Chosen = entry + 1
	}
	delete(v.lines, before-1)
	delete(v.lines, v.Chosen-1)
	return v.Chosen > 0
}
