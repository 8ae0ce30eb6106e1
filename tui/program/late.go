package program

import (
	"regexp"
	"sync"
)

// lateSequence matches the beginning of an escape sequence that arrived late: a key, or an answer
// of the terminal about colours, its version or graphics. It does not match Escape and a pasted
// text.
var lateSequence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\x1b" + `(\[[0-9;:<=>?]+[$ ]?[A-Za-z~]|\[[A-DFHZ]$|O[A-DFHPQRS]$|\][0-9]+;|P([>!]\||[01][$+]r)|_G)`)
})

// resumeLate decodes the beginning of a late sequence again if chunk is the rest of the sequence. A
// chunk of one byte is not a rest, because it was probably typed.
func (d *Decoder) resumeLate(chunk []byte) {
	late := d.late
	d.late = d.late[:0]
	if d.state == inText && len(chunk) > 1 && lateSequence().Match(append(late[:len(late):len(late)], chunk...)) {
		for _, b := range late {
			d.step(b)
		}
	}
}
