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

// maxShownText is how many characters of a wrong line's text a finding shows.
const maxShownText = 120

// corpusRun is a corpus, the persona that it is about, and what the offline model made
// of its lines.
type corpusRun struct {
	file    string
	persona *personafiles.File
	figures intent.Figures
	took    time.Duration
}

// playFlags are the flags of play-throughs, which have no meaning for a corpus.
var playFlags = [...]string{
	"coverage", "update", "stubs", "mutate", "mutants", "jobs", "server",
	"llm", "llm-base-url", "llm-eval", "llm-eval-base-url", "llm-record", "llm-replay", "llm-response", "llm-response-base-url",
	"llm-summarization", "llm-summarization-base-url",
}

// checkCorpusFlags refuses what does not go with --offline-corpus.
func (o *testOptions) checkCorpusFlags(c *cobra.Command) error {
	if o.corpus == "" {
		return nil
	}
	for _, name := range playFlags {
		if c.Flags().Changed(name) {
			return cli.UsageError("--%s is for play-throughs: it does not go with --offline-corpus", name)
		}
	}
	if len(o.paths) != 1 || personafiles.IsPlayFile(o.paths[0]) {
		return cli.UsageError("--offline-corpus takes one persona file, not %s", strings.Join(o.paths, " "))
	}
	return nil
}

// noteCorpus returns a text that changes when the corpus or the persona does.
func (o *testOptions) noteCorpus() string {
	var note strings.Builder
	noteFile(&note, o.corpus)
	noteFile(&note, o.paths[0])
	return note.String()
}

// measureOnce decides all lines of the corpus once and reports.
func (o *testOptions) measureOnce(ctx context.Context) error {
	began := o.Now()
	run, lines, err := o.loadCorpus()
	if err != nil {
		return err
	}
	if err := run.figures.MeasureByState(intent.NewReader(), lines, ctx.Err); err != nil {
		return err
	}
	run.took = o.Now().Sub(began)
	if err := o.reportCorpus(run); err != nil {
		return err
	}
	if percent := 100 * run.figures.Accuracy(); percent < o.failUnder {
		return cli.AnswerNo("%.1f %% of the lines are decided right, under %g %%", percent, o.failUnder)
	}
	return nil
}

// loadCorpus reads the persona and the corpus. Faults in them are reported here.
func (o *testOptions) loadCorpus() (*corpusRun, []intent.CorpusLine, error) {
	f, err := o.readPlayable(o.paths[0])
	if err != nil {
		return nil, nil, err
	}
	source, err := readCorpusFile(o.corpus)
	if err != nil {
		return nil, nil, cli.WrapTrouble(fmt.Errorf("corpus %s: %w", o.corpus, cli.PathReason(err)), "")
	}
	lines, faults := intent.ParseCorpus(&f.Doc, source)
	if len(faults) > 0 {
		if err := o.reportFaults("corpus", o.corpus, source, faults); err != nil {
			return nil, nil, err
		}
		return nil, nil, cli.AnswerNo("%s cannot be measured", o.corpus)
	}
	return &corpusRun{file: o.corpus, persona: f}, lines, nil
}

// readPlayable reads a persona file. Faults in it are reported here.
func (o *testOptions) readPlayable(path string) (*personafiles.File, error) {
	f, err := personafiles.ReadRunnableFile(o.Streams, path)
	if err != nil {
		return nil, err
	}
	if f.IsSound() {
		return f, nil
	}
	f.DropInfos()
	if err := personafiles.ReportFindings(o.Streams, o.Err, f); err != nil {
		return nil, err
	}
	return nil, cli.AnswerNo("%s cannot be played", f.Name)
}

// readCorpusFile reads a file, of one that is too large a byte more than is allowed.
func readCorpusFile(path string) ([]byte, error) {
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, intent.MaxCorpusSize+1))
}

// describeWrong returns of a wrong line what was wanted, what came and why.
func describeWrong(w *intent.WrongLine) string {
	wanted, made := w.Line.Label, w.Verdict.Decision
	if w.Line.To != "" && wanted == made {
		wanted, made = wanted+" to "+w.Line.To, "another "+made
	}
	return fmt.Sprintf("wanted %s, came %s: %q (%s)", wanted, made, plaintext.ClipWithin(w.Line.Text, maxShownText), w.Verdict.Why)
}
