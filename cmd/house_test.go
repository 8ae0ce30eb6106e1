package cmd_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/parley-npc/parley"

// law is docs/house.md's table: a package and what of ours it may import.
// "name/*" allows everything below a package, "all" everything but what a
// following "-name/*" forbids.
const law = `
cmd/parley            | cmd cmd/early
cmd/early             |
cmd                   | cmd/* client localserver tui tui/* personas personas/*
cmd/cli               | personas personas/wire personas/plaintext tui/terminal
cmd/service           | cmd/cli cmd/config cmd/signin cmd/personafiles client localserver tui/terminal personas personas/examples personas/playtest personas/portrait personas/wire personas/plaintext personas/loopback
cmd/personafiles      | cmd/cli cmd/config cmd/report tui/terminal personas personas/card personas/lint personas/portrait personas/plaintext personas/atomicfile
cmd/report            | cmd/cli cmd/config tui/terminal personas/lint personas/atomicfile
cmd/check             | cmd/cli cmd/service cmd/personafiles cmd/report cmd/config client localserver tui/terminal personas personas/*
cmd/author            | cmd/cli cmd/service cmd/personafiles cmd/report cmd/config cmd/lockfile client localserver tui/terminal personas personas/*
cmd/play              | cmd/cli cmd/service cmd/personafiles cmd/config client localserver tui tui/* personas personas/*
cmd/serve             | cmd/cli cmd/service cmd/personafiles client localserver tui/terminal personas/wire personas/plaintext
cmd/connect           | cmd/cli cmd/service cmd/config cmd/lockfile cmd/signin client localserver tui/keymap tui/terminal personas/wire personas/plaintext personas/loopback personas/atomicfile
cmd/cmdtest           | cmd/cli cmd/early cmd/service client localserver/llm/double
cmd/config            | personas personas/lint personas/wire personas/loopback personas/atomicfile
cmd/lockfile          | personas cmd/config personas/atomicfile personas/plaintext
cmd/signin            | personas/retry personas/loopback
tui                   | personas/plaintext personas/playwords personas/wire tui/*
tui/conversation      | personas personas/engine personas/playwords personas/wire tui/terminal
tui/record            | personas/wire tui/conversation tui/terminal
tui/lines             | personas/playwords personas/wire tui/conversation tui/record tui/terminal
tui/terminal          | personas/plaintext
tui/program           | personas/wire tui/keyboard tui/renderer tui/terminal
tui/keyboard          | tui/terminal
tui/renderer          | tui/terminal
tui/keymap            | personas
tui/styles            | tui/terminal
tui/markdown          | tui/styles tui/terminal
tui/opening           | tui/picture tui/styles tui/terminal
tui/picture           |
tui/portraits         | personas/portrait tui/conversation tui/opening tui/picture tui/styles
tui/transcript        | tui/markdown tui/opening tui/styles tui/terminal
tui/editor            | personas/wire tui/keymap tui/styles tui/terminal
tui/picker            | tui/conversation tui/keymap tui/styles tui/terminal
tui/panel             | personas personas/playwords personas/wire tui/conversation tui/keymap tui/styles tui/terminal
tui/ending            | tui/conversation tui/keymap tui/styles tui/terminal
tui/playerform        | personas/wire tui/conversation tui/keymap tui/styles tui/terminal
tui/help              | tui/conversation tui/keymap tui/styles tui/terminal
tui/double            | personas personas/engine personas/wire
tui/double/memory     | tui/conversation
client                | personas personas/wire personas/retry personas/loopback personas/plaintext
localserver           | personas personas/lint personas/portrait personas/wire personas/atomicfile personas/plaintext localserver/*
localserver/endpoint  | personas/wire
localserver/request   |
localserver/connections |
localserver/apierror  | personas/wire localserver/endpoint localserver/request localserver/identity localserver/limit localserver/llm/provider localserver/play localserver/store
localserver/admission | personas/wire localserver/endpoint localserver/request localserver/apierror localserver/fault localserver/identity localserver/limit localserver/llm localserver/play localserver/store localserver/telemetry
localserver/middleware | personas/wire personas/plaintext personas/loopback localserver/connections localserver/endpoint localserver/request localserver/apierror localserver/telemetry
localserver/pages     | personas personas/engine personas/playwords personas/portrait personas/wire localserver/endpoint localserver/request localserver/apidoc localserver/apierror localserver/store localserver/telemetry
localserver/apidoc    | personas personas/wire localserver/endpoint
localserver/models    | localserver/draft localserver/telemetry localserver/llm localserver/llm/*
localserver/telemetry | localserver/endpoint localserver/llm localserver/llm/provider
localserver/datafolder | localserver/store personas/atomicfile
localserver/play      | personas personas/cache personas/engine personas/wire localserver/store localserver/llm localserver/llm/scripted
localserver/store     | personas personas/cache personas/engine personas/atomicfile personas/plaintext localserver/store/db localserver/store/postgres
localserver/store/db  |
localserver/store/postgres | localserver/store/db localserver/store/postgres/statements
localserver/store/postgres/statements |
localserver/store/double |
localserver/llm       | personas personas/intent
localserver/llm/scripted | personas personas/intent personas/plaintext localserver/llm
localserver/llm/provider | localserver/llm personas/plaintext personas/retry personas/loopback
localserver/llm/double |
localserver/llm/cassette | localserver/llm localserver/llm/provider personas/atomicfile personas/plaintext
localserver/llm/prompt | personas localserver/llm localserver/llm/provider personas/plaintext
localserver/llm/hosted | personas personas/judge personas/wire localserver/llm localserver/llm/provider localserver/llm/prompt localserver/llm/scripted
localserver/draft     | personas personas/lint personas/prove localserver/llm localserver/llm/provider personas/plaintext
localserver/identity  | localserver/request personas/plaintext personas/loopback personas/atomicfile
localserver/limit     |
localserver/fault     |
personas              | personas/plaintext personas/repair personas/treehash
personas/double       |
personas/cache        |
personas/card         | personas personas/plaintext personas/portrait
personas/engine       | personas
personas/prove        | personas personas/engine
personas/judge        |
personas/lint         | personas personas/engine personas/portrait personas/prove personas/plaintext
personas/intent       | personas personas/cache personas/judge personas/plaintext
personas/graph        | personas personas/prove
personas/playtest     | personas personas/engine personas/wire
personas/unforeseen   | personas personas/engine personas/intent personas/playtest personas/wire
personas/merge        | personas personas/treehash
personas/playwords    | personas
personas/diff         | personas personas/engine personas/prove personas/plaintext
personas/wire         | personas personas/plaintext
personas/examples     |
personas/plaintext    |
personas/portrait     | personas
personas/repair       |
personas/treehash     |
personas/retry        |
personas/loopback     |
personas/atomicfile   |
`

