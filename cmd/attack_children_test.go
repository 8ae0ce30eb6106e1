package cmd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
)

// childMakers are the files that start programs or read the whole environment. For each, a test
// checks that its children get no secrets.
var childMakers = []string{
	"cmd/persona/revision.go", "cmd/cli/pager.go", "cmd/auth/auth_browser.go", "cmd/play/editor.go", "cmd/play/tmux.go", "cmd/serve/localserver_exec.go",
}

// environmentCalls are what may be said in childMakers only; changing the environment
// of the process may cmd/service/secrets.go and cmd/early alone.
var environmentCalls = map[string][]string{
	"exec.Command": childMakers, "exec.CommandContext": childMakers, "exec.Cmd": childMakers,
	"os.Environ": childMakers, "syscall.Environ": childMakers,
	"os.StartProcess": nil, "syscall.Exec": nil, "syscall.ForkExec": nil, "syscall.StartProcess": nil,
	"os.Setenv": {"cmd/early/early.go"}, "os.Unsetenv": {"cmd/early/early.go", "cmd/service/secrets.go"}, "os.Clearenv": nil,
}

// TestHouseChildren: programs are started in few places, and only exec can pass secrets to them,
// because the environment of the process holds none.
func TestHouseChildren(t *testing.T) {
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(filepath.Clean(file), ".."+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || name == "cmd/cmdtest" || name == "localserver/store/double"): // for tests
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := selector.X.(*ast.Ident); ok {
				if may, ruled := environmentCalls[of.Name+"."+selector.Sel.Name]; ruled && !slices.Contains(may, name) {
					t.Errorf("%s says %s.%s: children are started in %v, each with a test of its environment", name, of.Name, selector.Sel.Name, childMakers)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryKeyIsHidden: a provider that is added to the table has its keys hidden from
// other programs.
func TestEveryKeyIsHidden(t *testing.T) {
	hidden := service.HiddenVariables()
	for _, p := range localserver.Providers() {
		for _, name := range append(p.KeyVariables, localserver.KeyVariables()...) {
			if !slices.Contains(hidden, name) {
				t.Errorf("%s of %s is not hidden", name, p.Title)
			}
		}
	}
}
