package terminal

// CaretMark marks the character under the caret in a frame. The renderer removes the mark and moves
// the hidden cursor there, because input methods show their candidates at the cursor. The mark is
// SGR 26, which takes no cell and is ignored by terminals.
const CaretMark = "\x1b[26m"
