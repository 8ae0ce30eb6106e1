package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/plaintext"
)

// commandText is the part of a message that somebody copies into a shell: the text between
// backticks after parley, after parley and a command, or a flag with its value.
var commandText = regexp.MustCompile("`parley [^`]*`|parley (?:chat|say|persona|session|progress|localserver|key|auth|profile|config|api) [^`,;]*|--(?:llm|llm-record|llm-replay|id|data|server) (?:%[sqv]|$)|(?:chmod|rm|mv) [^`,;]*")

var verb = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)

// hintIsQuoted reports whether an expression is quoted for a shell, or needs no quotes.
func hintIsQuoted(e ast.Expr) bool {
	if word, ok := e.(*ast.Ident); ok {
		return word.Name == "typed" // A word that was quoted before.
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	if name == "Clean" {
		return hintIsQuoted(call.Args[0])
	}
	return slices.Contains([]string{"ShellWord", "ShellFile", "dataFlag"}, name)
}

func textOf(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// hintsOf returns the expressions in commands of a message: a format with values, or added texts.
func hintsOf(n ast.Node) (values []ast.Expr) {
	switch n := n.(type) {
	case *ast.CallExpr:
		for at, format := range n.Args {
			text, ok := textOf(format)
			if !ok || at+1 == len(n.Args) {
				continue
			}
			for _, span := range commandText.FindAllStringIndex(text, -1) {
				first := len(verb.FindAllString(text[:span[0]], -1))
				for i := range verb.FindAllString(text[span[0]:span[1]], -1) {
					if place := at + 1 + first + i; place < len(n.Args) {
						values = append(values, n.Args[place])
					}
				}
			}
		}
	case *ast.BinaryExpr:
		left := n.X
		if added, ok := left.(*ast.BinaryExpr); ok {
			left = added.Y
		}
		if text, ok := textOf(left); ok && n.Op == token.ADD {
			for _, span := range commandText.FindAllStringIndex(text, -1) {
				if _, also := textOf(n.Y); span[1] == len(text) && !also {
					values = append(values, n.Y)
				}
			}
		}
	}
	return values
}

// TestHintsAreQuoted: every command that a message suggests quotes its arguments for the user's shell.
func TestHintsAreQuoted(t *testing.T) {
	t.Parallel()
	top, found := cmdtest.RepositoryRoot(t), 0
	for _, wing := range []string{"cmd", "localserver", "client", "tui"} {
		err := filepath.WalkDir(filepath.Join(top, wing), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "cmdtest") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for _, value := range hintsOf(n) {
					found++
					if !hintIsQuoted(value) {
						t.Errorf("%s: this stands in a command that people copy: quote it with plaintext.ShellWord or ShellFile", files.Position(value.Pos()))
					}
				}
				return true
			})
			return nil
		})
		assert.NoError(t, err)
	}
	assert.True(t, found >= 15, "only %d hints were found", found)
}

// TestQuotedWords: a real shell reads the same word back, and runs nothing.
func TestQuotedWords(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no POSIX shell")
	}
	for _, word := range []string{"plain", "", "a b", "$(touch x)", "`id`", "it's", "'; touch x; '", "a;b", "&", "*", "~", "!x", "#c", "\\", "\"", "é ü", "=cat", "{a,b}"} {
		for _, shell := range []string{"sh", "bash"} {
			if _, err := exec.LookPath(shell); err != nil {
				continue
			}
			p := exec.Command(shell, "-c", "printf %s "+plaintext.ShellWord(word))
			p.Dir = t.TempDir()
			if got, err := p.Output(); err != nil || string(got) != word {
				t.Errorf("%s: %q became %q, %v", shell, word, got, err)
			}
		}
	}
	assert.Equal(t, plaintext.ShellFile("-rf"), "./-rf", "a file that looks like a flag")
	assert.NotContains(t, plaintext.ShellWord("a\n::error::b"), "\n", "two lines")
}
