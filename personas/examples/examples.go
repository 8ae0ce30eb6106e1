// Package examples embeds the sample personas and their portraits. Each sample can be played to all
// endings without a network. The portraits are the project's own work, under its licence.
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

// Names returns the names of the samples, simplest first.
func Names() []string { return slices.Clone(names) }

// Read returns the YAML text of a sample. An unknown name is an error.
func Read(name string) ([]byte, error) {
	src, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("unknown sample persona %q: use one of %s", name, strings.Join(names, ", "))
	}
	return src, nil
}

// ReadPortrait returns the portrait of a sample as PNG, or nil. People copy the text of a sample
// without the portrait.
func ReadPortrait(name string) []byte {
	picture, err := files.ReadFile(name + ".png")
	if err != nil {
		return nil
	}
	return picture
}
