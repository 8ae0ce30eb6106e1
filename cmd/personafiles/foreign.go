package personafiles

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/card"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
)

// A foreignKind is recognized by any of its endings, or by all of its marks together.
type foreignKind struct {
	name    string
	endings []string
	marks   []string
}

var foreignKinds = []foreignKind{
	{"a Yarn Spinner script", []string{".yarn"}, []string{
		`(?m)^title:[ \t]*\S`, `(?m)^---[ \t]*\r?$`, `(?m)^===[ \t]*\r?$`,
	}},
	{"an ink script", []string{".ink"}, []string{`(?m)^==+[ \t]*\w+`, `->[ \t]*\w+`}},
	{"a compiled ink story", nil, []string{`"inkVersion"\s*:\s*\d`}},
	{"a Ren'Py script", []string{".rpy", ".rpym"}, []string{
		`(?m)^label[ \t]+\w+[^\n]*:[ \t]*\r?$`, `(?m)^[ \t]+(?:\w+[ \t]+)?(?:"|menu\b|jump\b|return\b|scene\b|show\b)`,
	}},
	{"Rasa training data", nil, []string{
		`(?m)^(?:nlu|stories|rules|intents):`, `(?m)^(?:version|responses|slots|actions|entities|session_config):`,
	}},
	{"Rasa training data", nil, []string{`(?m)^## (?:intent|synonym):[ \t]*\S`}},
	{"an XState machine", nil, []string{`"?initial"?\s*:\s*["']`, `"?states"?\s*:\s*\{`}},
	{"a Twine story", []string{".twee", ".tw"}, []string{`(?m)^:: ?\S`}},
	{"a Twine story", nil, []string{`<tw-storydata\b`}},
	{"a lorebook without a character", nil, []string{`"entries"\s*:\s*[{\[]`, `"(?:key|keys|lorebook_v3)"`}},
}

const maxSniffed = 64 << 10 // bytes

func findForeign(name string, source []byte) string {
	if media := http.DetectContentType(source); !strings.HasPrefix(media, "text/") && media != "application/octet-stream" {
		return "a file of the type " + media
	}
	ending, text := strings.ToLower(filepath.Ext(name)), source[:min(len(source), maxSniffed)]
	for _, kind := range foreignKinds {
		if slices.Contains(kind.endings, ending) || kind.isMarked(text) {
			return kind.name
		}
	}
	return ""
}

func (k *foreignKind) isMarked(text []byte) bool {
	return !slices.ContainsFunc(k.marks, func(mark string) bool { return !regexp.MustCompile(mark).Match(text) })
}

func describeForeign(name string, source []byte) string {
	c, err := card.Read(source)
	switch {
	case err == nil:
		const text = "this is a character card %s, not a persona file; `parley persona import %s` makes a persona of it"
		return fmt.Sprintf(text, c.Version, plaintext.ShellFile(typedName(name)))
	case !errors.Is(err, card.ErrNoCard) && looksLikeCard(source):
		return fmt.Sprintf("this is a character card, not a persona file, and it cannot be read: %v", err)
	}
	kind := findForeign(name, source)
	if kind == "" {
		return ""
	}
	return fmt.Sprintf("this is %s, not a persona file, and it cannot be imported; "+
		"begin a persona with `parley persona new`; docs/authoring.md says how to write a persona", kind)
}

func looksLikeCard(source []byte) bool {
	return slices.ContainsFunc([]string{`"chara_card_v`, "chara\x00", "ccv3\x00"}, func(mark string) bool {
		return bytes.Contains(source, []byte(mark))
	})
}

const noCardHint = "a card is a PNG, a CHARX or a JSON file of another chat program; " +
	"otherwise begin a persona with `parley persona new`"

// ExplainNoCard returns the error for the import of a file other than a character card.
func ExplainNoCard(name string, source []byte, err error) error {
	if f := ParseSource(name, source); f.IsPersona() {
		err = fmt.Errorf("%s is a persona file already", name)
		hint := fmt.Sprintf("`parley persona lint %s` checks it", plaintext.ShellFile(typedName(name)))
		return &cli.Failure{Code: cli.ExitNo, Err: err, Hint: hint}
	}
	if kind := findForeign(name, source); kind != "" {
		err = fmt.Errorf("it is %s, %w", kind, err)
	}
	return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("%s: %w", name, err), Hint: noCardHint}
}

func typedName(name string) string {
	if name == StdinName {
		return "-"
	}
	return name
}

