package cmd

import (
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// completionWait is the maximum time that a completion waits for the service.
const completionWait = 300 * time.Millisecond

// nameWords completes names. known maps ids to names. If a name is not unique or not safe to type,
// nameWords returns the id instead.
func nameWords(known map[string]string, typed string) []string {
	uses := map[string]int{}
	for _, name := range known {
		uses[plaintext.FoldName(name)]++
	}
	var words []string
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if name := known[id]; uses[plaintext.FoldName(name)] > 1 || !namesItself(name) {
			words = append(words, cli.DescribeCompletion(id, name))
		} else {
			words = append(words, name)
		}
	}
	slices.Sort(words)
	return slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(strings.ToLower(word), strings.ToLower(typed)) })
}

// namesItself reports whether a name can be typed as an argument and cannot be mistaken for a file
// or an id.
func namesItself(name string) bool {
	_, isID := service.ParsePersonaID(name)
	return cli.IsCompletionWord(name) && !isID && !personafiles.IsFile(name)
}

func (w wordCompleter) listPersonas(ctx context.Context, typed string) map[string]string {
	ctx, cancel := context.WithTimeout(ctx, completionWait)
	defer cancel()
	// Reading a keyring ignores the deadline, so a goroutine may continue in the background.
	answers := make(chan map[string]string, 3)
	go w.askPersonas(ctx, typed, answers)
	known := map[string]string{}
	for range cap(answers) {
		select {
		case some := <-answers:
			maps.Copy(known, some)
		case <-ctx.Done():
			return known
		}
	}
	return known
}

func (w wordCompleter) askPersonas(ctx context.Context, typed string, answers chan<- map[string]string) {
	s, err := w.Connect()
	if err != nil {
		answers <- nil
		answers <- nil
		answers <- nil
		return
	}
	answers <- rememberedPersonas(s)
	once := s.WithAttempts(1)
	if strings.Trim(typed, "0123456789abcdef-") == "" || len(typed) > wire.MaxPersonaName {
		typed = "" // typed may be the beginning of an id, which is completed if two personas share a name
	}
	for _, list := range []client.PersonaList{
		{Name: typed, Limit: wire.MaxListLimit},
		{Name: typed, Mine: true, PublicOnly: new(false), Limit: wire.MaxListLimit},
	} {
		go func() {
			names := map[string]string{}
			// Complete nothing if a request fails, for example for the user's own personas without
			// a sign-in.
			items, _ := once.Personas(ctx, list)
			for _, p := range items {
				names[p.ID] = p.Name
			}
			answers <- names
		}()
	}
}

func rememberedPersonas(s *service.Service) map[string]string {
	names := map[string]string{}
	// Complete nothing if the sessions cannot be read.
	sessions, _ := s.Sessions.List(s.Address)
	for _, known := range sessions {
		if known.PersonaName != "" {
			names[known.PersonaID] = known.PersonaName
		}
	}
	return names
}

func wantedFiles(c *cobra.Command) func(string) bool {
	within := c.CommandPath()
	switch {
	case within == "parley persona test":
		return func(name string) bool {
			return personafiles.IsPlayFile(name) || isPersonaName(name) && c.Flags().Changed("stubs")
		}
	case strings.HasPrefix(within, "parley persona "), within == "parley chat":
		return isPersonaName
	}
	return nil
}

func isPersonaName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return !personafiles.IsPlayFile(name)
	}
	return false
}

// completeFiles returns the directories and the wanted files that start with typed. It omits hidden
// files, and names that are not safe to print.
func completeFiles(streams *cli.Streams, typed string, wanted func(string) bool) []string {
	folder, begun := path.Split(filepath.ToSlash(typed))
	before := typed[:len(folder)] // including the typed separators
	entries, err := os.ReadDir(spellHome(streams, folder))
	if err != nil {
		return nil
	}
	var words []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, begun) || strings.HasPrefix(name, ".") && begun == "" || name != terminal.Clean(name) {
			continue
		}
		if before == "" && !cli.IsCompletionWord(name) {
			name = "./" + name
		}
		info, err := os.Stat(filepath.Join(spellHome(streams, folder), name)) // follows links
		switch {
		case err == nil && info.IsDir():
			words = append(words, before+name+"/")
		case wanted(name):
			words = append(words, before+name)
		}
	}
	return words
}

func spellHome(streams *cli.Streams, folder string) string {
	if rest, ok := strings.CutPrefix(folder, "~/"); ok {
		return filepath.Join(streams.Env("HOME"), rest)
	}
	if folder == "" {
		return "."
	}
	return filepath.FromSlash(folder)
}

func readMachineKeys(streams *cli.Streams, file string) []string {
	if !isPersonaName(file) {
		return nil
	}
	name, source, err := personafiles.ReadSource(streams, file)
	if err != nil {
		return nil
	}
	doc, _, _ := personas.Parse(name, source)
	var keys []string
	for i := range doc.Machines {
		if key := doc.Machines[i].Key; cli.IsCompletionWord(key) {
			keys = append(keys, key)
		}
	}
	return keys
}
