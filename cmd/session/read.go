package session

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
)

type historyOptions struct {
	service.SessionOptions
	machine string
	format  string
	json    cli.JSONFlag
}

// A PlayedSession is the output of `parley session history --json`.
type PlayedSession struct {
	PersonaID    string          `json:"persona_id"`
	PersonaName  string          `json:"persona_name"`
	PlayerName   string          `json:"player_name"`
	PlayerGender string          `json:"player_gender"`
	Machines     []playedMachine `json:"machines"`
}

type playedMachine struct {
	MachineID   string `json:"machine_id"`
	MachineKey  string `json:"machine_key"`
	MachineName string `json:"machine_name"`
	wire.History
}

func newSessionHistoryCmd(access *service.Access) *cobra.Command {
	o := &historyOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := newSessionCmd(&o.SessionOptions, &cobra.Command{
		Use:   "history SESSION | PERSONA",
		Short: "Print a session's conversation",
		Long:  "Print a session's conversation, machine by machine, with what each reply changed.",
		Example: `  parley session history Biscuit
  parley session history Biscuit --format markdown > biscuit.md
  parley session history 01936f6e --json machines`,
	}, func(ctx context.Context, _ string) error { return runSessionHistory(ctx, o) })
	c.Flags().StringVar(&o.machine, "machine", "", "print only this `MACHINE`, by key or id")
	c.Flags().StringVar(&o.format, "format", "text", "`FORMAT`: text, markdown or json")
	o.json.AddFlags(c, PlayedSession{})
	return c
}

func runSessionHistory(ctx context.Context, o *historyOptions) error {
	if !slices.Contains([]string{"text", "markdown", "md", "json"}, o.format) {
		return cli.UsageError("--format %q: must be text, markdown or json", o.format)
	}
	played, err := readRecord(ctx, &o.SessionOptions)
	if err != nil {
		return err
	}
	if o.machine != "" {
		played.Chapters = slices.DeleteFunc(played.Chapters, func(ch record.Chapter) bool {
			return ch.MachineID != o.machine && ch.MachineKey != o.machine
		})
		if len(played.Chapters) == 0 {
			err := fmt.Errorf("the session has no messages in a machine %q", o.machine)
			return &cli.Failure{Code: cli.ExitNo, Err: err, Hint: "see `parley progress show`"}
		}
	}
	switch {
	case o.json.On || o.format == "json":
		return o.PrintJSON(o.json, toPlayedSession(played))
	case o.format == "text":
		return writeHistoryText(o.Out, played, o.ShownTime)
	}
	markdown, _ := record.FormatNamed("md")
	return markdown.Write(played, o.Out)
}

func readRecord(ctx context.Context, o *service.SessionOptions) (*record.Record, error) {
	s, known, err := o.FindSession(ctx)
	if err != nil {
		return nil, err
	}
	r, err := record.ReadRecord(ctx, s, known.PersonaID, known.UserSessionID)
	switch {
	case errors.Is(err, record.ErrNothingSaid):
		err := fmt.Errorf("the service does not know %s", service.DescribeSession(known))
		return nil, &cli.Failure{Code: cli.ExitNo, Err: err, Hint: "sign in with `parley auth login` " +
			"if the session was played with an account, begin a new session with `parley chat`, " +
			"or remove it from the list with `parley session delete`"}
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", service.DescribeSession(known), err)
	}
	return r, nil
}

func toPlayedSession(r *record.Record) PlayedSession {
	played := PlayedSession{
		PersonaID: r.PersonaID, PersonaName: r.PersonaName,
		PlayerName: r.PlayerName, PlayerGender: r.PlayerGender, Machines: []playedMachine{},
	}
	for i := range r.Chapters {
		ch := &r.Chapters[i]
		played.Machines = append(played.Machines, playedMachine{ch.MachineID, ch.MachineKey, ch.Title, ch.History})
	}
	return played
}

func writeHistoryText(w io.Writer, r *record.Record, inZone func(time.Time) time.Time) error {
	b := bufio.NewWriter(w)
	for i := range r.Chapters {
		if i > 0 {
			fmt.Fprintln(b)
		}
		writeChapter(b, r, &r.Chapters[i], inZone(r.Chapters[i].StartedAt.Time))
	}
	return b.Flush()
}

