package tui

import "fmt"

// output is where line mode speaks: the play on one stream, the talk about it on the
// other.
type output struct{ opts Options }

// talk says something to whoever sits there; scripts are left alone.
func (o *output) talk(format string, args ...any) {
	if o.opts.Interactive {
		o.tell(format, args...)
	}
}

// tell says something beside the play.
func (o *output) tell(format string, args ...any) {
	fmt.Fprintf(o.opts.Err, format+"\n", args...)
}

// put writes a line of the play.
func (o *output) put(format string, args ...any) {
	fmt.Fprintf(o.opts.Out, format+"\n", args...)
}
