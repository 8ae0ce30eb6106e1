package tui

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
)

// recognized are the files with runes that are only searched for in texts, or for terminals that
// show pictures, and never drawn as signs.
var recognized = map[string]bool{"lines/sentences.go": true, "views/transcript_streaming.go": true, "terminal/repertoire.go": true, "views/kitty.go": true}

// Every rune that the chat draws has a replacement in ASCII. A new rune needs a pair in tui/terminal/repertoire.go.
func TestEveryDrawnRuneHasItsASCII(t *testing.T) {
	for _, folder := range []string{".", "../personas/playwords"} {
		err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "tuitest") || recognized[filepath.ToSlash(path)] {
				return err
			}
			return checkDrawnRunes(t, path)
		})
		assert.NoError(t, err)
	}
}

func checkDrawnRunes(t *testing.T, path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, is := n.(*ast.BasicLit)
		if !is || literal.Kind != token.STRING && literal.Kind != token.CHAR {
			return true
		}
		text := assert.Value(strconv.Unquote(literal.Value))(t)
		for _, r := range text {
			isMark := unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) // They draw nothing.
			if got := terminal.PlainSigns.LimitText(string(r)); !isMark && (r > '~' && got == string(r)) {
				t.Errorf("%s draws %q, which lacks a replacement in ASCII", path, r)
			}
		}
		return true
	})
	return nil
}

// TestASCIIScreens: if the terminal does not decode UTF-8, all screens are pure ASCII in the same columns.
func TestASCIIScreens(t *testing.T) {
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			d := s.make(t)
			d.root.env.opts.Repertoire = terminal.OnlyASCII
			for _, size := range [][2]int{{40, 12}, {120, 40}, {80, 24}} {
				d.Resize(size[0], size[1])
				exact(t, d.root.View(), size[0], size[1])
				if at := strings.IndexFunc(d.screen(), func(r rune) bool { return r > '~' }); at >= 0 {
					t.Fatalf("%v has %q:\n%s", size, d.screen()[at:min(at+4, len(d.screen()))], d.screen())
				}
			}
			golden(t, fmt.Sprintf("ascii/%s-80x24", s.name), d.screen())
		})
	}
}

// TestPlainSignsKeepTexts: if the terminal reads UTF-8 but may lack signs, texts stay unchanged.
func TestPlainSignsKeepTexts(t *testing.T) {
	for _, s := range screens {
		d := s.make(t)
		before := d.screen()
		d.root.env.opts.Repertoire = terminal.PlainSigns
		if s.name == "scripts" {
			d.shows("日本語の文章は", "cafe\u0301", "שלום")
		}
		assert.Equal(t, d.screen(), terminal.PlainSigns.LimitText(before), s.name)
	}
}