func (f *File) addForeign(places personas.SourceMap, faults []personas.Diagnostic) bool {
	hasMembers := places.Has(PromptMember) || places.Has(machinesMember)
	if len(faults) == 0 || hasMembers || !places.Has("") && looksLikePersona(f.Source) {
		return false
	}
	f.Foreign = describeForeign(f.Name, f.Source)
	if f.Foreign == "" {
		return false
	}
	check, _ := lint.Find(lint.FaultCheck)
	start := personas.Position{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}
	f.AddFinding(personas.Diagnostic{Check: check.Name, Severity: check.Severity, Message: f.Foreign}, start)
	return true
}

// CheckForeign returns an error for a readable file in another program's format.
func CheckForeign(streams *cli.Streams, path string) error {
	f, err := ParsePersonaFile(streams, path)
	if err != nil || f.Foreign == "" {
		return nil //nolint:nilerr // whoever reads it says so
	}
	return cli.AnswerNo("%s: %s", f.Name, f.Foreign)
}

// ReadCard reads a character card, or stdin for "-". name is the name for messages.
func ReadCard(streams *cli.Streams, path string) (name string, source []byte, err error) {
	return readSource(streams, "card", path, card.MaxFile)
}

// MayBePersona reports whether a file name may be that of a persona.
func MayBePersona(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return hasEnding(name) && name[0] != '.' && !IsPlayFile(name)
}

func mayContainPersona(source []byte) bool {
	return bytes.Contains(source, []byte(PromptMember)) || bytes.Contains(source, []byte(machinesKey))
}

// PromptMember and the other names are members that identify a persona.
const (
	PromptMember   = "persona_identity_prompt"
	machinesMember = "machines"
	machinesKey    = "machine_key"
)

// IsPlayFile reports whether path has the name of a play file.
func IsPlayFile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.ContainsFunc([]string{".play.yaml", ".play.yml", ".play.json"}, func(ending string) bool {
		return strings.HasSuffix(name, ending)
	})
}

// IsPersona reports whether the outermost members of a file are those of a persona.
func (f *File) IsPersona() bool {
	if !f.Places.Has("") {
		return looksLikePersona(f.Source)
	}
	if f.Places.Has(PromptMember) || f.Places.Has("machines[0]."+machinesKey) {
		return true
	}
	return f.Places.Has(machinesMember) && bytes.Contains(f.Source, []byte(machinesKey))
}

var memberPatterns = map[string]*regexp.Regexp{
	PromptMember:   newMemberPattern(PromptMember),
	machinesMember: newMemberPattern(machinesMember),
	machinesKey:    newMemberPattern(machinesKey),
}

func newMemberPattern(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:\x{feff}|[\s{\-,])*["']?` + name + `\b|[{,]\s*["']` + name + `["']\s*:`)
}

// templatePattern matches Helm and Jinja templates, but not a later {{name}} in a text.
var templatePattern = plaintext.Pattern(`(?m)^[ \t]*(?:\{%|\{#|\{\{-|\{\{\s*(?:[.$]|/\*|(?:if|else|range|with|define|include|template|block)\s))|\A(?:\x{feff}|\s|#.*\n|---.*\n)*\{\{`)

func looksLikePersona(source []byte) bool {
	has := func(name string) bool { return memberPatterns[name].Match(source) }
	hasMembers := has(PromptMember) || has(machinesMember) && has(machinesKey)
	return hasMembers && !templatePattern().Match(source) && !isOtherKind(source)
}

func isOtherKind(source []byte) bool {
	beginsLine := func(member string) bool {
		return bytes.HasPrefix(source, []byte(member)) || bytes.Contains(source, []byte("\n"+member))
	}
	isKubernetes := beginsLine("apiVersion:") && beginsLine("kind:")
	return isKubernetes || bytes.Contains(source, []byte(`"$schema"`))
}

func hasEnding(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(path)))
}

// CheckReference returns an error unless a path in a play file leads to a YAML or JSON file.
// Otherwise reports could show lines of any file.
func CheckReference(path string) error {
	if !hasEnding(path) {
		return fmt.Errorf("%s was skipped: the name of a persona file must end in .yaml, .yml or .json", path)
	}
	return checkLink("persona file", path)
}

func checkLink(kind, path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil || !hasEnding(path) || hasEnding(target) {
		return nil //nolint:nilerr // the later read reports the error
	}
	err = fmt.Errorf("%s %s was skipped: it is a link to a file whose name does not end in .yaml, .yml or .json", kind, path)
	return cli.WrapTrouble(err, "replace the link with the file itself, or use the path of the file")
}
