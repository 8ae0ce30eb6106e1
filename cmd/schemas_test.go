package cmd

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	localservercmd "github.com/parley-npc/parley/cmd/localserver"
	"github.com/parley-npc/parley/cmd/persona"
	"github.com/parley-npc/parley/cmd/persona/check"
	"github.com/parley-npc/parley/cmd/session"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/prove"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/record"
)

// jsonRow is a command with --json or --format json: a value of the type that it prints, and
// command lines whose answers must match that type. They are played in the order of the table with
// one server; $PERSONA is a persona that is published there. A command with several kinds of
// answers has an anyOf; "! " marks a line that ends with 1.
type jsonRow struct {
	command string
	prints  any
	lines   []string
}

// jsonRows has a row for every command that prints JSON: a new one needs one here, and
// then `go test ./cmd -run TestSchemas -update`.
var jsonRows = []jsonRow{
	{"version", cli.BuildInfo{}, []string{"version --json"}},
	{"config list", []ShownSetting{}, []string{"config list --json"}},
	{"profile list", []ShownProfile{}, []string{"profile list --json"}},
	{"persona save", anyOf{persona.SavedItem{}, []persona.SavedItem{}}, []string{"persona save --json --new $FILE",
		"persona save --json --new $FILE $OTHER", "! persona save --json --new $FILE $BROKEN"}},
	{"persona publish", anyOf{persona.PublishedItem{}, []persona.PublishedItem{}},
		[]string{"persona publish --json $PERSONA", "persona publish --json $PERSONA $PERSONA"}},
	{"persona list", []wire.PersonaItem{}, []string{"persona list --json", "persona list --mine --json"}},
	{"persona show", wire.FullPersona{}, []string{"persona show --json $PERSONA"}},
	{"persona prove", anyOf{prove.Report{}, []provedFile{}}, []string{"persona prove --json $FILE", "persona prove --json $FILE $OTHER"}},
	{"persona simulate", playtest.Simulation{}, []string{"persona simulate --json -n 20 $FILE"}},
	{"progress migrate", wire.Migrated{}, []string{"progress migrate --json $PERSONA"}},
	{"say", wire.Reply{}, []string{"say --json $PERSONA hello"}},
	{"session history", session.PlayedSession{}, []string{"session history --json $PERSONA"}},
	{"session replay", session.ReplayedSession{}, []string{"session replay --json $PERSONA --against $FILE"}},
	{"session fork", session.ForkedSession{}, []string{"session fork --json $PERSONA --at 0"}},
	{"session undo", session.UndoneSession{}, []string{"session undo --json $PERSONA"}},
	{"session branches", wire.Branches{}, []string{"session branches --json $PERSONA"}},
	{"session compare", record.Comparison{}, []string{"session compare --json $PERSONA"}},
	{"persona replay", playtest.ReplayReport{}, []string{"persona replay --json $FILE --sessions $SERVER",
		"persona replay --format json $FILE --sessions $SERVER"}},
	{"session reset", wire.ResetDone{}, []string{"session reset --json --yes $PERSONA"}},
	{"progress show", wire.Progress{}, []string{"progress show --json $PERSONA"}},
	{"progress reset", wire.ProgressReset{}, []string{"progress reset --json $PERSONA --yes"}},
	{"key create", wire.CreatedKey{}, []string{"key create --json game"}},
	{"key list", []wire.Key{}, []string{"key list --json"}},
	{"session list", anyOf{[]session.ListedSession{}, session.OwnedSessions{}},
		[]string{"session list --json", "session list --persona $PERSONA --all-players --json"}},
	{"auth status", authStatus{}, []string{"auth status --json"}},
	{"api", json.RawMessage{}, []string{"api auth/me --json"}},
	{"doctor", []doctorResult{}, []string{"doctor --json"}},
	{"localserver models", []localservercmd.ListedProvider{}, []string{"localserver models --json"}},
	{"persona lint", check.LintReport{}, []string{"persona lint --format json $FILE", "persona lint --json $FILE", "! persona lint --format json $BROKEN"}},
	{"persona fmt", check.LintReport{}, []string{"persona fmt --check --json $FILE"}},
	{"persona test", check.TestReport{}, []string{"persona test --format json $PLAYS", "persona test --json $PLAYS", "persona test --format json --mutate $PLAYS", "persona test --format json --offline-corpus $CORPUS $FILE", "persona test --format json --lines $CORPUS --calibrate $FILE", "persona test --format json --unforeseen $HOTEL $PLAYS"}},
	{"persona diff", anyOf{persona.Difference{}, []persona.DiffedFile{}}, []string{"! persona diff --json $FOLDER", "persona diff --format json $FILE $FILE", "persona diff --json $FILE $FILE", "! persona diff --format json $FILE $OTHER", "! persona diff --format json --id $PERSONA $OTHER"}},
	// The last one: it takes the persona away.
	{"persona delete", anyOf{persona.DeletedItem{}, []persona.DeletedItem{}},
		[]string{"persona delete --dry-run --json $PERSONA", "! persona delete --yes --json $PERSONA nobody"}},
}

