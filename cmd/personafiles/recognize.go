package personafiles

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/plaintext"
)

// MayBePersona reports whether a file's name ends in .yaml, .yml or .json, and is neither hidden
// nor of a play file.
func MayBePersona(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return hasEnding(name) && name[0] != '.' && !IsPlayFile(name)
}

// MentionsPersona quickly reports whether a text may be a persona. IsPersona decides.
func MentionsPersona(source []byte) bool {
	return bytes.Contains(source, []byte(PromptMember)) || bytes.Contains(source, []byte(machinesKey))
}

// PromptMember, machinesMember and machinesKey are the members that identify a persona.
const (
	PromptMember   = "persona_identity_prompt"
	machinesMember = "machines"
	machinesKey    = "machine_key"
)

// IsPlayFile reports whether a file's name is that of a play file.
func IsPlayFile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasSuffix(name, ".play.yaml") || strings.HasSuffix(name, ".play.yml") || strings.HasSuffix(name, ".play.json")
}

// IsPersona reports whether a file of a directory is a persona, by its outermost members. It
// searches the text if the file cannot be parsed.
func (f *File) IsPersona() bool {
	if !f.Places.Has("") {
		return looksLikePersona(f.Source)
	}
	return f.Places.Has(PromptMember) || f.Places.Has("machines[0]."+machinesKey) || f.Places.Has(machinesMember) && bytes.Contains(f.Source, []byte(machinesKey))
}

// memberPatterns find a member in a text that cannot be parsed: at the start of a line, or in
// quotes.
var memberPatterns = map[string]*regexp.Regexp{
	PromptMember:   newMemberPattern(PromptMember),
	machinesMember: newMemberPattern(machinesMember),
	machinesKey:    newMemberPattern(machinesKey),
}

func newMemberPattern(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:\x{feff}|[\s{\-,])*["']?` + name + `\b|[{,]\s*["']` + name + `["']\s*:`)
}

// templatePattern matches template files (Helm, Jinja), with a directive at the start of a line, or
// {{ before anything else. It does not match {{name}} in a later line, which may be a variable in a
// text.
var templatePattern = plaintext.Pattern(`(?m)^[ \t]*(?:\{%|\{#|\{\{-|\{\{\s*(?:[.$]|/\*|(?:if|else|range|with|define|include|template|block)\s))|\A(?:\x{feff}|\s|#.*\n|---.*\n)*\{\{`)

func looksLikePersona(source []byte) bool {
	has := func(name string) bool { return memberPatterns[name].Match(source) }
	return (has(PromptMember) || has(machinesMember) && has(machinesKey)) && !templatePattern().Match(source) && !isOtherKind(source)
}

func isOtherKind(source []byte) bool {
	beginsLine := func(member string) bool {
		return bytes.HasPrefix(source, []byte(member)) || bytes.Contains(source, []byte("\n"+member))
	}
	return beginsLine("apiVersion:") && beginsLine("kind:") || bytes.Contains(source, []byte(`"$schema"`))
}

func hasEnding(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(path)))
}

// CheckReference returns an error for a path in a play file if its target is not YAML or JSON.
// Otherwise a stranger's play file could make reports show lines of any file.
func CheckReference(path string) error {
	if !hasEnding(path) {
		return fmt.Errorf("%s was skipped: the name of a persona file must end in .yaml, .yml or .json", path)
	}
	return checkLink("persona file", path)
}

// checkLink returns an error if a YAML or JSON file is a link to another kind of file (see
// CheckReference).
func checkLink(kind, path string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil && hasEnding(path) && !hasEnding(target) {
		return cli.WrapTrouble(fmt.Errorf("%s %s was skipped: it is a link to a file whose name does not end in .yaml, .yml or .json", kind, path), "replace the link with the file itself, or use the path of the file")
	}
	return nil
}