// ground are the packages under personas that all three wings are on and that may
// touch the world: what of it each may import or call, and nothing else. Nothing
// pure can reach them, since no other package under personas has them in its row.
const ground = `
personas/retry      | net/http time.NewTimer
personas/loopback   | net/netip
personas/atomicfile | os syscall
`

// owners are the third-party libraries and the packages that alone may import
// them. A library that is missing here may be imported by nobody.
const owners = `
github.com/spf13/cobra                 | cmd cmd/cli cmd/service cmd/report cmd/check cmd/author cmd/play cmd/serve cmd/connect cmd/cmdtest
github.com/spf13/pflag                 | cmd
github.com/spf13/viper                 | cmd/config
github.com/zalando/go-keyring          | cmd/config
github.com/coreos/go-oidc/v3           | cmd/signin
github.com/gofrs/flock                 | cmd/config localserver/datafolder localserver/llm/cassette
github.com/mattn/go-isatty             | cmd/cli
github.com/atotto/clipboard            | cmd/play
github.com/charmbracelet/bubbletea     | tui tui/editor tui/ending tui/help tui/keyboard tui/keymap tui/panel tui/picker tui/playerform tui/portraits tui/program
github.com/charmbracelet/bubbles       | tui tui/editor tui/ending tui/help tui/keymap tui/panel tui/picker tui/playerform tui/styles
github.com/charmbracelet/lipgloss      | tui tui/markdown tui/styles tui/transcript cmd/cli cmd/check cmd/play
github.com/charmbracelet/x/ansi        | tui tui/editor tui/ending tui/help tui/markdown tui/opening tui/panel tui/picker tui/renderer tui/styles tui/terminal tui/transcript cmd/cli cmd/personafiles cmd/play cmd/connect
github.com/charmbracelet/x/term        | tui/program cmd/cli cmd/connect
github.com/itchyny/gojq                | cmd/cli
github.com/muesli/cancelreader         | tui/keyboard
github.com/muesli/termenv              | tui tui/portraits tui/styles cmd/cli
github.com/lucasb-eyer/go-colorful     | tui/styles
github.com/rogpeppe/go-internal/diff   | cmd/cli
github.com/yuin/goldmark               | tui/markdown tui/record
github.com/go-resty/resty/v2           | client localserver/llm/provider
github.com/danielgtaylor/huma/v2       | localserver localserver/apidoc
github.com/VictoriaMetrics/metrics     | localserver/telemetry
github.com/mattn/go-sqlite3            | localserver/store
github.com/pressly/goose/v3            | localserver/store localserver/store/postgres
github.com/jackc/pgx/v5                | localserver/store/postgres localserver/store/double
github.com/google/uuid                 | localserver localserver/middleware localserver/request localserver/play localserver/store localserver/identity client cmd/service
github.com/blevesearch/snowballstem    | personas/intent
golang.org/x/image                     | personas/graph
golang.org/x/sys                       | tui/program tui/terminal
golang.org/x/text                      | personas/intent personas/plaintext
github.com/go-jose/go-jose/v4          | localserver/identity
go.yaml.in/yaml/v4                     | personas personas/intent localserver/llm/scripted
`