func writeChapter(b *bufio.Writer, r *record.Record, ch *record.Chapter, started time.Time) {
	fmt.Fprintf(b, "== %s, %s ==\n", terminal.Clean(ch.Title), started.Format(cli.MinuteLayout+" MST"))
	for _, m := range r.Tell(ch) {
		fmt.Fprintf(b, "%s: %s\n", m.Name, strings.ReplaceAll(m.Text, "\n", "\n  "))
		for _, note := range m.Notes {
			fmt.Fprintf(b, "  [%s]\n", note)
		}
	}
}

type exportOptions struct {
	service.SessionOptions
	format    string
	output    string
	force     bool
	anonymise bool
}

func newSessionExportCmd(access *service.Access) *cobra.Command {
	o := &exportOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := newSessionCmd(&o.SessionOptions, &cobra.Command{
		Use:   "export SESSION | PERSONA",
		Short: "Write a session into a file: Markdown, JSON or HTML",
		Long: `Write a session's conversation to a file and print the file's name. The default name
contains character and day; - is stdout. The format follows the file's extension
unless --format names it. Existing files are not overwritten.

--anonymise is for conversations that others read. Names of the player, ids and times
become stand-ins, the same for the same thing: "Player 1". In messages it also masks
e-mail addresses, URLs, and numbers of five digits or more. It does not find what only a
reader understands: other people's names, places, a story that only one person can tell.
Read the file before you pass it on.`,
		Example: `  parley session export Biscuit
  parley session export Biscuit --output biscuit.html
  parley session export 01936f6e --format json --output - | jq .machines
  parley session export Biscuit --anonymise --output talks/biscuit.json`,
	}, func(ctx context.Context, _ string) error { return runSessionExport(ctx, o) })
	c.Flags().StringVar(&o.format, "format", "", "`FORMAT`: markdown, json or html")
	c.Flags().StringVarP(&o.output, "output", "o", "", "write to this `FILE`, - is stdout")
	c.Flags().BoolVar(&o.force, "force", false, "overwrite an existing file")
	c.Flags().BoolVar(&o.anonymise, "anonymise", false, "replace everything that can identify the player")
	return c
}

func runSessionExport(ctx context.Context, o *exportOptions) error {
	format, err := o.chooseFormat()
	if err != nil {
		return err
	}
	played, err := readRecord(ctx, &o.SessionOptions)
	if err != nil {
		return err
	}
	if o.anonymise {
		played.Anonymise()
	}
	if o.output == "-" && format.Name == "json" {
		return format.Write(played, cli.JSONWriter(o.Out))
	}
	if o.output == "-" {
		return format.Write(played, o.Out)
	}
	var content bytes.Buffer
	if err := format.Write(played, &content); err != nil {
		return err
	}
	defaultName := played.FileName(o.Now().Format("2006-01-02"), format.Name)
	file, err := o.writeExport(defaultName, content.Bytes())
	if err != nil {
		return err
	}
	o.Say("%s of %s", cli.Pluralize(played.Messages(), "message"), terminal.Clean(played.PersonaName))
	_, err = fmt.Fprintln(o.Out, personafiles.PlainPath(terminal.Clean(file)))
	return err
}

func (o *exportOptions) chooseFormat() (record.Format, error) {
	if o.format != "" {
		if f, ok := record.FormatNamed(o.format); ok {
			return f, nil
		}
		return record.Format{}, cli.UsageError("--format %q: must be markdown, json or html", o.format)
	}
	ending := strings.TrimPrefix(filepath.Ext(o.output), ".")
	if f, ok := record.FormatNamed(ending); ok {
		return f, nil
	}
	if o.output != "" && o.output != "-" {
		return record.Format{}, cli.UsageError("--output %q: the format is unknown; "+
			"use a name that ends in .md, .json or .html, or give --format", o.output)
	}
	f, _ := record.FormatNamed("md")
	return f, nil
}

func (o *exportOptions) writeExport(defaultName string, content []byte) (string, error) {
	file := cmp.Or(o.output, defaultName)
	if o.force {
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			return "", cli.UsageError("--output %s is a folder: name a file in it", file)
		}
		if err := atomicfile.Write(file, content, 0o600); err != nil {
			return "", cli.WrapTrouble(err, "")
		}
		return file, nil
	}
	err := cli.CreateFile(file, content, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		err := fmt.Errorf("%s already exists", file)
		return "", &cli.Failure{Code: cli.ExitNo, Err: err,
			Hint: "overwrite it with --force, or use another file with --output"}
	case err != nil:
		return "", cli.WrapTrouble(err, "")
	}
	return file, nil
}
