package chat

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

type givenFlag struct{ name, typed string }

func listGivenFlags(c *cobra.Command) []givenFlag {
	var given []givenFlag
	c.Flags().Visit(func(f *pflag.Flag) {
		typed := "--" + f.Name
		switch {
		case f.Value.Type() != "bool":
			typed += " " + plaintext.ShellWord(f.Value.String())
		case f.Value.String() != "true":
			typed += "=" + f.Value.String()
		}
		given = append(given, givenFlag{f.Name, typed})
	})
	return given
}

// The command that continues a chat omits the flags onceOnly, because they apply to one chat only.
// It also omits the flags ofPlayer if the session is stored, because their values are stored with
// it.
var (
	onceOnly = []string{"new", "machine", "llm-record"}
	ofPlayer = []string{"player-name", "player-gender"}
)

func (o *chatOptions) comeBackCommand(f conversation.Farewell, fleeting bool) string {
	words := []string{"parley", "chat", o.personaWord(f)}
	for _, given := range o.given {
		if !slices.Contains(onceOnly, given.name) && (fleeting || !slices.Contains(ofPlayer, given.name)) {
			words = append(words, given.typed)
		}
	}
	return strings.Join(words, " ")
}

func (o *chatOptions) sayFarewell(f conversation.Farewell, fleeting bool) {
	if f.Persona == "" {
		return
	}
	command := o.comeBackCommand(f, fleeting)
	if fleeting {
		o.Say("This chat was not saved. To start a new chat: %s", command)
		return
	}
	if f.HasDraft {
		o.Say("Your unfinished message is kept for the next chat.")
	}
	o.Say("To go on: %s", command)
}

func (o *chatOptions) personaWord(f conversation.Farewell) string {
	word := f.Persona
	switch {
	case o.named != "" && f.Persona == o.opened:
		word = o.named
	case isTypedEasily(f.Name) && !personafiles.IsFile(f.Name):
		word = f.Name
	}
	return plaintext.ShellWord(word)
}

func isTypedEasily(name string) bool {
	return name != "" && name == strings.TrimSpace(name) && name == terminal.Clean(name) && !strings.HasPrefix(name, "-") && !strings.ContainsAny(name, "\"`%$!")
}