// testLibraries may be imported by test files anywhere, and by cmd/cmdtest, which is
// imported by test files alone.
const testLibraries = `
github.com/charmbracelet/x/ansi
github.com/charmbracelet/x/term
github.com/charmbracelet/x/exp/teatest
github.com/chromedp/cdproto
github.com/chromedp/chromedp
github.com/coreos/go-oidc/v3
github.com/creack/pty
github.com/getkin/kin-openapi
github.com/hinshun/vt10x
github.com/invopop/jsonschema
github.com/rogpeppe/go-internal
github.com/santhosh-tekuri/jsonschema/v6
go.uber.org/goleak
go.yaml.in/yaml/v2
go.yaml.in/yaml/v4
golang.org/x/oauth2
golang.org/x/tools
pgregory.net/rapid
`

// topLevel is everything that may be at the top of the repository.
const topLevel = `.ci .git .gitattributes .github .gitignore .golangci.yml .goreleaser.yaml .parley .pre-commit-hooks.yaml
CHANGELOG.md LICENSE README.md action.yml client cmd docs go.mod go.sum localserver personas tui`

const (
	maxFile     = 500
	maxFunction = 60
)

// source is one parsed Go file of the house.
type source struct {
	path  string // from the top of the repository, with slashes
	room  string // its package's row in the law
	test  bool
	made  bool // generated
	text  []byte
	fset  *token.FileSet
	file  *ast.File
	fault func(pos token.Pos, rule string)
}

// rules are the articles of the law; each looks at one file.
var rules = []func(*source){
	imports, formatted, short, noHiddenBeginnings, noGlobals, noPrinting, noEnvironment, noClock, noTesting, noRetiredWords,
}

func TestHouse(t *testing.T) {
	t.Parallel()
	top, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	walk(t, top, func(s *source) {
		seen[s.room] = true
		for _, rule := range rules {
			rule(s)
		}
	})
	if len(seen) < 8 {
		t.Errorf("only %d packages were seen: the walk is broken", len(seen))
	}
}

func TestTopLevel(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(strings.Fields(topLevel), e.Name()) {
			t.Errorf("%s stands at the top level, where only these may: %s", e.Name(), topLevel)
		}
	}
}

