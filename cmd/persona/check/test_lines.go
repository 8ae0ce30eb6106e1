package check

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
)

const maxUnanswered = 5

const maxShownText = 120

type linesRun struct {
	file    string
	persona *personafiles.File
	judge   string
	builtIn bool // only the built-in model judged
	total   int  // lines in the file
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
	stopped = cmp.Or(stopped, j.close(o, stopped == nil))
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
	f, err := readPlayable(o.Streams, o.paths[0])
	if err != nil {
		return nil, nil, err
	}
	source, err := atomicfile.ReadUpTo(o.lines, intent.MaxCorpusSize)
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

func readPlayable(streams *cli.Streams, path string) (*personafiles.File, error) {
	return personafiles.ReadSoundFile(streams, path, "cannot be played")
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

type lineJudge struct {
	name   string
	reader *intent.Reader
	asked  *models.Judge // nil if only the built-in model judges
	weigh  bool          // the built-in model also returns the probabilities of all choices
}

func (o *testOptions) openJudge() (*lineJudge, error) {
	if o.llm.IsBuiltIn() {
		return &lineJudge{name: models.ModelOffline, reader: intent.NewReader(), weigh: o.calibrate}, nil
	}
	asked, err := models.NewJudge(o.llm.Options(o.Access), cli.VersionText())
	if err != nil {
		return nil, service.ExplainLLM(err)
	}
	return &lineJudge{name: asked.Name(), asked: asked}, nil
}

func (j *lineJudge) decide(ctx context.Context, l *intent.CorpusLine) (intent.Judgement, error) {
	if j.asked != nil {
		return j.asked.Decide(ctx, l)
	}
	made := j.reader.Judge(l)
	if j.weigh {
		made.Choices = j.reader.Weigh(l.Place, l.Text)
	}
	return made, ctx.Err()
}

func (o *testOptions) judgeLines(ctx context.Context, j *lineJudge, run *linesRun, lines []intent.CorpusLine) error {
	bar := o.ShowProgress(len(lines), "judging")
	defer bar.Finish()
	unanswered := 0
	err := run.figures.MeasureByState(lines, func(l *intent.CorpusLine) (intent.Judgement, error) {
		began := o.Now()
		made, err := j.decide(ctx, l)
		made.Took = o.Now().Sub(began)
		if err != nil {
			return made, err
		}
		bar.AddDone(l.State)
		if made.Decision != "" {
			unanswered = 0
			return made, nil
		}
		unanswered++
		if unanswered == maxUnanswered {
			return made, fmt.Errorf("%d lines in a row got no answer: %s", unanswered, made.Why)
		}
		return made, nil
	})
	if err == nil {
		return nil
	}
	if run.figures.Lines > 0 {
		err = fmt.Errorf("%w (%d of %d lines were judged)", err, run.figures.Lines, run.total)
	}
	if ctx.Err() != nil {
		return err
	}
	return cli.WrapTrouble(err, "")
}

func (j *lineJudge) fit(ctx context.Context, f *intent.Figures) (*fitReport, error) {
	own := intent.BuiltInPolicy()
	if j.asked != nil {
		own = j.asked.Policy(f.Method())
	}
	fitted, err := own.Fit(f.Weighed, ctx.Err)
	if err != nil {
		return nil, err
	}
	r := &fitReport{Lines: len(f.Weighed), Thresholds: []thresholdReport{}}
	r.RightNow, r.UndeservedNow = own.Count(f.Weighed)
	r.Right, r.Undeserved = fitted.Count(f.Weighed)
	for _, d := range f.Decisions() {
		if t, ok := fitted[d.Decision]; ok {
			r.Thresholds = append(r.Thresholds, thresholdReport{d.Decision, own[d.Decision].Probability, t.Probability})
		}
	}
	return r, nil
}

func (j *lineJudge) close(o *testOptions, complete bool) error {
	if j.asked == nil {
		return nil
	}
	r, err := j.asked.Recording(), j.asked.Close()
	o.sayRecording(r, complete)
	return cli.WrapTrouble(err, "")
}

const maxUnusedShown = 5

func (o *testOptions) checkModels(ctx context.Context) error {
	if o.modelGiven && o.Server != "" {
		return cli.UsageError("--llm and related flags only work with a temporary server: omit them, because the service at --server chooses its own model")
	}
	if err := o.llm.Resolve(ctx, o.Access); err != nil {
		return err
	}
	switch {
	case o.llm.Model == models.ModelCallers:
		return cli.UsageError("--llm callers: a play-through cannot supply a model; give a model, such as ollama/llama3.2")
	case o.mutate && !o.llm.IsBuiltIn():
		return cli.UsageError("--mutate plays hundreds of changed personas and uses only the built-in model: omit --llm")
	}
	return o.llm.Check(o.Access)
}

// newPlayerClient does not retry with --llm-replay, because a missing answer stays missing.
func (o *testOptions) newPlayerClient(own *service.OwnServer) (playtest.Service, error) {
	options := client.Options{
		BaseURL: own.Address, Version: cli.VersionText(), OnRetry: o.SayRetry,
		TokenSource: func(context.Context) (string, error) { return "", nil },
	}
	if o.llm.Replay != "" {
		options.Attempts = 1
	}
	return client.New(options)
}

func (o *testOptions) sayRecording(recording models.Recording, complete bool) {
	if recording.Note != "" {
		o.Say("%s", terminal.Clean(recording.Note))
	}
	if o.llm.Record != "" {
		o.Say("%s: %s", terminal.Clean(o.llm.Record), cli.Pluralize(recording.Added, "new answer"))
	}
	if len(recording.Unused) == 0 || !complete {
		return
	}
	o.Say("%s in %s were not used; to remove unused answers, delete the file and record it again:",
		cli.Pluralize(len(recording.Unused), "answer"), terminal.Clean(o.llm.Replay+o.llm.Record))
	for _, unused := range recording.Unused[:min(len(recording.Unused), maxUnusedShown)] {
		o.Say("  %s", terminal.Clean(strings.TrimSpace(unused)))
	}
	if more := len(recording.Unused) - maxUnusedShown; more > 0 {
		o.Say("  and %d more", more)
	}
}
