package check

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/plaintext"
)

const maxUnanswered = 5

const maxShownText = 120

type linesRun struct {
	file    string
	persona *personafiles.File
	judge   string // name of the judge
	builtIn bool   // only the built-in model judged
	total   int    // lines in the file
	figures intent.Figures
	took    time.Duration
	fit     *fitReport // nil without --calibrate
}

var playFlags = [...]string{
	"coverage", "update", "stubs", "mutate", "mutants", "jobs", "server",
	"llm-openings", "llm-response", "llm-response-base-url", "llm-summarization", "llm-summarization-base-url", "seed",
}

func (o *testOptions) checkLinesFlags(c *cobra.Command) error {
	name := "lines"
	if c.Flags().Changed("offline-corpus") {
		name = "offline-corpus"
	}
	switch {
	case name == "offline-corpus" && c.Flags().Changed("lines"):
		return cli.UsageError("--lines and --offline-corpus are the same flag: give it once")
	case o.lines == "" && c.Flags().Changed(name):
		return cli.UsageError("--%s needs the name of a file with test messages", name)
	case o.lines == "" && o.calibrate:
		return cli.UsageError("--calibrate computes thresholds from test messages: give their file with --lines")
	case o.lines == "":
		return nil
	}
	for _, flag := range playFlags {
		if c.Flags().Changed(flag) {
			return cli.UsageError("--%s is for play-throughs and cannot be combined with --%s", flag, name)
		}
	}
	if len(o.paths) != 1 || personafiles.IsPlayFile(o.paths[0]) {
		return cli.UsageError("--%s takes one persona file, not %s", name, strings.Join(o.paths, " "))
	}
	return nil
}

func (o *testOptions) noteLines() string {
	var note strings.Builder
	noteFile(&note, o.lines)
	noteFile(&note, o.paths[0])
	return note.String()
}

// measureOnce judges all lines and reports. If ctx is cancelled or the model fails, it reports the
// lines judged so far.
func (o *testOptions) measureOnce(ctx context.Context) error {
	began := o.Now()
	run, lines, err := o.loadLines()
	if err != nil {
		return err
	}
	j, err := o.openJudge()
	if err != nil {
		return err
	}
	run.judge, run.builtIn, run.total = j.name, j.asked == nil, len(lines)
	stopped := o.judgeLines(ctx, j, run, lines)
	if stopped == nil && o.calibrate {
		run.fit, stopped = j.fit(ctx, &run.figures)
	}
	if closeErr := j.close(o, stopped == nil); stopped == nil {
		stopped = closeErr
	}
	run.took = o.Now().Sub(began)
	if run.figures.Lines > 0 {
		if err := o.writeLinesReports(run); err != nil {
			return err
		}
	}
	if stopped != nil {
		return stopped
	}
	if percent := 100 * run.figures.Accuracy(); percent < o.failUnder {
		return cli.AnswerNo("%.1f %% of the lines are decided correctly, less than %g %%", percent, o.failUnder)
	}
	return nil
}

func (o *testOptions) loadLines() (*linesRun, []intent.CorpusLine, error) {
	f, err := o.readPlayable(o.paths[0])
	if err != nil {
		return nil, nil, err
	}
	source, err := readLinesFile(o.lines)
	if err != nil {
		return nil, nil, cli.WrapTrouble(fmt.Errorf("corpus %s: %w", o.lines, cli.PathReason(err)), "")
	}
	lines, faults := intent.ParseCorpus(&f.Doc, source)
	if len(faults) > 0 {
		wrong := &personafiles.File{Name: o.lines, Source: source, Findings: listFaults("corpus", o.lines, faults)}
		return nil, nil, wrong.Refuse(o.Streams, "cannot be measured")
	}
	return &linesRun{file: o.lines, persona: f}, lines, nil
}

func (o *testOptions) readPlayable(path string) (*personafiles.File, error) {
	return personafiles.ReadSoundFile(o.Streams, path, "cannot be played")
}

func readLinesFile(path string) ([]byte, error) {
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, intent.MaxCorpusSize+1))
}

func describeWrong(w *intent.WrongLine) string {
	wanted, made := w.Line.Label, "came "+w.Made.Decision
	switch {
	case w.Made.Decision == "":
		made = "no answer came"
	case w.Line.To != "" && wanted == w.Made.Decision:
		wanted, made = wanted+" to "+w.Line.To, "came another "+w.Made.Decision
	}
	return fmt.Sprintf("wanted %s, %s: %q (%s)", wanted, made, plaintext.ClipWithin(w.Line.Text, maxShownText), w.Made.Why)
}
