package personas

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Values reads a YAML or JSON text that accompanies a persona document, such as a play-through. It
// returns the value as compact JSON and the positions of everything in it. The text has the same
// restrictions as for Parse; a duplicate member is a fault here too.
func Values(name string, src []byte) (json.RawMessage, SourceMap, []Fault) {
	t, root, fault := readTree(name, src)
	if fault != nil {
		if fault.Message == emptyDocument {
			fault.Message = "the document is empty"
		}
		return nil, SourceMap{t, root}, t.listMistakes(fault, func(text string) (*sourceText, *Fault, []Fault) {
			return readRepaired(name, text, t)
		})
	}
	d := &decoder{t: t, strict: true}
	d.checkUniqueWithin(root, nil)
	return root.appendJSON(nil), SourceMap{t, root}, d.faults
}

// Replace returns the source text with the value at a path replaced; everything else, including
// comments and layout, is unchanged. written is YAML or JSON of one line. Replace fails if the path
// does not exist, and if the new text differs from the old document in more than that value. It is
// for values that SetScalar cannot change: lists, and scalars that become another kind.
func Replace(src []byte, path, written string) ([]byte, error) {
	t, root, fault := readTree("", src)
	if fault != nil {
		return nil, fmt.Errorf("replace %s: %w", path, fault)
	}
	_, value, fault := readTree("", []byte(written))
	f := SourceMap{t, root}.findPath(path)
	if fault != nil || !f.exact || path == "" {
		return nil, fmt.Errorf("replace %s: there is no such value in the document, or %s is none", path, quote(clip(written)))
	}
	mark := src[:len(src)-len(t.src)]
	changed := t.src[:f.n.at.start] + written + t.src[f.n.at.end:]
	_, again, fault := readTree("", []byte(changed))
	if fault != nil || !bytes.Equal(again.appendJSON(nil), root.replaceAt(path, value).appendJSON(nil)) {
		return nil, fmt.Errorf("replace %s: it cannot be replaced alone by %s; edit the text by hand", path, quote(clip(written)))
	}
	return append(bytes.Clone(mark), changed...), nil
}
