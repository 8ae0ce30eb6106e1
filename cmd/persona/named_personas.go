package persona

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/plaintext"
)

// namedPersona is a persona of a service that a command line names. file is its file according to
// parley.lock, or "" when it was named otherwise. err is why it was not found.
type namedPersona struct {
	named string
	id    string
	file  string
	entry personafiles.LockEntry
	err   error
}

// findPersonas finds the personas that a command line names, each once. A word is an id, a play
// link or a name; a file, directory or glob, for the personas that parley.lock has for the files;
// or -, for such words on stdin, one per line.
func findPersonas(ctx context.Context, streams *cli.Streams, s *service.Service, words []string) ([]namedPersona, error) {
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
		return nil, cli.UsageError("no persona is named on stdin")
	}
	return all, nil
}

// mostWords bounds a list on stdin, in bytes.
const mostWords = 1 << 20

// readWords puts the lines of stdin in place of -.
func readWords(streams *cli.Streams, words []string) ([]string, error) {
	var all []string
	for _, word := range words {
		if word != "-" {
			all = append(all, word)
			continue
		}
		text, err := cli.AwaitResult(streams.Interrupted, func() ([]byte, error) { return io.ReadAll(io.LimitReader(streams.In, mostWords+1)) })
		if err != nil {
			return nil, cli.WrapTrouble(fmt.Errorf("read the list on stdin: %w", err), "")
		}
		if len(text) > mostWords {
			return nil, cli.UsageError("the list on stdin is longer than %d KiB", mostWords>>10)
		}
		for line := range strings.Lines(cli.TrimByteOrderMark(text)) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	}
	return all, nil
}

// personaIndex finds personas of a service by name, and asks for its lists once.
type personaIndex struct {
	*service.Service
	names map[string]string
}

func (d *personaIndex) findID(ctx context.Context, persona string) (string, error) {
	if d.names == nil {
		names, err := d.ListCandidates(ctx)
		if err != nil {
			return "", fmt.Errorf("look for persona %q: %w", persona, err)
		}
		d.names = names
	}
	return service.PickPersona(persona, d.names, service.SameName)
}

// findByWord finds the personas that one word names. A failure that all other words would meet too
// is an error; any other is stored in the result.
func findByWord(ctx context.Context, streams *cli.Streams, names *personaIndex, word string) ([]namedPersona, error) {
	if err := service.CheckPlayLink(word); err != nil {
		return nil, err
	}
	if id, ok := service.ParsePersonaID(word); ok {
		return []namedPersona{{named: word, id: id}}, nil
	}
	if !namesFiles(word) {
		id, err := names.findID(ctx, word)
		if err != nil && (statusOf(err) != 0 || concernsAll(ctx, err)) {
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

// findInLock finds the persona of a file. It returns false for a file that was found in a directory
// and is not a persona.
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
	return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("%s was not saved on %s yet, as far as its parley.lock tells", file, serverLockName(address)),
		Hint: fmt.Sprintf("save it first with `parley persona save %s`", plaintext.ShellFile(file))}
}

// namesFiles reports whether a word is a file, folder or glob, and not a persona's name: a
// name may have a question mark too.
func namesFiles(word string) bool {
	if personafiles.IsFile(word) || !personafiles.IsGlob(word) {
		return personafiles.IsFile(word)
	}
	matches, err := personafiles.ExpandGlob(word)
	return err == nil && (len(matches) > 1 || matches[0] != word)
}

// namesOnePersona reports whether a command line names one persona and no list of them.
func namesOnePersona(words []string) bool {
	return len(words) == 1 && words[0] != "-" && (!namesFiles(words[0]) || personafiles.IsOneFile(words[0]))
}