// TestLawBites feeds every rule a file that breaks it, and no other rule.
func TestLawBites(t *testing.T) {
	t.Parallel()
	long := "package tui\n\nfunc f() {\n" + strings.Repeat("\t_ = 0\n", maxFunction) + "}\n"
	broken := map[string]string{
		"tui/a.go":                      "package tui\n\nimport _ \"github.com/parley-npc/parley/client\"\n",
		"client/a.go":                   "package client\n\nimport _ \"github.com/spf13/cobra\"\n",
		"cmd/a.go":                      "package cmd\n\nimport _ \"github.com/parley-npc/parley/localserver/store\"\n",
		"cmd/play/a.go":                 "package play\n\nimport _ \"github.com/parley-npc/parley/cmd/check\"\n",
		"cmd/play/b.go":                 "package play\n\nimport _ \"github.com/parley-npc/parley/cmd/cmdtest\"\n",
		"cmd/check/print.go":            "package check\n\nimport \"fmt\"\n\nfunc f() { fmt.Println() }\n",
		"cmd/b.go":                      "package cmd\n\nimport _ \"example.com/unknown\"\n",
		"nowhere/a.go":                  "package nowhere\n",
		"tui/unformatted.go":            "package tui\nvar  x  error\n",
		"tui/long.go":                   long,
		"tui/longfile.go":               "package tui\n" + strings.Repeat("\n// x\n", maxFile),
		"tui/init.go":                   "package tui\n\nfunc init() {}\n",
		"tui/global.go":                 "package tui\n\nvar count int\n",
		"tui/called.go":                 "package tui\n\nvar x = f()\n",
		"client/print.go":               "package client\n\nimport \"fmt\"\n\nfunc f() { fmt.Println() }\n",
		"client/exit.go":                "package client\n\nimport \"os\"\n\nfunc f() { os.Exit(1) }\n",
		"client/env.go":                 "package client\n\nimport \"os\"\n\nfunc f() { os.Getenv(\"A\") }\n",
		"personas/engine/clock.go":      "package engine\n\nimport \"time\"\n\nfunc f() { time.Now() }\n",
		"personas/engine/os.go":         "package engine\n\nimport _ \"os\"\n",
		"personas/engine/rand.go":       "package engine\n\nimport _ \"math/rand/v2\"\n",
		"personas/engine/nets.go":       "package engine\n\nimport _ \"net/http\"\n",
		"personas/engine/files.go":      "package engine\n\nimport _ \"github.com/parley-npc/parley/personas/atomicfile\"\n",
		"personas/prove/retry.go":       "package prove\n\nimport _ \"github.com/parley-npc/parley/personas/retry\"\n",
		"personas/lint/timer.go":        "package lint\n\nimport \"time\"\n\nfunc f() { time.NewTimer(0) }\n",
		"personas/plaintext/os.go":      "package plaintext\n\nimport _ \"os\"\n",
		"personas/plaintext/up.go":      "package plaintext\n\nimport _ \"github.com/parley-npc/parley/personas\"\n",
		"personas/retry/now.go":         "package retry\n\nimport \"time\"\n\nfunc f() { time.Now() }\n",
		"personas/retry/os.go":          "package retry\n\nimport _ \"os\"\n",
		"personas/retry/net.go":         "package retry\n\nimport _ \"net\"\n",
		"personas/loopback/net.go":      "package loopback\n\nimport _ \"net\"\n",
		"personas/loopback/timer.go":    "package loopback\n\nimport \"time\"\n\nfunc f() { time.NewTimer(0) }\n",
		"personas/atomicfile/net.go":    "package atomicfile\n\nimport _ \"net/http\"\n",
		"personas/atomicfile/exec.go":   "package atomicfile\n\nimport _ \"os/exec\"\n",
		"personas/atomicfile/clock.go":  "package atomicfile\n\nimport \"time\"\n\nfunc f() { time.Now() }\n",
		"localserver/llm/cassette/a.go": "package cassette\n\nimport _ \"net/http\"\n",
		"tui/retired.go":                "package tui\n\nfunc openDesk() {}\n",
		"tui/retired2.go":               "package tui\n\ntype lobby struct{}\n",
		"localserver/testing.go":        "package localserver\n\nimport _ \"testing\"\n",
		"localserver/llm/a_test.go":     "package llm\n\nimport _ \"github.com/parley-npc/parley/localserver/store\"\n",
	}
	for name, text := range broken {
		bites, faults := 0, []string(nil)
		s := parse(t, name, []byte(text))
		s.fault = func(_ token.Pos, message string) { faults = append(faults, message) }
		for _, rule := range rules {
			before := len(faults)
			rule(s)
			if len(faults) > before {
				bites++
			}
		}
		if bites != 1 {
			t.Errorf("%s breaks one rule and %d say so: %q\n%.200s", name, bites, faults, text)
		}
	}
}

