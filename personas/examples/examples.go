// Package examples holds the sample personas that come with the program: what a
// first chat talks to and what an author copies to begin. Each can be played
// without a network to every one of its endings. It never parses what it holds
// (personas does).
package examples

import (
	"bytes"
	"embed"
	"encoding/base64"
	"fmt"
	"strings"
)

//go:embed *.yaml *.png
var files embed.FS

// names is the order in which samples are offered: the simplest first.
var names = []string{"starter", "gate", "merchant", "baker", "hotel", "cafe"}

// Names lists the samples, the simplest first.
func Names() []string { return append([]string(nil), names...) }

// Read gives the text of a sample, a persona file in YAML with the portrait that lies
// beside it here in its place. A name that Names does not list is an error.
func Read(name string) ([]byte, error) {
	source, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no sample persona %q: take one of %s", name, strings.Join(names, ", "))
	}
	picture, err := files.ReadFile(name + ".png")
	if err != nil {
		return source, nil //nolint:nilerr // not every sample has one
	}
	there := "data:image/png;base64," + base64.StdEncoding.EncodeToString(picture)
	return bytes.Replace(source, []byte("\nportrait: "+name+".png\n"), []byte("\nportrait: "+there+"\n"), 1), nil
}
