package personafiles

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

// MayBePersona reports by its name whether a file in a folder is read: YAML or JSON that is
// neither hidden nor a play file.
func MayBePersona(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return hasEnding(name) && name[0] != '.' && !IsPlayFile(name)
}

// MentionsPersona reports whether a text may be a persona. It is quick; IsPersona says for
// sure, once the file is parsed.
func MentionsPersona(source []byte) bool {
	return bytes.Contains(source, []byte(PromptMember)) || bytes.Contains(source, []byte(machinesKey))
}

// PromptMember, machinesMember and machinesKey are the members that identify a persona.
const (
	PromptMember   = "persona_identity_prompt"
	machinesMember = "machines"
	machinesKey    = "machine_key"
)

// IsPlayFile reports by its name whether a file has play-throughs.
func IsPlayFile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasSuffix(name, ".play.yaml") || strings.HasSuffix(name, ".play.yml") || strings.HasSuffix(name, ".play.json")
}

// IsPersona reports whether a file that was found in a directory is a persona, by its top-level
// members or, if it cannot be parsed, by the appearance of its text.
func (f *File) IsPersona() bool {
	if !f.Places.Has("") {
		return looksLikePersona(f.Source)
	}
	return f.Places.Has(PromptMember) || f.Places.Has("machines[0]."+machinesKey) || f.Places.Has(machinesMember) && bytes.Contains(f.Source, []byte(machinesKey))
}

// memberPatterns find a member of a name in a text that cannot be parsed: at the beginning
// of a line, or in quotation marks within one.
var memberPatterns = map[string]*regexp.Regexp{
	PromptMember:   newMemberPattern(PromptMember),
	machinesMember: newMemberPattern(machinesMember),
	machinesKey:    newMemberPattern(machinesKey),
}

func newMemberPattern(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:\x{feff}|[\s{\-,])*["']?` + name + `\b|[{,]\s*["']` + name + `["']\s*:`)
}

// templatePattern finds what programs that fill in templates read (Helm, Jinja): a
// directive at the beginning of a line, or {{ before anything else. {{name}} at the
// beginning of a line is a variable, in a text.
var templatePattern = plaintext.Pattern(`(?m)^[ \t]*(?:\{%|\{#|\{\{-|\{\{\s*(?:[.$]|/\*|(?:if|else|range|with|define|include|template|block)\s))|\A(?:\x{feff}|\s|#.*\n|---.*\n)*\{\{`)

// looksLikePersona reports whether a text that cannot be parsed was meant to be a persona: it has a
// persona's members, and is neither a template nor another kind of file.
func looksLikePersona(source []byte) bool {
	has := func(name string) bool { return memberPatterns[name].Match(source) }
	return (has(PromptMember) || has(machinesMember) && has(machinesKey)) && !templatePattern().Match(source) && !isOtherKind(source)
}

// isOtherKind reports whether a text has the two outermost members of every Kubernetes file,
// or the one of a JSON Schema.
func isOtherKind(source []byte) bool {
	beginsLine := func(member string) bool {
		return bytes.HasPrefix(source, []byte(member)) || bytes.Contains(source, []byte("\n"+member))
	}
	return beginsLine("apiVersion:") && beginsLine("kind:") || bytes.Contains(source, []byte(`"$schema"`))
}
