package settings

import (
	"bytes"
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

// Edit changes a settings file under a lock in the directory marks. If path is a symbolic link, the
// target changes. A new user file is readable for the owner only.
func Edit(path, marks string, change func(src []byte) ([]byte, error)) error {
	nameBeforeLinks := filepath.Base(path)
	path, err := resolveTarget(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(marks, 0o700); err != nil {
		return fmt.Errorf("settings file %s: %w", path, err)
	}
	sum := sha256.Sum256([]byte(path))
	release, err := lockWithin(lockTimeout, filepath.Join(marks, hex.EncodeToString(sum[:8])+".settings"))
	if err != nil {
		return fmt.Errorf("cannot lock settings file %s; another parley may be changing it: %w", path, err)
	}
	defer release()
	src, err := readSource(path)
	if err != nil {
		return err
	}
	changed, err := change(src)
	if err != nil || bytes.Equal(changed, src) {
		return err
	}
	return atomicfile.Write(path, changed, modeOf(path, nameBeforeLinks))
}

// resolveTarget resolves links, because all processes must lock the same name.
func resolveTarget(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err == nil {
		return resolved, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("settings file %w", err)
	}
	folder := filepath.Dir(path)
	if to, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join(folder, to)
		}
		return resolveTarget(to)
	}
	if err = os.MkdirAll(folder, 0o700); err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return "", fmt.Errorf("settings file %s: %w", path, err)
	}
	return filepath.Join(folder, filepath.Base(path)), nil
}

