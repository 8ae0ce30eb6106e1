package config

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// Edit changes a settings file by a function of its text. Other processes wait;
// the file is written whole or not at all, and a link to it stays one. A file
// that is new can be read by its owner alone, unless it is a project's. The mark
// that it is in use stands in the folder marks.
func Edit(path, marks string, change func(src []byte) ([]byte, error)) error {
	kind := filepath.Base(path)
	path, err := target(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(marks, 0o700); err != nil {
		return fmt.Errorf("settings file %s: %w", path, err)
	}
	sum := sha256.Sum256([]byte(path))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	release, err := Lock(ctx, filepath.Join(marks, hex.EncodeToString(sum[:8])+".settings"))
	if err != nil {
		return fmt.Errorf("settings file %s, which another parley may be changing: %w", path, err)
	}
	defer release()
	src, err := source(path)
	if err != nil {
		return err
	}
	changed, err := change(src)
	if err != nil || bytes.Equal(changed, src) {
		return err
	}
	return atomicfile.Write(path, changed, modeOf(path, kind))
}

// target is the file that a path means, behind links. One that is not there yet has a
// folder afterwards and is named like one that is: all processes name it alike.
func target(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("settings file %w", err)
	}
	folder := filepath.Dir(path)
	if to, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join(folder, to)
		}
		return target(to)
	}
	if err = os.MkdirAll(folder, 0o700); err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return "", fmt.Errorf("settings file %s: %w", path, err)
	}
	return filepath.Join(folder, filepath.Base(path)), nil
}

// modeOf is how a settings file of a kind, the name by which it was found, is to be
// readable: a project's as it was, the user's by its owner alone.
func modeOf(path, kind string) fs.FileMode {
	if kind != ProjectFile {
		return 0o600
	}
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// Put gives the text of a settings file with a setting at a path of names, such
// as server, or profiles, work, server. All else, comments and layout included,
// is as it was; the result was read again to know that.
func Put(src []byte, value string, path ...string) ([]byte, error) {
	if isBlank(src) {
		return begin(src, value, path)
	}
	t, err := readTree(src)
	if err != nil {
		return nil, err
	}
	switch {
	case t.holds(value, path):
		return src, nil
	case t.places.Has(joined(path)):
		return t.replace(value, path)
	}
	return t.add(value, path)
}

// Remove gives the text of a settings file without the member at a path of
// names, and without what would be empty then. One that is not there is no error.
func Remove(src []byte, path ...string) ([]byte, error) {
	if isBlank(src) {
		return src, nil
	}
	t, err := readTree(src)
	if err != nil {
		return nil, err
	}
	for ; len(path) > 0 && t.places.Has(joined(path)); path = path[:len(path)-1] {
		if len(t.object(path[:len(path)-1])) > 1 {
			return withEnd(personas.RemoveMember(src, joined(path)))
		}
		if len(path) == 1 {
			return t.empty(path[0])
		}
	}
	return src, nil
}

// withEnd gives a text of lines the line end that the removal of its last line took.
func withEnd(src []byte, err error) ([]byte, error) {
	if err != nil || bytes.HasSuffix(src, []byte("\n")) || bytes.HasSuffix(src, []byte("}")) {
		return src, err
	}
	return append(src, '\n'), nil
}

// Says tells whether a settings file's text has this text at a path of names.
func Says(src []byte, value string, path ...string) bool {
	t, err := readTree(src)
	return err == nil && t.holds(value, path)
}

// tree is a settings file's text with what stands in it.
type tree struct {
	src    []byte
	value  map[string]any
	places personas.SourceMap
}

func readTree(src []byte) (*tree, error) {
	value, places, faults := personas.Values("", src)
	if len(faults) > 0 {
		return nil, fmt.Errorf("line %d: %s; put that right first", faults[0].Pos.Line, faults[0].Message)
	}
	t := &tree{src: src, places: places}
	if json.Unmarshal(value, &t.value) != nil || t.value == nil {
		return nil, errors.New("there is something else than settings in it; edit it by hand")
	}
	return t, nil
}

// object is the object at a path, nil when there is none.
func (t *tree) object(path []string) map[string]any {
	at := t.value
	for _, name := range path {
		at, _ = at[name].(map[string]any)
	}
	return at
}

func joined(path []string) string {
	at := ""
	for _, name := range path {
		at = joinPath(at, name)
	}
	return at
}

func (t *tree) replace(value string, path []string) ([]byte, error) {
	if changed, err := personas.SetScalar(t.src, joined(path), value); err == nil {
		// A number may be written as the text is, and stays a number.
		if again, err := readTree(changed); err == nil && again.holds(value, path) {
			return changed, nil
		}
	}
	return personas.Replace(t.src, joined(path), quoted(value))
}

// holds tells whether the value at a path is this text.
func (t *tree) holds(value string, path []string) bool {
	last := len(path) - 1
	return t.object(path[:last])[path[last]] == value
}

// add puts a member that is not there where its object ends.
func (t *tree) add(value string, path []string) ([]byte, error) {
	depth := len(path) - 1
	for depth > 0 && !t.places.Has(joined(path[:depth])) {
		depth--
	}
	if depth > 0 && t.object(path[:depth]) == nil && t.object(path[:depth-1])[path[depth-1]] != nil {
		return nil, fmt.Errorf("%s has a value and not settings in it; edit the file by hand", joined(path[:depth]))
	}
	want, _ := json.Marshal(with(t.value, value, path))
	for _, changed := range t.ways(value, path, depth) {
		again, err := readTree(changed)
		if err != nil {
			continue
		}
		if got, _ := json.Marshal(again.value); bytes.Equal(got, want) {
			return changed, nil
		}
	}
	return nil, fmt.Errorf("%s has no place in this file that is clear; write it by hand", joined(path))
}

// with is a copy of an object with a value at a path.
func with(object map[string]any, value string, path []string) map[string]any {
	changed := map[string]any{}
	for name, v := range object {
		changed[name] = v
	}
	if len(path) == 1 {
		changed[path[0]] = value
		return changed
	}
	inner, _ := object[path[0]].(map[string]any)
	changed[path[0]] = with(inner, value, path[1:])
	return changed
}

// ways are the texts that may be the one with the member: a line of its own
// behind the object's last one, at the end of the file, or before a closing brace.
func (t *tree) ways(value string, path []string, depth int) [][]byte {
	owner, rest := path[:depth], path[depth:]
	var all [][]byte
	column, line := t.layout(owner)
	for _, block := range blocksOf(value, rest, strings.Repeat(" ", column-1)) {
		all = append(all, t.insertLine(line, block), t.insertLine(bytes.Count(t.src, []byte("\n"))+1, block))
	}
	inner := flowOf(value, rest)
	if len(t.object(owner)) > 0 {
		inner = ", " + inner
	}
	if brace := t.closing(owner); brace >= 0 {
		all = append(all, slices.Concat(t.src[:brace], []byte(inner), t.src[brace:]))
	}
	if at := joined(owner); depth > 0 && len(t.object(owner)) == 0 && t.places.Has(at) {
		for _, space := range []string{"", " "} {
			if changed, err := personas.Replace(t.src, at, space+"{"+flowOf(value, rest)+"}"); err == nil {
				all = append(all, changed)
			}
		}
	}
	return all
}

// layout is the column at which an object's names begin, and the line behind
// which another can stand.
func (t *tree) layout(owner []string) (column, line int) {
	column = 1
	for name := range t.object(owner) {
		at := joined(append(slices.Clone(owner), name))
		column = t.places.Key(at).Column
		line = max(line, t.places.Lookup(at).EndLine)
	}
	return column, line
}

// insertLine puts a text behind a line, counted from 1.
func (t *tree) insertLine(line int, text string) []byte {
	lines := bytes.SplitAfter(t.src, []byte("\n"))
	line = min(line, len(lines))
	before := bytes.Join(lines[:line], nil)
	if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
		before = append(before, '\n')
	}
	return slices.Concat(before, []byte(t.lineEnds(text)), bytes.Join(lines[line:], nil))
}

