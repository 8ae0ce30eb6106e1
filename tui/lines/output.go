package lines

import "fmt"

// output is where line mode speaks: the play on one stream, the talk about it on the
// other.
type output struct{ opts Options }

// talkToPerson says something to whoever sits there; scripts are left alone.
func (o *output) talkToPerson(format string, args ...any) {
	if o.opts.Interactive {
		o.writeTalk(format, args...)
	}
}

// writeTalk says something beside the play.
func (o *output) writeTalk(format string, args ...any) {
	fmt.Fprintf(o.opts.Err, format+"\n", args...)
}

// writePlay writes a line of the play.
func (o *output) writePlay(format string, args ...any) {
	fmt.Fprintf(o.opts.Out, format+"\n", args...)
}