type anyOf []any

type provedFile struct {
	File string `json:"file"`
	prove.Report
}

// asJSON returns the flag that makes a command print JSON, or "" if it lacks one or exports a file.
func asJSON(c *cobra.Command) string {
	format := c.Flags().Lookup("format")
	switch {
	case c.Flags().Lookup("json") != nil:
		return "--json"
	case format != nil && strings.Contains(format.Usage, "on stdout") && strings.Contains(format.Usage, "json"):
		return "--format json"
	}
	return ""
}

// TestSchemas checks docs/schemas against the types, and every command's JSON against docs/schemas.
func TestSchemas(t *testing.T) {
	t.Parallel()
	all := commands(t)
	maps.DeleteFunc(all, func(_ string, c *cobra.Command) bool { return asJSON(c) == "" })
	server, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Log: slog.New(slog.DiscardHandler)})
	assert.NoError(t, err)
	defer func() { _ = server.Close() }()
	env := map[string]string{"PARLEY_SERVER": server.URL(), "PARLEY_TOKEN": server.Token(), "PARLEY_STATE_DIR": t.TempDir()}
	places := schemaPlaces(t, env)
	for _, row := range jsonRows {
		if all[row.command] == nil {
			t.Errorf("the table has %q, which is no command that prints JSON", row.command)
			continue
		}
		schema := row.fresh(t, asJSON(all[row.command]))
		delete(all, row.command)
		for _, line := range row.lines {
			row.validate(t, schema, env, strings.Fields(places.Replace(line)))
		}
	}
	assert.Equal(t, len(assert.Value(filepath.Glob(filepath.Join("..", "docs", "schemas", "*.json")))(t)), len(jsonRows))
	for path := range all {
		t.Errorf("%q prints JSON and has no row in jsonRows", path)
	}
}

// schemaPlaces creates the things that the command lines name.
func schemaPlaces(t *testing.T, env map[string]string) *strings.Replacer {
	t.Helper()
	dir := t.TempDir()
	assert.NoError(t, os.CopyFS(dir, os.DirFS("../personas/examples")))
	file, other := filepath.Join(dir, "hotel.yaml"), filepath.Join(dir, "cafe.yaml")
	saved := runHere(t.Context(), t, env, "persona", "save", "--no-lock", file)
	id := strings.TrimSpace(saved.out)
	if published := runHere(t.Context(), t, env, "persona", "publish", id); saved.code+published.code != 0 {
		t.Fatal(saved.talk, published.talk)
	}
	nobody := maps.Clone(env)
	delete(nobody, "PARLEY_TOKEN")
	said := runHere(t.Context(), t, nobody, "say", id, "hello")
	assert.Must(t, said.code == cli.ExitDone, said.talk)
	broken := filepath.Join(dir, "broken.yaml")
	assert.NoError(t, os.WriteFile(broken, []byte("name: 1\n"), 0o600))
	corpus := filepath.Join(dir, "corpus.jsonl")
	assert.NoError(t, os.WriteFile(corpus,
		[]byte(`{"machine": "check-in", "state": "desk", "text": "Break it all!", "label": "aside", "style": "rude"}`+"\n"), 0o600))
	return strings.NewReplacer("$SERVER", env["PARLEY_SERVER"], "$FOLDER", dir, "$CORPUS", corpus, "$PLAYS", filepath.Join(dir, "plays",
		"hotel.play.yaml"), "$HOTEL", filepath.Join(dir, "hotel.yaml"), "$FILE", file, "$BROKEN", broken, "$OTHER", other, "$PERSONA", id)
}

func (row jsonRow) file() string {
	return filepath.Join("..", "docs", "schemas", strings.ReplaceAll(row.command, " ", "-")+".json")
}

func (row jsonRow) fresh(t *testing.T, flags string) []byte {
	t.Helper()
	var made bytes.Buffer
	e := json.NewEncoder(&made)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	assert.NoError(t, e.Encode(row.schema(flags)))
	assert.Golden(t, row.file(), made.Bytes())
	return made.Bytes()
}

func (row jsonRow) validate(t *testing.T, schema []byte, env map[string]string, args []string) {
	t.Helper()
	code := cli.ExitDone
	if args[0] == "!" {
		code, args = cli.ExitNo, args[1:]
	}
	got := runHere(t.Context(), t, env, args...)
	if got.code != code {
		t.Errorf("parley %s: exit code %d\n%s", strings.Join(args, " "), got.code, got.talk)
		return
	}
	document := assert.Value(validator.UnmarshalJSON(bytes.NewReader(schema)))(t)
	compiler := validator.NewCompiler()
	compiler.AssertFormat()
	assert.NoError(t, compiler.AddResource("schema.json", document))
	answer, err := validator.UnmarshalJSON(strings.NewReader(got.out))
	if err == nil {
		var compiled *validator.Schema
		if compiled, err = compiler.Compile("schema.json"); err == nil {
			err = compiled.Validate(answer)
		}
	}
	assert.NoError(t, err, "parley %s prints what its schema does not allow: %v\n%.600s", strings.Join(args, " "), err, got.out)
	unsaid(t, row.command, document, answer)
}

