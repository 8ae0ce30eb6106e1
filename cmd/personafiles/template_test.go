package personafiles

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestOtherFilesOfFolder: an unparsable file counts if it was meant as a persona, but templates do not.
func TestOtherFilesOfFolder(t *testing.T) {
	t.Parallel()
	const members = "persona_identity_prompt: p\nmachines:\n  - machine_key: a\n"
	for name, row := range map[string]struct {
		text string
		want bool
	}{
		"helm.yaml":        {"{{- if .Values.on }}\n" + members + "{{- end }}\n", false},
		"comment.yaml":     {"# a chart\n---\n{{ include \"x\" . }}\n" + members, false},
		"value.yaml":       {members + "name: x\n{{ .Values.rest }}\n", false},
		"range.yaml":       {members + "  {{- range .Values.all }}\n  - {{ . }}\n  {{- end }}\n", false},
		"jinja.yaml":       {"{% for p in all %}\n" + members + "{% endfor %}\n", false},
		"bom.yaml":         {"\ufeff{{ x }}\n" + members, false},
		"kubernetes.yaml":  {"apiVersion: v1\nkind: ConfigMap\n" + members + "---\nkind: Service\n", false},
		"crlf.yaml":        {"kind: ConfigMap\r\napiVersion: v1\r\npersona_identity_prompt: \"a\r\n", false},
		"schema.json":      {`{"$schema": "x", "persona_identity_prompt": {},}`, false},
		"tsconfig.json":    {"{// machine_key, machines\n\"a\": 1}", false},
		"lines.json":       {"{\"a\": \"machine_key\"}\n{\"b\": 1}\n", false},
		"value.json":       {`{"machines": ["machine_key"],}`, false},
		"player.yaml":      {"name: A\npersona_identity_prompt: |\n  You know\n  {{player_name}}, who is late.\nlabel: {{boat}}\n", true},
		"first-text.yaml":  {"name: {{boat}}\n" + members, true},
		"tab.yaml":         {"name: A\n" + members + "\tstates: []\n", true},
		"two.yaml":         {members + "---\n" + members, true},
		"colon.yaml":       {"persona_identity_prompt|\n  p\nmachines:\n  - machine_key: a\n", true},
		"comma.json":       {`{"name": "A", "machines": [{"machine_key": "a",}]}`, true},
		"quoted.yaml":      {"\"persona_identity_prompt\": \"a\n", true},
		"bom-persona.yaml": {"\ufeffpersona_identity_prompt: \"a\n", true},
		"crlf-two.yaml":    {strings.ReplaceAll("name: 'Nils' boat'\n"+members, "\n", "\r\n"), true},
	} {
		f := ParseSource(name, []byte(row.text))
		assert.True(t, !f.Places.Has(""), "%s can be read, so that it shows nothing", name)
		assert.Equal(t, f.IsPersona(), row.want, "%s: a persona", name)
	}
}
