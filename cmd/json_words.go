package cmd

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/plaintext"
)

const bareJSON = "--" + cli.JSONName

// joinJSONFields rewrites `--json a,b` as `--json=a,b`. pflag accepts only the second form.
func joinJSONFields(root *cobra.Command, args []string) ([]string, error) {
	if !slices.Contains(args, bareJSON) {
		return args, nil
	}
	command, words, err := root.Find(args)
	if err != nil {
		return args, nil // cobra reports the error
	}
	command.InheritedFlags() // adds the parents' flags to Flags
	f := command.Flags().Lookup(cli.JSONName)
	if f == nil {
		return args, nil
	}
	flag, _ := f.Value.(*cli.JSONFlag)
	arguments, bare := scanWords(command.Flags(), words)
	joined := slices.Clone(words)
	for _, at := range slices.Backward(bare) {
		i := slices.Index(arguments, at+1)
		if i < 0 {
			continue
		}
		others := slices.Delete(slices.Clone(arguments), i, i+1)
		accepts := func(indexes []int) bool {
			var given []string
			for _, index := range indexes {
				given = append(given, words[index])
			}
			return command.ValidateArgs(given) == nil
		}
		word := words[at+1]
		if isFieldList(command, flag, word, accepts(arguments), accepts(others)) {
			if _, err := os.Lstat(word); err == nil && accepts(arguments) && takesFiles().MatchString(command.Use) {
				return nil, cli.UsageError("%q is a field and a file. Write `%s=%s` for the field, `%s %s` for the file",
					word, bareJSON, word, word, bareJSON)
			}
			arguments = others
			joined = slices.Replace(joined, at, at+2, bareJSON+"="+words[at+1])
		}
	}
	return append(strings.Fields(command.CommandPath())[1:], joined...), nil
}

var takesFiles = plaintext.Pattern(`FILE|PATH|DIR`)

func scanWords(flags *pflag.FlagSet, words []string) (arguments, bare []int) {
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case word == "--":
			for i++; i < len(words); i++ {
				arguments = append(arguments, i)
			}
		case word == bareJSON:
			bare = append(bare, i)
		case takesNextWord(flags, word):
			i++
		case len(word) < 2 || word[0] != '-':
			arguments = append(arguments, i)
		}
	}
	return arguments, bare
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

// isFieldList accepts an unknown field, unless the word is a valid argument.
func isFieldList(command *cobra.Command, flag *cli.JSONFlag, word string, validWith, validWithout bool) bool {
	if !fieldList().MatchString(word) {
		return false
	}
	known := flag.FieldNames()
	if known == nil { // parley api has no fixed fields
		return validWithout && !slices.Contains(apiMethods, strings.ToUpper(word))
	}
	if !slices.ContainsFunc(strings.Split(word, ","), func(name string) bool { return !slices.Contains(known, name) }) {
		return true
	}
	joinsMessage := strings.Contains(command.Use, "TEXT")
	return validWithout && (!validWith || strings.Contains(word, ",") || joinsMessage)
}
