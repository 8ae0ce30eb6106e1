package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/playtest"
)

type testOptions struct {
	*service.Access
	paths      []string
	reports    personafiles.ReportFlags
	coverage   string
	failUnder  float64
	lines      string // a file of lines to judge instead of play files
	calibrate  bool
	update     bool
	stubs      bool
	mutate     bool
	mutants    int
	watch      bool
	jobs       int
	llm        service.LLMFlags
	modelGiven bool
	pause      time.Duration // between two checks for changes
	unforeseen unforeseenOptions
}

const testLong = `Play the play-throughs in *.play.yaml files: the messages of a player, and what each
message should lead to. Directories and globs are searched. Personas are played on a
temporary server with the built-in model, all play-throughs at once. With --server
they are saved on that service, played there, and deleted.

With --llm PROVIDER/MODEL another model plays. --llm-record FILE stores its
answers and only asks for missing ones. --llm-replay FILE uses these answers without
a network or key, with the same result each time. See docs/cassettes.md.

Unmet expectations are shown with positions, and coverage of states, transitions,
decisions, outcomes and links is counted, without what is proved unreachable. A
persona in a given directory without a play file counts as uncovered. Play files
that cannot be played are reported and the others played. The exit code is 1 for
unmet expectations, unplayable files, or coverage under --fail-under.

With --lines FILE no play file is played. Instead a judge decides the lines in FILE, which
measures how well it understands the persona in PATH. FILE has one JSON object
per line:
  {"state": "outside", "text": "evening, room for one more?", "label": "pass"}
label is pass, redirect, reject, kick_out, follow_up or aside. Add machine if several
machines have the state, and to for the state that the pass leads to. style is a note
of yours. The built-in model judges unless --llm-eval or --llm names another one;
--llm-eval offline,MODEL asks MODEL only if the built-in one is unsure. The
report contains the share of right lines, recall and precision of each decision,
undeserved endings, undeserved losses of tries, the error of the judge's probabilities,
the time of a line (except the first line of each state, when a server reads the
state), tokens, the cost if the provider reports it, and each wrong line with the
decision and its reason. With --calibrate it also contains the
thresholds that fit these lines. Ctrl-C reports the lines measured so far. The exit code
is 1 if fewer lines are right than --fail-under. No server is needed. --offline-corpus is another
name of --lines.

With --unforeseen, PATHs after the persona file are conversations written by
` + "`parley session export --format json`" + `, play files, or directories of both. Messages
that fit no example and no answer (likeness under 0.42), and that the built-in model
takes for an aside, a redirect or a question, are listed in groups by state, the
most frequent first. Answers to the intents question and remark do not count.
--sessions adds the sessions that this machine remembers. --add 2=pass adds message
2 to the persona file as an example of pass and changes nothing else.

A play file:
  persona: gate.yaml
  player: {name: Ann, gender: female}
  plays:
    - name: the polite way in
      steps:
        - say: Good evening, may I come in?
          expect: {decision: pass, state: inside, score: 3, outcome: ACCEPT, unlocked: [hall]}
        - machine: hall
          expect: {reply: Ann}
        - say: "Anything at all [[kick_out]]"
          expect: {outcome: KICK_OUT}
docs/play-file.md has all of it: variants, variables, patterns.`

