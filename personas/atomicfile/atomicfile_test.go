package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// holds fails the test unless a file has this content and mode, and its directory contains exactly the named files.
func holds(t *testing.T, path, content string, mode fs.FileMode, names ...string) {
	t.Helper()
	assert.Equal(t, string(assert.Value(os.ReadFile(path))(t, path)), content, path)
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
		t.Errorf("%s is %v, not %v: %v", path, info.Mode(), mode, err)
	}
	entries := assert.Value(os.ReadDir(filepath.Dir(path)))(t)
	assert.Equal(t, len(entries), len(names), "there are %v, not %v", entries, names)
}

func put(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	assert.NoError(t, errors.Join(os.WriteFile(path, []byte(content), mode), os.Chmod(path, mode)))
}

func TestWrite(t *testing.T) {
	for _, tt := range []struct {
		name    string
		before  string // "" means that the file does not exist
		content string
		mode    fs.FileMode
	}{
		{"a new file", "", "new", 0o644},
		{"a private one", "", "new", 0o600},
		{"an empty one", "", "", 0o600},
		{"an existing file gets the rights that are given", "old and longer", "new", 0o640},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a")
			if tt.before != "" {
				put(t, path, tt.before, 0o600)
			}
			assert.NoError(t, atomicfile.Write(path, []byte(tt.content), tt.mode))
			holds(t, path, tt.content, tt.mode, "a")
		})
	}
}

func TestLinks(t *testing.T) {
	for _, tt := range []struct {
		name        string
		write       func(path string) error
		stays       bool
		behind      string
		mode        fs.FileMode
		linkContent string
	}{
		{"Write replaces a link", func(path string) error { return atomicfile.Write(path, []byte("new"), 0o644) }, false, "old", 0o644, "new"},
		{"Rewrite follows a link", func(path string) error { return atomicfile.Rewrite(path, []byte("new")) }, true, "new", 0o640, "new"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
			put(t, file, "old", 0o640)
			if err := os.Symlink(file, link); err != nil {
				t.Skip(err)
			}
			assert.NoError(t, tt.write(link))
			holds(t, file, tt.behind, 0o640, "file", "link")
			holds(t, link, tt.linkContent, tt.mode, "file", "link")
			assert.True(t, (assert.Value(os.Lstat(link))(t).Mode().Type() == fs.ModeSymlink) == tt.stays, "the link")
		})
	}
}

func TestRewrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	assert.ErrorIs(t, atomicfile.Rewrite(path, nil), fs.ErrNotExist, "a missing file")
	put(t, path, "old", 0o640)
	assert.NoError(t, atomicfile.Rewrite(path, []byte("new")))
	holds(t, path, "new", 0o640, "a")
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	assert.NoError(t, atomicfile.Create(path, []byte("first"), 0o600))
	holds(t, path, "first", 0o600, "a")
	assert.ErrorIs(t, atomicfile.Create(path, []byte("second"), 0o644), fs.ErrExist, "an existing file")
	holds(t, path, "first", 0o600, "a")
}

// TestFailedWriteLeavesNoFile: a failed write leaves no temporary file, and the old file is unchanged.
func TestFailedWriteLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	assert.NoError(t, os.MkdirAll(filepath.Join(folder, "in"), 0o700))
	for _, tt := range []struct {
		name  string
		write func() error
	}{
		{"over a folder", func() error { return atomicfile.Write(folder, []byte("x"), 0o600) }},
		{"into no folder", func() error { return atomicfile.Write(filepath.Join(dir, "none", "a"), []byte("x"), 0o600) }},
		{"created over a folder", func() error { return atomicfile.Create(folder, []byte("x"), 0o600) }},
		{"created in no folder", func() error { return atomicfile.Create(filepath.Join(dir, "none", "a"), []byte("x"), 0o600) }},
		{"a folder written anew", func() error { return atomicfile.Rewrite(folder, []byte("x")) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.True(t, tt.write() != nil, "no error")
			assert.Equal(t, len(assert.Value(os.ReadDir(dir))(t)), 1, "the directory contains")
			assert.Equal(t, len(assert.Value(os.ReadDir(folder))(t)), 1, "the directory contains")
		})
	}
}
