// Package examples holds the sample personas that come with the program: what a
// first chat talks to and what an author copies to begin. Each can be played
// without a network to every one of its endings. It never parses what it holds
// (personas does) and never changes it.
package examples

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.yaml *.png
var files embed.FS

// names is the order in which samples are offered: the simplest first.
var names = []string{"starter", "gate", "merchant", "baker", "hotel", "cafe"}

// Names lists the samples, the simplest first.
func Names() []string { return append([]string(nil), names...) }

// Read returns the text of a sample, a persona file in YAML. A name that Names
// does not list is an error.
func Read(name string) ([]byte, error) {
	src, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no sample persona %q: take one of %s", name, strings.Join(names, ", "))
	}
	return src, nil
}

// ReadPortrait returns the picture of a sample's character, a PNG; nil where it has none. It
// stands apart from the sample's text, which people copy without it.
func ReadPortrait(name string) []byte {
	picture, err := files.ReadFile(name + ".png")
	if err != nil {
		return nil
	}
	return picture
}
