package program

import (
	"regexp"
	"sync"
)

// lateSequence matches an escape sequence that arrived late: a key, or an answer about colours,
// version or graphics. It does not match a text that is pasted right after Escape.
var lateSequence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\x1b" + `(\[[0-9;:<=>?]+[$ ]?[A-Za-z~]|\[[A-DFHZ]$|O[A-DFHPQRS]$|\][0-9]+;|P([>!]\||[01][$+]r)|_G)`)
})

// resumeLate decodes the beginning of a late sequence again if chunk is the rest. A rest is a read
// of several bytes, because typing produces one byte per read.
func (d *Decoder) resumeLate(chunk []byte) {
	late := d.late
	d.late = d.late[:0]
	if d.state == inText && len(chunk) > 1 && lateSequence().Match(append(late[:len(late):len(late)], chunk...)) {
		for _, b := range late {
			d.step(b)
		}
	}
}
