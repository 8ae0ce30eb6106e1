package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
)

// What a terminal draws follows from TERM and the first locale that is set.
func TestRepertoire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		environ string
		want    terminal.Repertoire
	}{
		{"TERM=xterm LANG=en_US.UTF-8", terminal.AllRunes},
		{"TERM=xterm LANG=C LC_CTYPE=C.utf8", terminal.AllRunes},
		{"TERM=xterm LANG=C.UTF-8 LC_ALL=POSIX", terminal.OnlyASCII},
		{"TERM=xterm LANG=C", terminal.OnlyASCII},
		{"TERM=linux LANG=de_DE.ISO-8859-1", terminal.OnlyASCII},
		{"TERM=linux LANG=de_DE.UTF-8", terminal.PlainSigns},
		{"TERM=dumb LANG=C.UTF-8", terminal.PlainSigns},
		{"TERM=dumb", terminal.PlainSigns},
	} {
		assert.Equal(t, streamsOf(c.environ).Repertoire(), c.want, c.environ)
	}
}

// A table on a terminal without UTF-8 is ASCII, in the same columns; a file gets all.
func TestTableInASCII(t *testing.T) {
	t.Parallel()
	for onTerminal, want := range map[bool]string{true: "Cr?me  ????\n", false: "Crème\t猫猫\n"} {
		s, out := streamsOf("TERM=xterm LANG=C"), &bytes.Buffer{}
		s.Out, s.TTY.Out = &cli.CheckedWriter{Writer: out}, onTerminal
		assert.NoError(t, s.PrintTable(nil, [][]string{{"Crème", "猫猫"}}))
		assert.Equal(t, out.String(), want)
	}
}

func streamsOf(environ string) *cli.Streams {
	return &cli.Streams{Lookup: func(name string) (string, bool) {
		for pair := range strings.FieldsSeq(environ) {
			if key, value, _ := strings.Cut(pair, "="); key == name {
				return value, true
			}
		}
		return "", false
	}}
}
