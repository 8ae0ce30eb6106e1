package keyboard

import (
	"regexp"
	"sync"
)

// lateSequence is a sequence whose first bytes were taken for keys, because the rest came
// late: a key with parameters, a key alone, an answer about colours, version or graphics.
// Words that somebody pastes right behind Escape do not look like this.
var lateSequence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\x1b" + `(\[[0-9;:<=>?]+[$ ]?[A-Za-z~]|\[[A-DFHZ]$|O[A-DFHPQRS]$|\][0-9]+;|P([>!]\||[01][$+]r)|_G)`)
})

// resumeLate continues a sequence whose beginning was handed on as a key. Nobody types what
// comes in one read.
func (d *Decoder) resumeLate(chunk []byte) {
	late := d.late
	d.late = d.late[:0]
	if d.state == inText && len(chunk) > 1 && lateSequence().Match(append(late[:len(late):len(late)], chunk...)) {
		for _, b := range late {
			d.step(b)
		}
	}
}
