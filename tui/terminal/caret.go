package terminal

// CaretMark is put into a frame before the character under the caret: the renderer takes it
// out and puts the terminal's cursor there, hidden as it is, since input methods show their
// words beside it. It is a look (SGR 26) that no terminal has, so that it has no width and
// does no harm where it is left.
const CaretMark = "\x1b[26m"
