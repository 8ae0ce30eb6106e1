package personafiles

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// MayBePersona tells by its name whether a file in a folder is read: YAML or JSON that is
// neither hidden nor a play file.
func MayBePersona(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) && name[0] != '.' && !IsPlayFile(name)
}

// MentionsPersona tells whether a text may be a persona. It is quick; IsPersona says for
// sure, once the file is parsed.
func MentionsPersona(source []byte) bool {
	return bytes.Contains(source, []byte(PromptMember)) || bytes.Contains(source, []byte(machinesKey))
}

// PromptMember and machinesKey are the members by which a persona is recognized.
const (
	PromptMember = "persona_identity_prompt"
	machinesKey  = "machine_key"
)

// IsPlayFile tells by its name whether a file has play-throughs.
func IsPlayFile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasSuffix(name, ".play.yaml") || strings.HasSuffix(name, ".play.yml") || strings.HasSuffix(name, ".play.json")
}

// IsPersona tells whether a file that was found in a folder is a persona, by its outermost
// members or, where it cannot be parsed, by the words in it.
func (f *File) IsPersona() bool {
	if !f.Places.Has("") {
		return !bytes.Contains(f.Source, []byte(`"$schema"`)) || f.Places.Has(PromptMember)
	}
	return f.Places.Has(PromptMember) || f.Places.Has("machines[0]."+machinesKey) || f.Places.Has("machines") && bytes.Contains(f.Source, []byte(machinesKey))
}
