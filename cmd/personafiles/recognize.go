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

// endings are the extensions of persona files and play files.
var endings = []string{".yaml", ".yml", ".json"}

func hasEnding(path string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(path)))
}

// CheckReference refuses a path in a file, unless the path and the target of its links have a
// persona file's extension. Otherwise the author of a file could have reports show lines of any
// file that he cannot read himself.
func CheckReference(path string) error {
	if !hasEnding(path) {
		return fmt.Errorf("%s is not read: the name of a persona file ends in .yaml, .yml or .json", path)
	}
	return checkLink("persona file", path)
}

// checkLink refuses a link with a persona file's extension to a file without one, for the same
// reason. A broken link is left to the reader of the file.
func checkLink(kind, path string) error {
	if !hasEnding(path) || !leadsElsewhere(path) {
		return nil
	}
	return cli.WrapTrouble(fmt.Errorf("%s %s is not read: it is a link to a file whose name does not end in .yaml, .yml or .json", kind, path), "put the file itself there, or name the one that is meant")
}

// leadsElsewhere reports whether a path is a link to a file that is not called as persona files
// are.
func leadsElsewhere(path string) bool {
	whole, err := filepath.EvalSymlinks(path)
	return err == nil && !hasEnding(whole)
}
