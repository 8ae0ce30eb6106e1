package persona

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type diffOptions struct {
	*service.Access
	files   []string
	id      string
	against string // a revision of git
	reports personafiles.ReportFlags
}

var diffFormats = []string{"text", "json", "markdown"}

func NewDiffCmd(access *service.Access) *cobra.Command {
	o := &diffOptions{Access: access}
	c := &cobra.Command{
		Use:   "diff FILE...",
		Short: "Compare persona files with the server, another version or a git revision",
		Long: `Compare a persona file (- is stdin) with the server's version, or two files. Only
content is compared: a renamed state is one change, prompts are compared by words,
and the effect on players (reachable endings, states and links, bounds of scores) is
proved for both versions. Layout, comments, order of members and explicit defaults do
not count; the order of items counts only where a machine depends on it.

If the persona was saved elsewhere since this machine saved the file, changes on the
server, changes in the file and conflicts are shown separately.

FILE may be a directory or a glob: each file is compared with the server's version.
With --against any number of files and directories are compared with a git revision.

The persona of a file is the one of --id, else of parley.lock, else your only persona
with its name. - marks the server or the first file, + the file or the second one.
The exit code is 1 if there is a difference.`,
		Example: "  parley persona diff my-cat.yaml\n  parley persona diff --id Biscuit my-cat.yaml\n" +
			"  parley persona diff --format markdown old.yaml new.yaml\n  parley persona diff personas/\n" +
			"  parley persona diff --against main --format markdown personas/",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 2 && o.against == "" {
				return cli.RefuseExtra(c, args[2])
			}
			return cli.MinArgs("FILE")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return runDiff(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.id, "id", "", "compare with this `PERSONA`: an id, a unique name or a play link")
	c.Flags().StringVar(&o.against, "against", "", "compare with the files in git at `REVISION`, such as HEAD or main")
	o.reports.AddFlags(c, access.Streams, DiffedFile{}, diffFormats...)
	return c
}

func runDiff(ctx context.Context, o *diffOptions) error {
	if err := o.reports.Check(); err != nil {
		return err
	}
	if o.id != "" && (len(o.files) > 1 || o.against != "") {
		return cli.UsageError("--id selects a persona of the server, but two files are compared")
	}
	pairs, err := o.findPairs(ctx)
	if err != nil {
		return err
	}
	items, results := comparePairs(pairs)
	formats := map[string]func(io.Writer) error{}
	for _, format := range diffFormats {
		formats[format] = func(w io.Writer) error { return o.writeItems(w, format, items) }
	}
	if err := o.reports.Write(o.Out, personafiles.Report{Formats: formats}); err != nil {
		return err
	}
	if o.isSingle() && len(items) == 1 {
		return o.reportOne(pairs[0].err, &items[0])
	}
	words := resultWords{"file", "compared", []string{resultChanged, resultAdded, resultRemoved, resultSame}}
	if err := summarizeResults(ctx, o.Access, words, results); err != nil {
		return err
	}
	differ := 0
	for _, r := range results {
		if r.result != resultSame {
			differ++
		}
	}
	if differ == 0 {
		return nil
	}
	return cli.AnswerNo("%s of %d differ", cli.Pluralize(differ, "file"), len(results))
}

func (o *diffOptions) isSingle() bool {
	if o.against != "" && len(o.files) > 1 {
		return false
	}
	return !slices.ContainsFunc(o.files, func(path string) bool { return !isOnePath(path) })
}

func (o *diffOptions) findPairs(ctx context.Context) ([]diffPair, error) {
	switch {
	case o.against != "" && slices.Contains(o.files, "-"):
		return nil, cli.UsageError("--against compares files and folders, not stdin (-)")
	case o.against != "":
		return o.pairWithRevision(ctx)
	case o.isSingle():
		return o.pairOne(ctx)
	case len(o.files) == 1:
		return o.pairWithServer(ctx)
	}
	return nil, cli.UsageError("%s and %s cannot be compared: give two files, one folder, or --against",
		o.files[0], o.files[1])
}

func (o *diffOptions) pairOne(ctx context.Context) ([]diffPair, error) {
	after, err := readDiffSide(o.Streams, o.files[len(o.files)-1])
	if err != nil {
		return nil, err
	}
	if len(o.files) == 2 {
		before, err := readDiffSide(o.Streams, o.files[0])
		return []diffPair{{before: before, after: after}}, err
	}
	s, err := o.Connect()
	if err != nil {
		return nil, err
	}
	pair := diffPair{file: o.files[0], after: after}
	o.addServerSide(ctx, s, &pair)
	if pair.err == nil && pair.before == nil {
		err := fmt.Errorf("parley.lock has no entry for %s, and 0 of your personas are called %q", pair.file, after.doc.Name)
		pair.err = &cli.Failure{Code: cli.ExitNo, Err: err, Hint: "select the persona with --id, or save the file first"}
	}
	return []diffPair{pair}, pair.err
}

type diffSide struct {
	label   string
	doc     personas.Persona
	source  []byte // nil for a persona of a server
	id      string
	updated wire.Time
}

func readDiffSide(streams *cli.Streams, path string) (*diffSide, error) {
	f, err := personafiles.ParsePersonaFile(streams, path)
	if err != nil {
		return nil, err
	}
	return newDiffSide(streams, f)
}

func newDiffSide(streams *cli.Streams, f *personafiles.File) (*diffSide, error) {
	if len(f.Findings) > 0 {
		return nil, f.Refuse(streams, "has errors (see above): the file cannot be compared")
	}
	return &diffSide{label: f.Name, doc: f.Doc, source: f.Source}, nil
}

func fetchDiffSide(ctx context.Context, s *service.Service, id string) (diffSide, error) {
	full, err := s.FullPersona(ctx, id)
	if err != nil {
		return diffSide{}, err
	}
	p := full.Persona
	label := fmt.Sprintf("%s on %s, saved %s", p.Name, s.Client.Address(),
		p.UpdatedAt.UTC().Format("2006-01-02 15:04:05 MST"))
	return diffSide{label: label, doc: full.Document(), id: id, updated: p.UpdatedAt}, nil
}

// A Difference is the output of `persona diff --format json`.
type Difference struct {
	Before string `json:"before"`
	After  string `json:"after"`
	ID     string `json:"persona_id,omitempty"`
	*diff.Report
	// Since is set if another machine saved the persona after this machine saved the file.
	Since              *Since `json:"since,omitempty"`
	writtenDifferently bool   // also true for files that differ only as text
}

func newDifference(before, after diffSide) *Difference {
	d := &Difference{Before: before.label, After: after.label, ID: before.id,
		Report: diff.Compare(&before.doc, &after.doc)}
	d.writtenDifferently = !d.Identical || before.source != nil && !bytes.Equal(before.source, after.source)
	return d
}

func (d *Difference) sameText() string {
	if d.writtenDifferently {
		return "the same content, written differently"
	}
	return "the same"
}

func (d *Difference) summaryText() string {
	text := fmt.Sprintf("%s differs from %s: %s", d.After, d.Before, cli.Pluralize(len(d.Changes), "change"))
	lost := 0
	for _, e := range d.Effects {
		if e.Turn == diff.Lost || e.Turn == diff.Never {
			lost++
		}
	}
	if lost > 0 {
		text += fmt.Sprintf(", and players lose %s", cli.Pluralize(lost, "thing"))
	}
	return text
}

func writeDiff(streams *cli.Streams, w io.Writer, d *Difference, format string) error {
	if format == "json" {
		return personafiles.WriteJSON(w, d)
	}
	out := &diffWriter{markdown: format == "markdown",
		style: streams.StyleFor(w == io.Writer(streams.Out) && streams.TTY.Out)}
	if d.Since != nil {
		out.writeSince(d)
	} else {
		out.writeDifference(d)
	}
	text := out.b.String()
	if !out.markdown {
		text = cli.BreakCommands(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

func groupHead(c diff.Change) string {
	switch {
	case c.Machine != "":
		return "machine " + c.Machine
	case c.Thing == diff.Link:
		return "links"
	case c.Thing == diff.Variable:
		return "variables"
	}
	return "persona"
}

func thingName(c diff.Change) string {
	switch c.Thing {
	case diff.ThePersona, diff.Machine:
		return ""
	case diff.OutputVariable, diff.InputVariable:
		return strings.ReplaceAll(string(c.Thing), "_", " ") + " " + c.Name
	}
	return string(c.Thing) + " " + c.Name
}

const (
	resultSame    = "same"
	resultChanged = "changed"
	resultAdded   = "added"   // the file is missing in the old version
	resultRemoved = "removed" // the file is missing in the new version
)

// A DiffedFile is one of several files in the output of `persona diff --format json`.
type DiffedFile struct {
	File   string `json:"file"`
	Result string `json:"result"`
	Error  string `json:"error,omitempty"`
	Difference
}

func isOnePath(path string) bool { return path == "-" || personafiles.IsOneFile(path) }

func (o *diffOptions) reportOne(err error, item *DiffedFile) error {
	switch {
	case item.Result == resultFailed:
		return err
	case item.Result == resultSame:
		o.Say("%s", item.sameText())
		return nil
	case item.Since != nil:
		return newSinceFailure(&item.Difference, item.File)
	case item.Result == resultChanged:
		return cli.AnswerNo("%s", item.summaryText())
	}
	return cli.AnswerNo("%s has been %s since %s", item.File, item.Result, o.against)
}

func comparePairs(pairs []diffPair) ([]DiffedFile, []taskResult) {
	items, results := make([]DiffedFile, len(pairs)), make([]taskResult, len(pairs))
	for i, pair := range pairs {
		item := DiffedFile{File: pair.file}
		item.Report = &diff.Report{Changes: []diff.Change{}, Effects: []diff.Effect{}}
		switch {
		case pair.err != nil:
			item.Result, item.Error = resultFailed, pair.err.Error()
		case pair.before == nil:
			item.Result, item.After = resultAdded, pair.after.label
		case pair.after == nil:
			item.Result, item.Before, item.ID = resultRemoved, pair.before.label, pair.before.id
		default:
			if pair.compared == nil {
				pair.compared = newDifference(*pair.before, *pair.after)
			}
			item.Result, item.Difference = resultSame, *pair.compared
			if !item.Same {
				item.Result, item.Since = resultChanged, pair.since
			}
		}
		items[i], results[i] = item, taskResult{name: pair.file, result: item.Result, err: pair.err}
	}
	return items, results
}

func (o *diffOptions) writeItems(w io.Writer, format string, items []DiffedFile) error {
	single := o.isSingle() && len(items) == 1
	switch {
	case single && o.against == "":
		return writeDiff(o.Streams, w, &items[0].Difference, format)
	case single && format == "json":
		return personafiles.WriteJSON(w, items[0])
	case format == "json":
		return personafiles.WriteJSON(w, items)
	}
	gap := ""
	for i := range items {
		if items[i].Result == resultSame || items[i].Result == resultFailed {
			continue
		}
		if _, err := io.WriteString(w, gap); err != nil {
			return err
		}
		if err := o.writeItem(w, format, &items[i]); err != nil {
			return err
		}
		gap = "\n"
	}
	return nil
}

func (o *diffOptions) writeItem(w io.Writer, format string, item *DiffedFile) error {
	if item.Result == resultChanged {
		return writeDiff(o.Streams, w, &item.Difference, format)
	}
	text := fmt.Sprintf("--- %s\nexists only on this side\n", terminal.Clean(item.Before))
	if item.Result == resultAdded {
		text = fmt.Sprintf("+++ %s\nexists only on this side\n", terminal.Clean(item.After))
	}
	if format == "markdown" {
		text = fmt.Sprintf("### %s\n\n%s.\n", markdownPlain(item.File), item.Result)
	}
	_, err := io.WriteString(w, cli.BreakCommands(text))
	return err
}
