package personafiles

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
)

// hasObeyed reports whether a terminal would obey something of a text of lines.
func hasObeyed(text string) bool {
	return strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), terminal.IsObeyed)
}

// listHostile returns a finding for every text that is hard on a terminal.
func listHostile() []personas.Diagnostic {
	found := make([]personas.Diagnostic, 0, len(tuitest.Hostile))
	for _, h := range tuitest.Hostile {
		found = append(found, personas.Diagnostic{File: h.Text, Position: personas.Position{Line: 1}, Check: h.Text, Message: h.Text})
	}
	return found
}

// TestHostileMarkdown: Markdown shows control characters in any text as text.
func TestHostileMarkdown(t *testing.T) {
	var list strings.Builder
	WriteMarkdownList(&list, listHostile())
	assert.True(t, !hasObeyed(list.String()), "%q", list.String())
	for _, h := range tuitest.Hostile {
		got := EscapeMarkdown(h.Text)
		assert.True(t, !hasObeyed(got), "%s: %q", h.Name, got)
		assert.NotContains(t, got, "\n", h.Name)
	}
	assert.Equal(t, EscapeMarkdown("a &#x202e; <b>"), "a &amp;#x202e; &lt;b>")
}

// TestHostileJUnit: a report shows control characters as text, anywhere in it, and stays valid XML.
func TestHostileJUnit(t *testing.T) {
	var text bytes.Buffer
	passed := NewFileSuite(ProjectPaths{}, "a.yaml", "nothing found", 0, listHostile(), func(personas.Diagnostic) bool { return false })
	failed := NewFileSuite(ProjectPaths{}, "b\u202e\u2028\ufeff.yaml", "nothing found", 0, listHostile(), func(personas.Diagnostic) bool { return true })
	assert.NoError(t, WriteJUnit(&text, []JUnitSuite{passed, failed}))
	assert.True(t, !hasObeyed(text.String()), "%q", text.String())
	var read struct {
		Tests int `xml:"tests,attr"`
	}
	if err := xml.Unmarshal(text.Bytes(), &read); err != nil || read.Tests != len(passed.Cases)+len(failed.Cases) {
		t.Errorf("%d tests, %v", read.Tests, err)
	}
}

// TestOtherFilesOfFolder: an unparsable file counts if it was meant as a persona, but templates do not.
func TestOtherFilesOfFolder(t *testing.T) {
	t.Parallel()
	const members = "persona_identity_prompt: p\nmachines:\n  - machine_key: a\n"
	for name, row := range map[string]struct {
		text string
		want bool
	}{
		"helm.yaml":       {"{{- if .Values.on }}\n" + members + "{{- end }}\n", false},
		"comment.yaml":    {"# a chart\n---\n{{ include \"x\" . }}\n" + members, false},
		"value.yaml":      {members + "name: x\n{{ .Values.rest }}\n", false},
		"jinja.yaml":      {"{% for p in all %}\n" + members + "{% endfor %}\n", false},
		"bom.yaml":        {"\ufeff{{ x }}\n" + members, false},
		"kubernetes.yaml": {"apiVersion: v1\nkind: ConfigMap\n" + members + "---\nkind: Service\n", false},
		"crlf.yaml":       {"kind: ConfigMap\r\napiVersion: v1\r\npersona_identity_prompt: \"a\r\n", false},
		"schema.json":     {`{"$schema": "x", "persona_identity_prompt": {},}`, false},
		"tsconfig.json":   {"{// machine_key, machines\n\"a\": 1}", false},
		"player.yaml":     {"name: A\npersona_identity_prompt: |\n  You know\n  {{player_name}}, who is late.\nlabel: {{boat}}\n", true},
		"first-text.yaml": {"name: {{boat}}\n" + members, true},
		"colon.yaml":      {"persona_identity_prompt|\n  p\nmachines:\n  - machine_key: a\n", true},
		"comma.json":      {`{"name": "A", "machines": [{"machine_key": "a",}]}`, true},
		"quoted.yaml":     {"\"persona_identity_prompt\": \"a\n", true},
	} {
		f := ParseSource(name, []byte(row.text))
		assert.True(t, !f.Places.Has(""), "%s can be read, so that it shows nothing", name)
		assert.Equal(t, f.IsPersona(), row.want, "%s: a persona", name)
	}
}
