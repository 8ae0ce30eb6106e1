package program

import (
	"regexp"
	"sync"
)

// lateSequence matches the rest of an escape sequence after its first bytes were already taken for
// keys. The sequence is a key with or without parameters, or an answer about colours, version or
// graphics. A text that is pasted right after Escape does not match.
var lateSequence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\x1b" + `(\[[0-9;:<=>?]+[$ ]?[A-Za-z~]|\[[A-DFHZ]$|O[A-DFHPQRS]$|\][0-9]+;|P([>!]\||[01][$+]r)|_G)`)
})

// resumeLate decodes the beginning of a sequence again, which was taken for keys, if chunk is its
// rest. The rest must be one read of several bytes, which typing never produces.
func (d *Decoder) resumeLate(chunk []byte) {
	late := d.late
	d.late = d.late[:0]
	if d.state == inText && len(chunk) > 1 && lateSequence().Match(append(late[:len(late):len(late)], chunk...)) {
		for _, b := range late {
			d.step(b)
		}
	}
}