func NewTestCmd(access *service.Access) *cobra.Command {
	o := &testOptions{Access: access, pause: cli.WatchPause}
	c := &cobra.Command{
		Use:   "test PATH...",
		Short: "Test personas with scripted play-throughs",
		Long:  testLong,
		Example: "  parley persona test plays/\n  parley persona test --fail-under 90 --coverage coverage.json --output junit=report.xml plays/\n" +
			"  parley persona test --update gate.play.yaml\n  parley persona test --stubs gate.yaml\n  parley persona test --mutate gate.play.yaml\n" +
			"  parley persona test --llm openai/gpt-4o --llm-record gate.cassette.jsonl gate.play.yaml\n" +
			"  parley persona test --llm-replay gate.cassette.jsonl gate.play.yaml\n" +
			"  parley persona test --lines lines.jsonl --fail-under 85 gate.yaml\n" +
			"  parley persona test --lines lines.jsonl --llm-eval offline,ollama/qwen2.5 gate.yaml\n" +
			"  parley persona test --unforeseen gate.yaml talks/ --add 1=pass",
		Args: cli.MinArgs("PATH"),
		RunE: func(c *cobra.Command, args []string) error {
			o.paths, o.modelGiven = args, o.llm.IsGiven(c)
			if err := cmp.Or(o.checkLinesFlags(c), o.unforeseen.check(c, args)); err != nil {
				return err
			}
			return runTest(c.Context(), o)
		},
	}
	f := c.Flags()
	o.reports.AddFlags(c, access.Streams, TestReport{}, "text", "json", "junit", "github", "gitlab", "markdown", "sarif")
	f.StringVar(&o.coverage, "coverage", "", "write the coverage as JSON to `FILE`")
	f.Float64Var(&o.failUnder, "fail-under", 0,
		"fail if less than `PERCENT` is covered, or with --lines decided correctly")
	f.StringVar(&o.lines, "lines", "", "measure the judge with the lines in `FILE` (JSON Lines); PATH is a persona file")
	f.StringVar(&o.lines, "offline-corpus", "", "same as --lines, `FILE`")
	f.BoolVar(&o.calibrate, "calibrate", false, "with --lines: print the thresholds that fit the lines")
	f.BoolVar(&o.update, "update", false, "rewrite unmet expectations, keeping comments and layout")
	f.BoolVar(&o.stubs, "stubs", false, "write play-throughs for uncovered points; PATH may be a persona file")
	f.BoolVar(&o.mutate, "mutate", false,
		"make small mistakes in the personas and list those that no play-through notices")
	f.IntVar(&o.mutants, "mutants", 200, "make at most `N` mistakes in one persona; 0 for all")
	f.BoolVar(&o.watch, "watch", false, "play again when a file changes")
	f.IntVar(&o.jobs, "jobs", 4*runtime.NumCPU(), "play `N` play-throughs at a time")
	f.Lookup("jobs").DefValue = "4 a processor" // the same manual on every machine
	f.BoolVar(&o.unforeseen.on, "unforeseen", false,
		"list players' messages that match nothing in a persona file: the first PATH is this file, the others have the messages")
	f.BoolVar(&o.unforeseen.sessions, "sessions", false,
		"with --unforeseen: also read this machine's remembered sessions with the persona")
	f.StringArrayVar(&o.unforeseen.add, "add", nil,
		"with --unforeseen: write message N of the list into the persona file as an example, `N=DECISION` or N=pass:STATE; repeatable")
	o.llm.AddFlags(c)
	o.llm.AddSeedFlag(c)
	return c
}

func (o *testOptions) checkFlags(ctx context.Context) error {
	switch {
	case !(o.failUnder >= 0 && o.failUnder <= 100): // also rejects NaN
		return cli.UsageError("--fail-under %g: must be a number from 0 to 100", o.failUnder)
	case o.jobs < 1:
		return cli.UsageError("--jobs %d: must be at least 1", o.jobs)
	case o.mutants < 0:
		return cli.UsageError("--mutants %d: must be 0 or more", o.mutants)
	case o.watch && (o.update || o.stubs):
		return cli.UsageError("--watch cannot be combined with --update or --stubs, because they change the watched files")
	}
	if err := o.reports.Check(); err != nil {
		return err
	}
	if err := cli.CheckFolder("write "+o.coverage, o.coverage); err != nil {
		return err
	}
	return o.checkModels(ctx)
}

func runTest(ctx context.Context, o *testOptions) error {
	if err := o.checkFlags(ctx); err != nil {
		return err
	}
	if o.unforeseen.on {
		return o.listUnforeseen(ctx)
	}
	note, act := o.noteFiles, o.playOnce
	if o.lines != "" {
		note, act = o.noteLines, o.measureOnce
	}
	if o.watch {
		return watchFiles(ctx, o.Streams, o.pause, note, act)
	}
	return act(ctx)
}

func (o *testOptions) playOnce(ctx context.Context) error {
	run, err := o.loadRun(ctx, o.paths)
	if err != nil {
		return err
	}
	target, err := o.openService(ctx)
	if err != nil {
		return err
	}
	err = o.playRunOn(ctx, target, run)
	closeErr := target.Close()
	var recording models.Recording
	if target.Local != nil {
		recording = target.Local.Server.Recording()
	}
	o.sayRecording(recording, err == nil)
	switch {
	case err != nil:
		return err
	case closeErr != nil:
		return cli.WrapTrouble(closeErr, "")
	case len(recording.Missed) > 0: // a summary, for example, fails no play-through
		return cli.WrapTrouble(errors.New(recording.Missed[0]), "")
	}
	return nil
}

func (o *testOptions) playRunOn(ctx context.Context, target *service.TestService, run *testRun) error {
	if err := o.playAll(ctx, target, run); err != nil {
		return err
	}
	if o.mutate && run.count().failed > 0 {
		o.Warn("--mutate needs play-throughs that all pass")
	} else if o.mutate {
		if err := o.tryMutants(ctx, target, run); err != nil {
			return err
		}
	}
	if o.update {
		if err := o.updateFiles(run); err != nil {
			return err
		}
	}
	if err := o.reportAll(run); err != nil {
		return err
	}
	if o.stubs {
		if err := o.writeStubs(run); err != nil {
			return err
		}
	}
	return o.checkResults(run)
}

