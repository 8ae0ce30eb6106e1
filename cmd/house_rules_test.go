package cmd_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// noGlobals allows package-level variables that are errors, tables, embedded
// files, compile-time assertions, and cli.version, which the linker sets.
func noGlobals(s *source) {
	if s.test || s.made || s.room == "cmd/early" {
		return
	}
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			if v := spec.(*ast.ValueSpec); !s.fixed(g, v) {
				s.fault(v.Pos(), "a package-level variable is an error, a table or an embedded file")
			}
		}
	}
}

func (s *source) fixed(g *ast.GenDecl, v *ast.ValueSpec) bool {
	if embedded(g.Doc) || embedded(v.Doc) || v.Names[0].Name == "_" || s.room == "cmd/cli" && v.Names[0].Name == "version" {
		return true
	}
	if id, ok := v.Type.(*ast.Ident); ok && id.Name == "error" {
		return true
	}
	for _, value := range v.Values {
		if !constant(value) {
			return false
		}
	}
	return len(v.Values) > 0
}

// constant reports whether an expression is a table, an error, or made of them.
func constant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		return constant(e.X)
	case *ast.CallExpr:
		name := called(e)
		return name == "errors.New" || name == "fmt.Errorf" || name == "plaintext.Pattern" || name == "Pattern" || name == "sync.OnceValue" || name == "strings.NewReplacer"
	}
	return false
}

func embedded(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, "//go:embed ") {
			return true
		}
	}
	return false
}

// called is the name of a called function as it is written: "fmt.Println".
func called(e *ast.CallExpr) string { return dotted(e.Fun) }

func dotted(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return dotted(e.X) + "." + e.Sel.Name
	}
	return ""
}

// uses reports every use of one of the names in a file.
func (s *source) uses(rule string, names ...string) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		for _, name := range names {
			if dotted(e) == name {
				s.fault(e.Pos(), name+": "+rule)
			}
		}
		return true
	})
}

func noPrinting(s *source) {
	if s.test || s.room == "cmd" || s.room == "cmd/parley" || s.room == "cmd/cli" || s.room == "cmd/cmdtest" {
		return
	}
	s.uses("only cmd and the streams of cmd/cli print and exit", "os.Exit", "os.Stdout", "os.Stderr", "fmt.Print", "fmt.Println", "fmt.Printf", "print", "println",
		"log.Print", "log.Printf", "log.Println", "log.Fatal", "log.Fatalf", "slog.Default")
}

func noEnvironment(s *source) {
	if s.test || under(s.room, "cmd") {
		return
	}
	s.uses("the environment is read in cmd only", "os.Getenv", "os.LookupEnv", "os.Environ", "os.Setenv")
}

func noClock(s *source) {
	if s.test || !under(s.room, "personas") {
		return
	}
	for _, clock := range []string{"time.Now", "time.Since", "time.Until", "time.After", "time.AfterFunc", "time.Sleep", "time.NewTimer", "time.NewTicker", "time.Tick"} {
		if !slices.Contains(rows(ground)[s.room], clock) {
			s.uses("nothing under personas reads a clock", clock)
		}
	}
}