func walk(t *testing.T, top string, visit func(*source)) {
	t.Helper()
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && file != top) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		name, err := filepath.Rel(top, file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		visit(parse(t, filepath.ToSlash(name), text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func parse(t *testing.T, name string, text []byte) *source {
	t.Helper()
	s := &source{path: name, room: path.Dir(name), text: text, fset: token.NewFileSet()}
	file, err := parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s.file = file
	s.test = strings.HasSuffix(name, "_test.go")
	s.made = ast.IsGenerated(file)
	s.fault = func(pos token.Pos, rule string) { t.Errorf("%s: %s", s.fset.Position(pos), rule) }
	return s
}

// rows reads a table of the law: first column to the words of the second.
func rows(table string) map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(table) {
		if name, rest, ok := strings.Cut(line, "|"); ok {
			m[strings.TrimSpace(name)] = strings.Fields(rest)
		}
	}
	return m
}

func imports(s *source) {
	may, known := rows(law)[s.room]
	if !known {
		s.fault(s.file.Package, s.room+" has no row in the law; a new package needs one here and in docs/house.md")
		return
	}
	for _, spec := range s.file.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		if ours, ok := strings.CutPrefix(target, module+"/"); ok {
			s.checkOurs(spec, ours, may)
		} else if strings.Contains(strings.SplitN(target, "/", 2)[0], ".") {
			s.checkTheirs(spec, target)
		} else {
			s.checkStandard(spec, target)
		}
	}
}

func (s *source) checkOurs(spec *ast.ImportSpec, target string, may []string) {
	inTest := s.test && (target == s.room || target == "localserver/llm/double" || target == "localserver/store/double" || under(target, "tui/double") || under(target, "personas") || under(s.room, "cmd") && aboveTheWings(target))
	if inTest || allowed(target, may) {
		return
	}
	s.fault(spec.Pos(), fmt.Sprintf("%s may not import %s (it may: %s)", s.room, target, strings.Join(may, ", ")))
}

// aboveTheWings reports what tests of commands may import, whatever their room is: all
// that programs of the command line are made of, and no part of a wing.
func aboveTheWings(target string) bool {
	return under(target, "cmd") || target == "client" || target == "localserver" || under(target, "tui")
}

func allowed(target string, may []string) bool {
	for _, word := range may {
		if forbidden, ok := strings.CutPrefix(word, "-"); ok && matches(target, forbidden) {
			return false
		}
	}
	return slices.ContainsFunc(may, func(word string) bool { return word == "all" || matches(target, word) })
}

func matches(target, word string) bool {
	base, below := strings.CutSuffix(word, "/*")
	return target == word || below && strings.HasPrefix(target, base+"/")
}

func under(target, room string) bool { return target == room || strings.HasPrefix(target, room+"/") }

func (s *source) checkTheirs(spec *ast.ImportSpec, target string) {
	if (s.test || s.room == "cmd/cmdtest") && slices.ContainsFunc(strings.Fields(testLibraries), func(lib string) bool { return under(target, lib) }) {
		return
	}
	for lib, who := range rows(owners) {
		if under(target, lib) {
			if !slices.Contains(who, s.room) {
				s.fault(spec.Pos(), fmt.Sprintf("%s is owned by %s, not %s", lib, strings.Join(who, ", "), s.room))
			}
			return
		}
	}
	s.fault(spec.Pos(), target+" has no owner in the law")
}

func (s *source) checkStandard(spec *ast.ImportSpec, target string) {
	if s.test || target == "net/url" {
		return
	}
	if s.room == "localserver/llm/cassette" && under(target, "net") {
		s.fault(spec.Pos(), "a cassette opens no connection: it imports no "+target)
	}
	if !under(s.room, "personas") || slices.Contains(rows(ground)[s.room], target) {
		return
	}
	for _, closed := range []string{"net", "os", "database/sql", "math/rand", "syscall"} {
		if under(target, closed) {
			s.fault(spec.Pos(), fmt.Sprintf("nothing under personas imports %s but what the table ground names", closed))
		}
	}
}

func formatted(s *source) {
	pretty, err := format.Source(s.text)
	if err != nil || !bytes.Equal(pretty, bytes.ReplaceAll(s.text, []byte("\r\n"), []byte("\n"))) {
		s.fault(s.file.Package, "not formatted: gofmt -w "+s.path)
	}
}

func short(s *source) {
	if s.made {
		return
	}
	if lines := bytes.Count(s.text, []byte("\n")); lines > maxFile {
		s.fault(s.file.Package, fmt.Sprintf("%d lines, over %d: cut the file in two", lines, maxFile))
	}
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || s.test {
			continue
		}
		if lines := s.line(f.End()) - s.line(f.Pos()); lines > maxFunction {
			s.fault(f.Pos(), fmt.Sprintf("%s has %d lines, over %d", f.Name.Name, lines, maxFunction))
		}
	}
}

func (s *source) line(pos token.Pos) int { return s.fset.Position(pos).Line }

func noHiddenBeginnings(s *source) {
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "init" && f.Recv == nil && s.room != "cmd/early" {
			s.fault(f.Pos(), "only cmd/early has an init")
		}
	}
}

func noTesting(s *source) {
	for _, spec := range s.file.Imports {
		if !s.test && s.room != "cmd/cmdtest" && strings.HasPrefix(spec.Path.Value, `"testing`) {
			s.fault(spec.Pos(), "no testing in product code")
		}
	}
}