func (o *testOptions) checkResults(run *testRun) error {
	for _, p := range run.playFiles {
		for i := range p.results {
			err := p.results[i].Err
			if err == nil {
				continue
			}
			err = fmt.Errorf("%s: %w", p.name, err)
			if o.Server == "" && !o.llm.IsBuiltIn() {
				return cli.WrapTrouble(err, "") // a temporary server has no log to hint at
			}
			return err
		}
	}
	var wrong []string
	n := run.count()
	if n.failed > 0 && (!o.update || run.notUpdated > 0) {
		wrong = append(wrong, fmt.Sprintf("%s of %d failed", cli.Pluralize(n.failed, "play-through"), n.results))
	}
	if n.broken > 0 {
		wrong = append(wrong, cli.Pluralize(n.broken, "play file")+" cannot be played")
	}
	if lack := o.findLack(run); lack != "" {
		wrong = append(wrong, lack)
	}
	if len(wrong) > 0 {
		f := &cli.Failure{Code: cli.ExitNo, Err: errors.New(strings.Join(wrong, ", "))}
		if run.unread > 0 {
			f.Code = cli.ExitTrouble
		}
		return f
	}
	return nil
}

func (o *testOptions) findLack(run *testRun) string {
	percent := run.sumCoverage().Percent()
	switch {
	case o.failUnder == 0:
		return ""
	case run.uncounted > 0:
		return fmt.Sprintf("%s cannot be counted for --fail-under because of errors", cli.Pluralize(run.uncounted, "persona"))
	case percent < o.failUnder:
		return fmt.Sprintf("%.1f %% is covered, less than %g %%", percent, o.failUnder)
	}
	return ""
}

// openService ignores the settings, because a test must have the same result on every machine.
func (o *testOptions) openService(ctx context.Context) (*service.TestService, error) {
	if o.Server != "" {
		s, err := o.Connect()
		if err != nil {
			return nil, err
		}
		return &service.TestService{Service: s, Players: s}, nil
	}
	t, err := o.StartThrowAway(ctx, localserver.Options{LLM: o.llm.Options(o.Access)})
	if err != nil {
		return nil, err
	}
	anyone, err := o.newPlayerClient(t)
	if err != nil {
		t.Stop()
		return nil, err
	}
	return &service.TestService{Service: t.Service, Local: t, Players: anyone}, nil
}

func (o *testOptions) playAll(ctx context.Context, target *service.TestService, run *testRun) error {
	for _, tested := range run.personas {
		if tested.played {
			tested.saved, tested.saveErr = target.PreparePersona(ctx, &tested.Doc)
		}
	}
	plays := 0
	for _, p := range run.playFiles {
		plays += len(p.doc.Plays)
	}
	bar := o.ShowProgress(plays, "playing")
	defer bar.Finish()
	var jobs []func()
	for _, p := range run.playFiles {
		p.results, p.took = make([]playtest.Result, len(p.doc.Plays)), make([]time.Duration, len(p.doc.Plays))
		for i := range p.doc.Plays {
			jobs = append(jobs, func() {
				began := o.Now()
				p.results[i] = o.playOne(ctx, target, p.persona, &p.doc.Plays[i])
				p.took[i] = o.Now().Sub(began)
				bar.AddDone(p.name)
			})
		}
	}
	cli.RunParallel(o.jobs, jobs)
	for _, p := range run.playFiles {
		for i := range p.results {
			p.persona.counts.Add(p.results[i].Hits)
		}
	}
	return ctx.Err()
}

func (o *testOptions) playOne(ctx context.Context, target *service.TestService, tested *testedPersona,
	play *playtest.Play) playtest.Result {
	if err := tested.saveErr; err != nil {
		return playtest.Result{Play: play, Err: fmt.Errorf("%s: %w", tested.Name, err)}
	}
	return tested.saved.Run(ctx, target.Players, o.NewID(), play)
}

func watchFiles(ctx context.Context, streams *cli.Streams, pause time.Duration, noteState func() string,
	act func(context.Context) error) error {
	last := ""
	check := func() {
		now := noteState()
		if now == last {
			return
		}
		last = now
		if err := act(ctx); err != nil && ctx.Err() == nil {
			streams.ReportFailure(nil, service.Explain(ctx, err))
		}
		streams.Say("%s", streams.Style.Faint(streams.Now().Format("15:04:05")+" waiting for changes, Ctrl-C stops"))
	}
	check()
	cli.Poll(ctx, pause, check)
	return ctx.Err()
}

func noteFile(note *strings.Builder, path string) {
	note.WriteString(path + " " + cli.FileState(path) + "\n")
}
