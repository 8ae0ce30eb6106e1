package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// findPersonaFiles finds the persona files of a command line as lint does. single
// tells that there is one, and that it was named by itself.
func findPersonaFiles(a *Streams, paths []string) (found []Found, single bool, err error) {
	files, err := findFiles(paths, mayBePersona)
	if err != nil {
		return nil, false, err
	}
	found = slices.DeleteFunc(slices.Clone(files), func(f Found) bool { return isPlayFile(f.path) })
	switch {
	case len(found) == 0 && len(files) > 0:
		return nil, false, UsageError("%s is a play-through, no persona file; `parley persona test` plays it", files[0].path)
	case len(found) == 0:
		return nil, false, NoPersonaError(paths)
	}
	return found, len(paths) == 1 && isOneFile(paths[0]), nil
}

func NoPersonaError(paths []string) error {
	return UsageError("there is no persona file in %s; a persona file is YAML or JSON with a %s and machines", strings.Join(paths, ", "), promptMember)
}

// isOneFile tells whether a path names one file, be it there or not.
func isOneFile(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) || !isGlob(path)
	}
	return !info.IsDir()
}

// Document is a persona file that was read; err is why nothing of it is to be used.
type Document struct {
	name string
	doc  personas.Persona
	err  error
}

// readSoundFiles reads and checks files, several at a time; what is wrong with them is
// reported on stderr in their order. A file that was only found in a folder and is
// no persona is left out.
func readSoundFiles(ctx context.Context, a *Streams, found []Found) ([]Document, error) {
	type reading struct {
		file *File
		err  error
	}
	read := make([]reading, len(found))
	jobs := make([]func(), len(found))
	for i, file := range found {
		jobs[i] = func() {
			if ctx.Err() == nil {
				read[i].file, read[i].err = readFound(a, file)
			}
		}
	}
	RunParallel(runtime.NumCPU(), jobs)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var files []Document
	for i, r := range read {
		if r.file == nil && r.err == nil {
			continue
		}
		f := Document{name: found[i].path, err: r.err}
		if r.err == nil {
			f.doc, f.err = checkDocument(a, r.file)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, UsageError("there is no persona among %s", Pluralize(len(found), "file"))
	}
	return files, nil
}

// readFound reads and checks a file; it gives nil for a file in a folder that is no
// persona.
func readFound(a *Streams, found Found) (*File, error) {
	name, source, err := readSource(a, found.path)
	if err != nil {
		return nil, err
	}
	if !found.named && !mentionsPersona(source) {
		return nil, nil
	}
	f := CheckSource(name, source)
	if !found.named && !f.isPersona() {
		return nil, nil
	}
	return f, nil
}

// readSoundPersona reads a file that a server would take; what is wrong with
// another one is reported on stderr.
func readSoundPersona(a *Streams, file string) (personas.Persona, error) {
	f, err := readPersonaFile(a, file)
	if err != nil {
		return personas.Persona{}, err
	}
	return checkDocument(a, f)
}

func checkDocument(a *Streams, f *File) (personas.Persona, error) {
	f.dropInfos()
	if err := reportFindings(a, a.err, f); err != nil {
		return personas.Persona{}, err
	}
	if !f.IsSound() {
		return personas.Persona{}, AnswerNo("%s has errors (above): nothing of it was sent", f.name)
	}
	return f.doc, nil
}

// readSeeds reads files that a server would take, all of them or none.
func readSeeds(ctx context.Context, a *Streams, paths []string) ([]seed, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	found, _, err := findPersonaFiles(a, paths)
	if err != nil {
		return nil, err
	}
	files, err := readSoundFiles(ctx, a, found)
	if err != nil {
		return nil, err
	}
	seeds := make([]seed, 0, len(files))
	for _, f := range files {
		if f.err != nil {
			return nil, fmt.Errorf("seed: %w", f.err)
		}
		seeds = append(seeds, seed{name: f.name, doc: f.doc})
	}
	return seeds, nil
}

// seed is a persona to be saved and published on a new server.
type seed struct {
	name string
	doc  personas.Persona
}