// lineEnds gives a text the line ends of the file.
func (t *tree) lineEnds(text string) string {
	if bytes.Contains(t.src, []byte("\r\n")) {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// closing is where the brace that ends an object stands, -1 without one.
func (t *tree) closing(owner []string) int {
	at := t.places.Lookup(joined(owner))
	lines := bytes.SplitAfter(t.src, []byte("\n"))
	if at.EndLine < 1 || at.EndLine > len(lines) {
		return -1
	}
	before := []rune(string(bytes.TrimPrefix(lines[at.EndLine-1], []byte("\ufeff"))))
	if at.EndColumn < 2 || at.EndColumn-2 >= len(before) || before[at.EndColumn-2] != '}' {
		return -1
	}
	start := len(bytes.Join(lines[:at.EndLine-1], nil))
	if at.EndLine == 1 && bytes.HasPrefix(t.src, []byte("\ufeff")) {
		start += len("\ufeff")
	}
	return start + len(string(before[:at.EndColumn-2]))
}

// empty takes the only member out of a file: its comments stay.
func (t *tree) empty(name string) ([]byte, error) {
	lines := bytes.SplitAfter(t.src, []byte("\n"))
	first, last := t.places.Key(joinPath("", name)).Line, t.places.Lookup(joinPath("", name)).EndLine
	rest := slices.Concat(bytes.Join(lines[:first-1], nil), bytes.Join(lines[min(last, len(lines)):], nil))
	if !isBlank(rest) {
		return nil, fmt.Errorf("%s cannot be taken out alone; edit the file by hand", name)
	}
	return rest, nil
}

// begin adds a first setting to a text of nothing but comments.
func begin(src []byte, value string, path []string) ([]byte, error) {
	t := &tree{src: src}
	for _, block := range blocksOf(value, path, "") {
		changed := t.insertLine(bytes.Count(src, []byte("\n"))+1, block)
		if again, err := readTree(changed); err == nil && again.holds(value, path) {
			return changed, nil
		}
	}
	return nil, fmt.Errorf("%s cannot be written as %s", joined(path), quoted(value))
}

// blocksOf are the ways to write nested names, a line each, with a value behind
// the last one: without quotes where that means the same.
func blocksOf(value string, path []string, indent string) []string {
	plain := func(text string) string { return text }
	return []string{
		blockOf(value, path, indent, plain), blockOf(quoted(value), path, indent, plain), blockOf(quoted(value), path, indent, quoted),
	}
}

func blockOf(value string, path []string, indent string, name func(string) string) string {
	var b strings.Builder
	for i := range path {
		fmt.Fprintf(&b, "%s%s%s:", indent, strings.Repeat("  ", i), name(path[i]))
		if i < len(path)-1 {
			b.WriteByte('\n')
		}
	}
	return b.String() + " " + value + "\n"
}

// flowOf writes nested names on one line, as YAML and JSON both read them.
func flowOf(value string, path []string) string {
	text := quoted(value)
	for i, name := range slices.Backward(path) {
		text = quoted(name) + ": " + text
		if i > 0 {
			text = "{" + text + "}"
		}
	}
	return text
}

// quoted is a text in quotes that YAML and JSON both read.
func quoted(text string) string {
	out, _ := json.Marshal(text) // a string always becomes JSON
	return string(out)
}
