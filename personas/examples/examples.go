// Package examples contains the sample personas of the program. They serve for a first chat, and
// authors can copy them. Each can be played to all of its endings without a network. The package
// does not parse the samples. Package personas parses them. The portraits are this project's own work,
// under its licence.
package examples

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.yaml *.png
var files embed.FS

var names = []string{"starter", "gate", "merchant", "baker", "hotel", "cafe"}

// Names returns the names of the samples, the simplest first.
func Names() []string { return slices.Clone(names) }

// Read returns the text of a sample, a persona file in YAML. It returns an error for an unknown
// name.
func Read(name string) ([]byte, error) {
	src, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("unknown sample persona %q: use one of %s", name, strings.Join(names, ", "))
	}
	return src, nil
}

// ReadPortrait returns the picture of a sample's character as a PNG, or nil. The picture is a
// separate file, because people copy the sample's text without it.
func ReadPortrait(name string) []byte {
	picture, err := files.ReadFile(name + ".png")
	if err != nil {
		return nil
	}
	return picture
}