// unsaid complains of members of an answer that the schema does not name.
func unsaid(t *testing.T, command string, schema, answer any) {
	t.Helper()
	s, _ := schema.(map[string]any)
	kinds, several := s["anyOf"].([]any)
	if several {
		_, list := answer.([]any)
		i := slices.IndexFunc(kinds, func(k any) bool { return (k.(map[string]any)["type"] == "array") == list })
		s = kinds[i].(map[string]any)
	}
	switch value := answer.(type) {
	case []any:
		for _, item := range value {
			unsaid(t, command, s["items"], item)
		}
	case map[string]any:
		named, _ := s["properties"].(map[string]any)
		for name, member := range value {
			if named[name] != nil {
				unsaid(t, command, named[name], member)
			} else if named != nil {
				t.Errorf("%s: the answer has %q, which its schema does not name", command, name)
			}
		}
	}
}

func (row jsonRow) schema(flags string) *jsonschema.Schema {
	kinds, several := row.prints.(anyOf)
	if !several {
		kinds = anyOf{row.prints}
	}
	s := &jsonschema.Schema{}
	for _, kind := range kinds {
		s.AnyOf = append(s.AnyOf, schemaOf(reflect.TypeOf(kind)))
	}
	if !several {
		s = s.AnyOf[0]
	}
	s.Version = jsonschema.Version
	s.Title = "parley " + row.command + " " + flags
	return s
}

// schemaOf is the schema of a type's JSON. A pointer that is always written may be null.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	r := &jsonschema.Reflector{AllowAdditionalProperties: true, Anonymous: true, Mapper: mapped, DoNotReference: true}
	s := r.ReflectFromType(t)
	s.Version = ""
	nullable(t, s)
	return s
}

func nullable(t reflect.Type, s *jsonschema.Schema) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case s == nil || mapped(t) != nil:
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		nullable(t.Elem(), s.Items)
	case t.Kind() == reflect.Struct && s.Properties != nil:
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			member, ok := s.Properties.Get(name)
			if !ok {
				continue
			}
			nullable(f.Type, member)
			if f.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omitempty") {
				s.Properties.Set(name, &jsonschema.Schema{AnyOf: []*jsonschema.Schema{member, {Type: "null"}}})
			}
		}
	}
}

type linkShape struct {
	Source      string `json:"source_machine_key"`
	Target      string `json:"target_machine_key"`
	Condition   string `json:"condition_type"`
	Value       any    `json:"condition_value,omitempty"`
	AutoAdvance bool   `json:"is_auto_advance,omitempty"`
}

// exampleShape is a personas.Example that has a reply.
type exampleShape struct {
	Say    string `json:"say"`
	Answer string `json:"answer,omitempty"`
}

type machineShape struct {
	ID        string `json:"id"`
	MachineID string `json:"machine_id"`
	personas.Machine
}

type fullShape struct {
	Persona struct {
		wire.Persona
		PerplexityDescription string                  `json:"perplexity_description,omitempty"`
		Language              string                  `json:"language,omitempty"`
		Portrait              string                  `json:"portrait,omitempty"`
		Hue                   *int                    `json:"hue,omitempty"`
		Offline               *personas.SharedOffline `json:"offline,omitempty"`
	} `json:"persona"`
	Machines  []wire.Machine      `json:"machines"`
	Variables []personas.Variable `json:"variables"`
	Links     []personas.Link     `json:"machine_links"`
}

// mapped are types that write their JSON themselves.
func mapped(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[wire.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[personas.Members]():
		return &jsonschema.Schema{}
	case reflect.TypeFor[personas.Link]():
		return schemaOf(reflect.TypeFor[linkShape]())
	case reflect.TypeFor[personas.Example]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, schemaOf(reflect.TypeFor[exampleShape]())}}
	case reflect.TypeFor[wire.Machine]():
		return schemaOf(reflect.TypeFor[machineShape]())
	case reflect.TypeFor[wire.FullPersona]():
		return schemaOf(reflect.TypeFor[fullShape]())
	case reflect.TypeFor[persona.SavedItem]():
		return savedSchema()
	case reflect.TypeFor[prove.Score]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer"}, {Enum: []any{"-inf", "inf"}}}}
	case reflect.TypeFor[prove.Way]():
		verdict := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer"}, {Enum: []any{"redirect", personas.FollowUpName}}}}
		step := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), Required: []string{"machine_key", "verdict"}}
		step.Properties.Set("machine_key", &jsonschema.Schema{Type: "string"})
		step.Properties.Set("verdict", verdict)
		return &jsonschema.Schema{Type: "array", Items: step}
	}
	return nil
}

// savedSchema is the schema of SavedItem, with null for a missing reply of the service.
func savedSchema() *jsonschema.Schema {
	type plain persona.SavedItem
	s := schemaOf(reflect.TypeFor[plain]())
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		if pair.Key != "file" && pair.Key != "result" && pair.Key != "error" {
			pair.Value = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{pair.Value, {Type: "null"}}}
		}
	}
	return s
}
