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

// MayBePersona reports whether a file's name is that of a possible persona file. Such a file is
// YAML or JSON, not hidden and not a play file.
func MayBePersona(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return hasEnding(name) && name[0] != '.' && !IsPlayFile(name)
}

// MentionsPersona reports whether a text may be a persona. It is faster than parsing. IsPersona
// decides for a parsed file.
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

// IsPersona reports whether a file found in a directory is a persona. It checks the top-level
// members, or searches the text if it cannot be parsed.
func (f *File) IsPersona() bool {
	if !f.Places.Has("") {
		return looksLikePersona(f.Source)
	}
	return f.Places.Has(PromptMember) || f.Places.Has("machines[0]."+machinesKey) || f.Places.Has(machinesMember) && bytes.Contains(f.Source, []byte(machinesKey))
}

// memberPatterns find a member in a text that cannot be parsed. The member is at the start of a
// line, or in quotes within a line.
var memberPatterns = map[string]*regexp.Regexp{
	PromptMember:   newMemberPattern(PromptMember),
	machinesMember: newMemberPattern(machinesMember),
	machinesKey:    newMemberPattern(machinesKey),
}

func newMemberPattern(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:\x{feff}|[\s{\-,])*["']?` + name + `\b|[{,]\s*["']` + name + `["']\s*:`)
}

// templatePattern matches texts for template engines (Helm, Jinja). They have a directive at the
// start of a line, or {{ before anything else. {{name}} at the start of a line does not match,
// because it may be a variable within a text.
var templatePattern = plaintext.Pattern(`(?m)^[ \t]*(?:\{%|\{#|\{\{-|\{\{\s*(?:[.$]|/\*|(?:if|else|range|with|define|include|template|block)\s))|\A(?:\x{feff}|\s|#.*\n|---.*\n)*\{\{`)

// looksLikePersona reports whether a text that cannot be parsed was meant to be a persona. Such a
// text has a persona's members and is neither a template nor another kind of file.
func looksLikePersona(source []byte) bool {
	has := func(name string) bool { return memberPatterns[name].Match(source) }
	return (has(PromptMember) || has(machinesMember) && has(machinesKey)) && !templatePattern().Match(source) && !isOtherKind(source)
}

// isOtherKind reports whether a text is a Kubernetes file or a JSON Schema, by their top-level
// members.
func isOtherKind(source []byte) bool {
	beginsLine := func(member string) bool {
		return bytes.HasPrefix(source, []byte(member)) || bytes.Contains(source, []byte("\n"+member))
	}
	return beginsLine("apiVersion:") && beginsLine("kind:") || bytes.Contains(source, []byte(`"$schema"`))
}

var endings = []string{".yaml", ".yml", ".json"}

func hasEnding(path string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(path)))
}

// CheckReference returns an error for a path in a file if its target, with all links resolved, does
// not have the extension of a persona file. Otherwise the author of the file could make reports
// show lines of files that the author cannot read.
func CheckReference(path string) error {
	if !hasEnding(path) {
		return fmt.Errorf("%s was skipped: the name of a persona file must end in .yaml, .yml or .json", path)
	}
	return checkLink("persona file", path)
}

// checkLink returns an error if path has the extension of a persona file but is a link to a file
// without one (see CheckReference). It ignores a broken link, because the code that reads the file
// reports it.
func checkLink(kind, path string) error {
	if !hasEnding(path) || !leadsElsewhere(path) {
		return nil
	}
	return cli.WrapTrouble(fmt.Errorf("%s %s was skipped: it is a link to a file whose name does not end in .yaml, .yml or .json", kind, path), "put the file itself there, or name the one that is meant")
}

func leadsElsewhere(path string) bool {
	whole, err := filepath.EvalSymlinks(path)
	return err == nil && !hasEnding(whole)
}
