package persona

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/tui/terminal"
)

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

func (o *diffOptions) checkMany() error {
	switch {
	case o.against != "" && slices.Contains(o.files, "-"):
		return cli.UsageError("--against compares files and folders, not stdin (-)")
	case o.against != "":
		return personafiles.CheckRevision(o.against)
	case len(o.files) > 1 && slices.ContainsFunc(o.files, isOnePath):
		return cli.UsageError("%s and %s cannot be compared: give two files or two folders", o.files[0], o.files[1])
	}
	return nil
}

func (o *diffOptions) diffMany(ctx context.Context) error {
	if err := o.checkMany(); err != nil {
		return err
	}
	var pairs []diffPair
	var err error
	switch {
	case o.against != "":
		pairs, err = o.pairWithRevision(ctx)
	case len(o.files) == 2:
		pairs, err = o.pairFolders(ctx)
	default:
		pairs, err = o.pairWithServer(ctx)
	}
	if err != nil {
		return err
	}
	items, results := o.comparePairs(pairs)
	if err := o.writeReports(func(w io.Writer, format string) error { return o.writeMany(w, format, items) }); err != nil {
		return err
	}
	if o.namesOneFile() && len(items) == 1 {
		return o.reportOne(pairs[0].err, &items[0])
	}
	words := resultWords{"file", "compared", []string{resultChanged, resultAdded, resultRemoved, resultSame}}
	if err := summarizeResults(ctx, o.Access, words, results); err != nil {
		return err
	}
	differ := len(slices.DeleteFunc(results, func(r taskResult) bool { return r.result == resultSame }))
	if differ == 0 {
		return nil
	}
	return cli.AnswerNo("%s of %d differ", cli.Pluralize(differ, "file"), len(results))
}

func (o *diffOptions) namesOneFile() bool { return len(o.files) == 1 && isOnePath(o.files[0]) }

func (o *diffOptions) reportOne(err error, item *DiffedFile) error {
	switch item.Result {
	case resultFailed:
		return err
	case resultSame:
		o.Say("%s", item.sameText())
		return nil
	case resultChanged:
		return cli.AnswerNo("%s", item.summaryText())
	}
	return cli.AnswerNo("%s has been %s since %s", item.File, item.Result, o.against)
}

func (o *diffOptions) comparePairs(pairs []diffPair) ([]DiffedFile, []taskResult) {
	items, results := make([]DiffedFile, len(pairs)), make([]taskResult, len(pairs))
	for i, p := range pairs {
		item := DiffedFile{File: p.file}
		item.Report = &diff.Report{Changes: []diff.Change{}, Effects: []diff.Effect{}}
		switch {
		case p.err != nil:
			item.Result, item.Error = resultFailed, p.err.Error()
		case p.before == nil:
			item.Result, item.After = resultAdded, p.after.label
		case p.after == nil:
			item.Result, item.Before, item.ID = resultRemoved, p.before.label, p.before.id
		default:
			item.Difference = *newDifference(*p.before, *p.after)
			item.Since = p.since
			if item.Result = resultChanged; item.Same {
				item.Result = resultSame
			}
		}
		items[i], results[i] = item, taskResult{name: p.file, result: item.Result, err: p.err}
	}
	return items, results
}

func (o *diffOptions) writeMany(w io.Writer, format string, items []DiffedFile) error {
	switch {
	case format == "json" && o.namesOneFile() && len(items) == 1:
		return personafiles.WriteJSON(w, items[0])
	case format == "json":
		return personafiles.WriteJSON(w, items)
	}
	first := true
	for i := range items {
		if items[i].Result == resultSame || items[i].Result == resultFailed {
			continue
		}
		if !first {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		first = false
		if err := o.writeItem(w, format, &items[i]); err != nil {
			return err
		}
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
