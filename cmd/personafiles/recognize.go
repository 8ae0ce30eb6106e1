package personafiles

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// MayBePersona tells whether a file in a folder is looked into: YAML or JSON
// that is not hidden and no play-through.
func MayBePersona(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) && name[0] != '.' && !IsPlayFile(name)
}

// MentionsPersona is a quick look that spares files which are surely no persona
// the long one.
func MentionsPersona(source []byte) bool {
	return bytes.Contains(source, []byte(PromptMember)) || bytes.Contains(source, []byte(machinesKey))
}

const (
	PromptMember = "persona_identity_prompt"
	machinesKey  = "machine_key"
)

func IsPlayFile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasSuffix(name, ".play.yaml") || strings.HasSuffix(name, ".play.yml") || strings.HasSuffix(name, ".play.json")
}

// IsPersona tells whether a file that was found in a folder is one: its outermost
// members say so or, where it cannot be read, its words.
func (f *File) IsPersona() bool {
	if !f.Places.Has("") {
		return !bytes.Contains(f.Source, []byte(`"$schema"`)) || f.Places.Has(PromptMember)
	}
	return f.Places.Has(PromptMember) || f.Places.Has("machines[0]."+machinesKey) || f.Places.Has("machines") && bytes.Contains(f.Source, []byte(machinesKey))
}
