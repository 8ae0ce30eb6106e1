package persona

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

type namedPersona struct {
	named string
	id    string
	name  string // set only for deletions
	file  string // in parley.lock, or ""
	entry personafiles.LockEntry
	err   error

	foreign *personafiles.OwnEntries // this machine's own entries, if entry is not one of them
}

func findPersonas(ctx context.Context, streams *cli.Streams, s *service.Service,
	words []string) ([]namedPersona, error) {
	words, err := readWords(streams, words)
	if err != nil {
		return nil, err
	}
	names := &personaIndex{Service: s}
	var all []namedPersona
	seen := map[string]bool{}
	for _, word := range words {
		some, err := findByWord(ctx, streams, names, word)
		if err != nil {
			return nil, err
		}
		for _, t := range some {
			if t.id == "" || !seen[t.id] {
				seen[t.id] = true
				all = append(all, t)
			}
		}
	}
	if len(all) == 0 {
		return nil, cli.UsageError("the list on stdin is empty: write one persona per line")
	}
	return all, nil
}

const maxListBytes = 1 << 20

func readWords(streams *cli.Streams, words []string) ([]string, error) {
	var all []string
	for _, word := range words {
		if word != "-" {
			all = append(all, word)
			continue
		}
		text, err := streams.ReadInput("the list", maxListBytes)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	}
	return all, nil
}

type personaIndex struct {
	*service.Service
	names map[string]string
}

func (d *personaIndex) findID(ctx context.Context, persona string) (string, error) {
	if d.names == nil {
		names, err := d.ListCandidates(ctx)
		if err != nil {
			return "", fmt.Errorf("find persona %q: %w", persona, err)
		}
		d.names = names
	}
	return service.PickPersona(persona, d.names, false)
}

// findByWord returns only errors that concern all arguments.
func findByWord(ctx context.Context, streams *cli.Streams, names *personaIndex, word string) ([]namedPersona, error) {
	if err := service.CheckPlayLink(word); err != nil {
		return nil, err
	}
	if id, ok := service.ParsePersonaID(word); ok {
		return []namedPersona{{named: word, id: id}}, nil
	}
	if !namesFiles(word) {
		id, err := names.findID(ctx, word)
		if err != nil && (wire.ErrorStatus(err) != 0 || concernsAll(ctx, err)) {
			return nil, err
		}
		return []namedPersona{{named: word, id: id, err: err}}, nil
	}
	found, _, err := personafiles.FindPersonaFiles(streams, []string{word})
	if err != nil {
		return nil, err
	}
	var all []namedPersona
	for _, f := range found {
		if t, ok := findInLock(streams, names.Address, f); ok {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return nil, personafiles.NoPersonaError([]string{word})
	}
	return all, nil
}

func findInLock(streams *cli.Streams, address string, f personafiles.Found) (namedPersona, bool) {
	t := namedPersona{named: f.Path, file: f.Path}
	entry, known, err := readLockEntry(address, f.Path)
	switch {
	case err != nil:
		t.err = err
	case known:
		t.id, t.entry = entry.ID, entry
	default:
		if read, err := personafiles.ReadFound(streams, f, personafiles.ParseSource); read == nil && err == nil {
			return t, false
		}
		t.err = notSavedError(f.Path, address)
	}
	return t, true
}

func notSavedError(file, address string) error {
	if _, err := os.Stat(file); err != nil {
		return cli.WrapTrouble(fmt.Errorf("persona file %s: %w", file, cli.PathReason(err)), "")
	}
	return &cli.Failure{Code: cli.ExitNo,
		Err:  fmt.Errorf("parley.lock does not record that %s was saved on %s", file, serverLockName(address)),
		Hint: fmt.Sprintf("save it first with `parley persona save %s`", plaintext.ShellFile(file))}
}

// A word with a question mark may be a glob or the name of a persona, so a glob needs a match.
func namesFiles(word string) bool {
	if personafiles.IsFile(word) || !personafiles.IsGlob(word) {
		return personafiles.IsFile(word)
	}
	matches, err := personafiles.ExpandGlob(word)
	return err == nil && (len(matches) > 1 || matches[0] != word)
}

func namesOnePersona(words []string) bool {
	if len(words) != 1 || words[0] == "-" {
		return false
	}
	return !namesFiles(words[0]) || personafiles.IsOneFile(words[0])
}
