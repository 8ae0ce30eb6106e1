package cmd

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// As in gh, the list of fields may follow --json after a space, or be missing. pflag cannot parse
// such a flag. Therefore joinJSONFields joins the list to the flag with "=" before pflag parses it.

const bareJSON = "--" + cli.JSONName

// jsonWords holds the words of a command line that follow the command.
type jsonWords struct {
	command *cobra.Command
	flag    *cli.JSONFlag
	words   []string
}

// joinJSONFields joins each --json with its list of fields. An ambiguous word is a usage error.
// command is the called command, or nil.
func joinJSONFields(root *cobra.Command, args []string) (joined []string, command *cobra.Command, err error) {
	if !slices.Contains(args, bareJSON) {
		return args, nil, nil
	}
	command, rest, err := root.Find(args)
	if err != nil {
		return args, nil, nil //nolint:nilerr // cobra says so
	}
	command.InheritedFlags() // adds the parents' flags to Flags
	f := command.Flags().Lookup(cli.JSONName)
	if f == nil {
		return args, command, nil
	}
	flag, _ := f.Value.(*cli.JSONFlag)
	w := &jsonWords{command: command, flag: flag, words: rest}
	if err := w.joinAll(); err != nil {
		return args, command, err
	}
	return append(strings.Fields(command.CommandPath())[1:], w.words...), command, nil
}

func (w *jsonWords) joinAll() error {
	for at := 0; ; at++ {
		arguments, flags := w.scanWords()
		i, _ := slices.BinarySearch(flags, at)
		if i == len(flags) {
			return nil
		}
		at = flags[i]
		if !slices.Contains(arguments, at+1) {
			continue
		}
		join, err := w.checkField(arguments, at+1)
		if err != nil {
			return err
		}
		if join {
			w.words = slices.Replace(slices.Clone(w.words), at, at+2, bareJSON+"="+w.words[at+1])
		}
	}
}

// scanWords returns the indexes of the command's arguments, and of --json without a list.
func (w *jsonWords) scanWords() (arguments, flags []int) {
	for i := 0; i < len(w.words); i++ {
		switch word := w.words[i]; {
		case word == "--":
			for i++; i < len(w.words); i++ {
				arguments = append(arguments, i)
			}
		case word == bareJSON:
			flags = append(flags, i)
		case takesNextWord(w.command.Flags(), word):
			i++
		case len(word) < 2 || word[0] != '-':
			arguments = append(arguments, i)
		}
	}
	return arguments, flags
}

func takesNextWord(flags *pflag.FlagSet, word string) bool {
	if name, long := strings.CutPrefix(word, "--"); long {
		f := flags.Lookup(name)
		return f != nil && f.NoOptDefVal == ""
	}
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	for i := 1; i < len(word); i++ {
		f := flags.ShorthandLookup(word[i : i+1])
		if f == nil || f.NoOptDefVal == "" {
			return f != nil && i == len(word)-1
		}
	}
	return false
}

var fieldList = plaintext.Pattern(`^[a-z_][A-Za-z0-9_]*(, ?[a-z_][A-Za-z0-9_]*)*$`)

// checkField reports whether the word after --json must be joined to --json, because the word is a
// list of fields. It returns a usage error for an ambiguous word.
func (w *jsonWords) checkField(arguments []int, at int) (join bool, err error) {
	word := w.words[at]
	if !fieldList().MatchString(word) || w.isFile(word) && !w.areFields(word) {
		return false, nil
	}
	asField, asArgument := w.takesArguments(arguments, at), w.takesArguments(arguments, -1)
	switch {
	case w.flag.Sample == nil:
		return asField && !slices.Contains(apiMethods, strings.ToUpper(word)), nil // only `parley api` has no sample
	case w.areFields(word):
		if w.isFile(word) || asArgument && !asField {
			return false, w.refuseWord(word)
		}
		if asArgument && w.isPlaceOf("PERSONA", arguments, at) {
			w.flag.Doubt = word
		}
		return true, nil
	case asField && (!asArgument || w.isNearField(word) || w.isPlaceOf("TEXT", arguments, at)):
		return true, w.refuseUnknown(word, asArgument)
	}
	return false, nil
}

// takesArguments reports whether the command accepts its arguments without the argument at index
// skipped. If skipped is -1, it checks all arguments.
func (w *jsonWords) takesArguments(arguments []int, skipped int) bool {
	var given []string
	for _, i := range arguments {
		if i != skipped {
			given = append(given, w.words[i])
		}
	}
	return w.command.ValidateArgs(given) == nil
}

func (w *jsonWords) areFields(list string) bool {
	known := w.flag.FieldNames()
	return !slices.ContainsFunc(strings.Split(list, ","), func(name string) bool { return !slices.Contains(known, name) })
}

func (w *jsonWords) isNearField(list string) bool {
	known := w.flag.FieldNames()
	items := strings.Split(list, ",")
	if len(items) == 1 {
		return personas.Nearest(list, known) != ""
	}
	return slices.ContainsFunc(items, func(name string) bool { return slices.Contains(known, strings.TrimSpace(name)) })
}

func (w *jsonWords) isFile(word string) bool {
	for _, kinds := range argumentKinds(w.command.Use) {
		if slices.ContainsFunc(kinds, func(kind string) bool {
			return slices.Contains([]string{"FILE", "NEW_FILE", "PATH", "FOLDER", "DIR"}, kind)
		}) {
			_, err := os.Lstat(word)
			return err == nil
		}
	}
	return false
}

func (w *jsonWords) isPlaceOf(kind string, arguments []int, at int) bool {
	kinds := argumentKinds(w.command.Use)
	n := slices.Index(arguments, at)
	if last := len(kinds) - 1; last > 0 && kinds[last] == nil {
		n = min(n, last-1)
	}
	return n < len(kinds) && slices.Contains(kinds[n], kind)
}

func (w *jsonWords) refuseWord(word string) error {
	return cli.UsageError("%s %s: %q can be a field or an argument. Write `%s=%s` for the field, `%s %s` for the argument", bareJSON, word, word, bareJSON, word, plaintext.ShellWord(word), bareJSON)
}

// refuseUnknown returns the usage error for an unknown field in a list that could also be an
// argument.
func (w *jsonWords) refuseUnknown(word string, asArgument bool) error {
	err := new(cli.JSONFlag{Sample: w.flag.Sample}).Set(word)
	if asArgument {
		return cli.UsageError("%s %q: %w. If you mean an argument, write `%s %s`", bareJSON, word, err, plaintext.ShellWord(word), bareJSON)
	}
	return cli.UsageError("%s %q: %w", bareJSON, word, err)
}

// checkJSONDoubt returns a usage error if the word after --json is a field and also the name of a
// persona. If the service does not answer, it assumes that the persona does not exist.
func checkJSONDoubt(ctx context.Context, access *service.Access, c *cobra.Command) error {
	f := c.Flags().Lookup(cli.JSONName)
	if f == nil {
		return nil
	}
	flag, ok := f.Value.(*cli.JSONFlag)
	if !ok || flag.Doubt == "" {
		return nil
	}
	s, err := access.Connect()
	if err != nil {
		return nil //nolint:nilerr // the command itself says so
	}
	if s.HasPersonaNamed(ctx, flag.Doubt) {
		return (&jsonWords{}).refuseWord(flag.Doubt)
	}
	return nil
}
