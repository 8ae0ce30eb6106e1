package program

import (
	"regexp"
	"sync"
)

// lateSequence matches a sequence with a late rest, after its first bytes were taken for keys: a
// key with parameters, a key alone, an answer about colours, version or graphics. Words that
// somebody pastes right after Escape do not match.
var lateSequence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\x1b" + `(\[[0-9;:<=>?]+[$ ]?[A-Za-z~]|\[[A-DFHZ]$|O[A-DFHPQRS]$|\][0-9]+;|P([>!]\||[01][$+]r)|_G)`)
})

// resumeLate continues a sequence after its beginning was sent as a key. The rest comes in one
// read, which typing never does.
func (d *Decoder) resumeLate(chunk []byte) {
	late := d.late
	d.late = d.late[:0]
	if d.state == inText && len(chunk) > 1 && lateSequence().Match(append(late[:len(late):len(late)], chunk...)) {
		for _, b := range late {
			d.step(b)
		}
	}
}
