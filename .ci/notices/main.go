// Command notices writes the licence notices of all Go code that is linked into parley, for every
// released system, to stdout: each module with the licence files in its packages' directories, and
// Go itself. It reads the module cache, which `go mod download` fills, and needs no network.
//
//	go run ./.ci/notices > docs/notices.txt
package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	tags   = "osusergo,netgo,sqlite_omit_load_extension"
	linked = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"
)

// licence matches the names of files that must be distributed with linked code.
var licence = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([.-].*)?$`)

// granted matches words that occur in every licence text.
var granted = regexp.MustCompile(`(?i)licen|redistribution and use in source and binary forms`)

// module is a linked module, and its licence texts by path.
type module struct {
	name, dir string
	licences  map[string]string
}

func main() {
	if err := writeNotices(os.Stdout, systems()); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// systems returns the released systems; see .goreleaser.yaml and .ci/macos.
func systems() []string {
	return []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64"}
}

func writeNotices(out io.Writer, systems []string) error {
	modules := map[string]*module{}
	for _, system := range systems {
		if err := addLinked(modules, system); err != nil {
			return err
		}
	}
	goroot, err := runGo(nil, "env", "GOROOT")
	if err != nil {
		return err
	}
	golang := &module{name: "Go, its run time and standard library", dir: goroot, licences: map[string]string{}}
	if err := golang.addFiles(goroot, licence); err != nil {
		return err
	}
	words := &module{name: "personas/intent/vectors.bin, the word vectors", licences: map[string]string{}, dir: filepath.Join("personas", "intent")}
	if err := words.addFiles(words.dir, regexp.MustCompile(`^VECTORS`)); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Parley is under the MIT licence (LICENSE). Its programs contain the modules below, each under its own licence.\n"+
		"Made by `go run ./.ci/notices` for %s.\n", strings.Join(systems, ", "))
	byName := func(a, b *module) int { return cmp.Compare(a.name, b.name) }
	for _, m := range append([]*module{golang, words}, slices.SortedFunc(maps.Values(modules), byName)...) {
		if len(m.licences) == 0 { // The module's licence is only in its README.
			if err := m.addFiles(m.dir, regexp.MustCompile(`^README`)); err != nil {
				return err
			}
		}
		if !granted.MatchString(fmt.Sprint(m.licences)) {
			return fmt.Errorf("%s has no licence in %s", m.name, m.dir)
		}
		m.describe(&b)
	}
	_, err = io.WriteString(out, b.String())
	return err
}

// addLinked adds the modules that are linked on a system, with the licence files in the directories
// from each package up to its module.
func addLinked(modules map[string]*module, system string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	listed, err := runGo([]string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=1"}, "list", "-deps", "-tags", tags, "-f", linked, "./cmd/parley")
	if err != nil {
		return err
	}
	for line := range strings.Lines(listed) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			continue
		}
		m := modules[fields[0]]
		if m == nil {
			m = &module{name: fields[0], dir: fields[1], licences: map[string]string{}}
			modules[m.name] = m
		}
		for folder := fields[2]; len(folder) >= len(m.dir); folder = filepath.Dir(folder) {
			if err := m.addFiles(folder, licence); err != nil {
				return err
			}
		}
	}
	return nil
}

// runGo returns the output of the go command, run with additional environment variables.
func runGo(variables []string, words ...string) (string, error) {
	p := exec.CommandContext(context.Background(), "go", words...) //nolint:gosec // all its arguments are in this file
	p.Env = append(os.Environ(), variables...)
	var said bytes.Buffer
	p.Stderr = &said
	out, err := p.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", p, err, said.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}

// addFiles adds the files of a directory with names that match a pattern.
func (m *module) addFiles(folder string, named *regexp.Regexp) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !named.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		name, err := filepath.Rel(m.dir, filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		m.licences[filepath.ToSlash(name)] = strings.Trim(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	}
	return nil
}

func (m *module) describe(b *strings.Builder) {
	for _, name := range slices.Sorted(maps.Keys(m.licences)) {
		fmt.Fprintf(b, "\n%[1]s\n%[2]s: %[3]s\n%[1]s\n\n%[4]s\n", strings.Repeat("=", 80), m.name, name, m.licences[name])
	}
}