func modeOf(path, nameBeforeLinks string) fs.FileMode {
	if nameBeforeLinks != ProjectFile {
		return 0o600
	}
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// Put returns the text of a settings file with value at a path. Comments and layout stay.
func Put(src []byte, value string, path ...string) ([]byte, error) {
	value = strings.ToValidUTF8(value, "\uFFFD")
	if isBlank(src) {
		t := &fileTree{src: src}
		return t.insertLines(bytes.Count(src, []byte("\n"))+1, "", value, path, 0)
	}
	t, err := readFileTree(src)
	if err != nil {
		return nil, err
	}
	switch {
	case t.hasValue(value, path):
		return src, nil
	case t.places.Has(joinNames(path)):
		return t.replaceValue(value, path)
	}
	return t.addMember(value, path)
}

// Remove returns the text of a settings file without a member. Empty groups are removed too.
func Remove(src []byte, path ...string) ([]byte, error) {
	if isBlank(src) {
		return src, nil
	}
	t, err := readFileTree(src)
	if err != nil {
		return nil, err
	}
	for ; len(path) > 0 && t.places.Has(joinNames(path)); path = path[:len(path)-1] {
		if len(t.objectAt(path[:len(path)-1])) > 1 {
			return withFinalNewline(personas.RemoveMember(src, joinNames(path)))
		}
		if len(path) == 1 {
			return t.removeOnlyMember(path[0])
		}
	}
	return src, nil
}

func withFinalNewline(src []byte, err error) ([]byte, error) {
	if err != nil || bytes.HasSuffix(src, []byte("\n")) || json.Valid(src) {
		return src, err
	}
	return append(src, '\n'), nil
}

// HasText reports whether a settings file has the string value at a path.
func HasText(src []byte, value string, path ...string) bool {
	t, err := readFileTree(src)
	return err == nil && t.hasValue(value, path)
}

type fileTree struct {
	src    []byte
	value  map[string]any
	places personas.SourceMap
}

func readFileTree(src []byte) (*fileTree, error) {
	value, places, faults := personas.Values("", src)
	if len(faults) > 0 {
		return nil, fmt.Errorf("line %d: %s; correct this error first", faults[0].Line, faults[0].Message)
	}
	t := &fileTree{src: src, places: places}
	if json.Unmarshal(value, &t.value) != nil || t.value == nil {
		return nil, errors.New("the file contains something other than settings; edit it by hand")
	}
	return t, nil
}

func (t *fileTree) objectAt(path []string) map[string]any {
	at := t.value
	for _, name := range path {
		at, _ = at[name].(map[string]any)
	}
	return at
}

func joinNames(path []string) string {
	at := ""
	for _, name := range path {
		at = personas.JoinPath(at, name)
	}
	return at
}

func (t *fileTree) replaceValue(value string, path []string) ([]byte, error) {
	if changed, err := personas.SetScalar(t.src, joinNames(path), value); err == nil {
		// Without quotes, text such as "123" becomes a number.
		if again, err := readFileTree(changed); err == nil && again.hasValue(value, path) {
			return changed, nil
		}
	}
	return personas.Replace(t.src, joinNames(path), quoteText(value))
}

func (t *fileTree) hasValue(value string, path []string) bool {
	last := len(path) - 1
	return t.objectAt(path[:last])[path[last]] == value
}

func (t *fileTree) addMember(value string, path []string) ([]byte, error) {
	depth := len(path) - 1
	for depth > 0 && !t.places.Has(joinNames(path[:depth])) {
		depth--
	}
	members := t.objectAt(path[:depth])
	isScalar := depth > 0 && members == nil && t.objectAt(path[:depth-1])[path[depth-1]] != nil
	if isScalar {
		return nil, fmt.Errorf(
			"%s is a single value, not a group of settings; edit the file by hand", joinNames(path[:depth]))
	}
	if len(members) > 0 && !json.Valid(t.src) {
		line, indent := 0, ""
		for name := range members {
			at := joinNames(append(slices.Clone(path[:depth]), name))
			line, indent = max(line, t.places.Lookup(at).EndLine), strings.Repeat(" ", t.places.Key(at).Column-1)
		}
		if changed, err := t.insertLines(line, indent, value, path, depth); err == nil {
			return changed, nil
		}
	}
	changed, err := withFinalNewline(personas.AddMember(t.src, joinNames(path), quoteText(value)))
	if err != nil {
		return nil, fmt.Errorf("no clear place for %s was found in this file; add the setting by hand", joinNames(path))
	}
	return changed, nil
}

func (t *fileTree) insertLines(line int, indent, value string, path []string, depth int) ([]byte, error) {
	lineEnd := "\n"
	if bytes.Contains(t.src, []byte("\r\n")) {
		lineEnd = "\r\n"
	}
	lines := bytes.SplitAfter(t.src, []byte("\n"))
	before := bytes.Join(lines[:min(line, len(lines))], nil)
	if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
		before = append(before, lineEnd...)
	}
	after := bytes.Join(lines[min(line, len(lines)):], nil)
	plain := func(text string) string { return text }
	notations := []struct{ name, value func(string) string }{{plain, plain}, {plain, quoteText}, {quoteText, quoteText}}
	for _, notation := range notations {
		var block strings.Builder
		for i, name := range path[depth:] {
			fmt.Fprintf(&block, "%s%s%s:", indent, strings.Repeat("  ", i), notation.name(name))
			if i < len(path[depth:])-1 {
				block.WriteString(lineEnd)
			}
		}
		block.WriteString(" " + notation.value(value) + lineEnd)
		changed := slices.Concat(before, []byte(block.String()), after)
		if HasText(changed, value, path...) {
			return changed, nil
		}
	}
	return nil, fmt.Errorf("%s cannot be written as %s", joinNames(path), quoteText(value))
}

func (t *fileTree) removeOnlyMember(name string) ([]byte, error) {
	lines := bytes.SplitAfter(t.src, []byte("\n"))
	path := personas.JoinPath("", name)
	first, last := t.places.Key(path).Line, t.places.Lookup(path).EndLine
	rest := slices.Concat(bytes.Join(lines[:first-1], nil), bytes.Join(lines[min(last, len(lines)):], nil))
	if !isBlank(rest) {
		return nil, fmt.Errorf("%s cannot be removed without changing other lines; edit the file by hand", name)
	}
	return rest, nil
}

func quoteText(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}
