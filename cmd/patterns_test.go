package cmd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestPatternsCompile compiles all literal patterns, which the program compiles at their first use.
func TestPatternsCompile(t *testing.T) {
	t.Parallel()
	count := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git") {
			return skipFolder(err)
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			name := called(call)
			text, ok := literal(call.Args[0])
			if !ok || name != "plaintext.Pattern" && name != "regexp.MustCompile" {
				return true
			}
			count++
			_, err := regexp.Compile(text)
			assert.True(t, err == nil, "%s: %v", path, err)
			return true
		})
		return nil
	})
	assert.True(t, err == nil && count >= 40, "%d patterns: %v", count, err)
}

func skipFolder(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// literal returns a text that is written as one literal or as a sum of them.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, okLeft := literal(e.X)
		right, okRight := literal(e.Y)
		return left + right, okLeft && okRight
	}
	return "", false
}

func called(e *ast.CallExpr) string {
	switch f := e.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
	}
	return ""
}
