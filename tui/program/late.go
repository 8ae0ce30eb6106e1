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

// resumeLate is called if the beginning of a sequence was taken for keys. If chunk is the rest of
// that sequence, resumeLate decodes the beginning again. The rest must be a read of several bytes,
// because typing produces one byte per read.
func (d *Decoder) resumeLate(chunk []byte) {
	late := d.late
	d.late = d.late[:0]
	if d.state == inText && len(chunk) > 1 && lateSequence().Match(append(late[:len(late):len(late)], chunk...)) {
		for _, b := range late {
			d.step(b)
		}
	}
}
