package terminal

// CaretMark precedes the character under the caret in a frame. The renderer removes the mark and
// moves the hidden cursor to that character, because input methods show their candidates at the
// cursor. The mark is the sequence SGR 26, which terminals ignore.
const CaretMark = "\x1b[26m"
