package cmd

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// mayBePersona tells whether a file in a folder is looked into: YAML or JSON
// that is not hidden and no play-through.
func mayBePersona(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) && name[0] != '.' && !isPlayFile(name)
}

// mentionsPersona is a quick look that spares files which are surely no persona
// the long one.
func mentionsPersona(source []byte) bool {
	return bytes.Contains(source, []byte(promptMember)) || bytes.Contains(source, []byte(machinesKey))
}

const (
	promptMember = "persona_identity_prompt"
	machinesKey  = "machine_key"
)

func isPlayFile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasSuffix(name, ".play.yaml") || strings.HasSuffix(name, ".play.yml") || strings.HasSuffix(name, ".play.json")
}

// isPersona tells whether a file that was found in a folder is one: its outermost
// members say so or, where it cannot be read, its words.
func (f *File) isPersona() bool {
	if !f.places.Has("") {
		return !bytes.Contains(f.source, []byte(`"$schema"`)) || f.places.Has(promptMember)
	}
	return f.places.Has(promptMember) || f.places.Has("machines[0]."+machinesKey) || f.places.Has("machines") && bytes.Contains(f.source, []byte(machinesKey))
}
