package check

import (
	"context"
	"fmt"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/tui/terminal"
)

// lineJudge judges the lines: it is the built-in judge, or an external one.
type lineJudge struct {
	name   string
	reader *intent.Reader
	asked  *localserver.Judge // nil for the built-in judge alone
	weigh  bool               // the choices of the built-in judge are wanted
}

func (j *lineJudge) isBuiltIn() bool { return j.asked == nil }

// openJudge returns the judge that the flags name. It opens no connection.
func (o *testOptions) openJudge() (*lineJudge, error) {
	if o.llm.IsBuiltIn() {
		return &lineJudge{name: localserver.ModelOffline, reader: intent.NewReader(), weigh: o.calibrate}, nil
	}
	asked, err := localserver.NewJudge(o.llm.Options(o.Access), cli.VersionText())
	if err != nil {
		return nil, service.ExplainLLM(err)
	}
	return &lineJudge{name: asked.Name(), asked: asked}, nil
}

// decide returns the judge's verdict on a line.
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

// judgeLines has the lines judged, one after the other, and shows how far it is. It ends early
// when ctx ends, when the model fails, and when several lines in a row get no answer.
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
		if unanswered++; unanswered == maxUnanswered {
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

// fit fits the thresholds of the judge's policy to the lines.
func (j *lineJudge) fit(ctx context.Context, f *intent.Figures) (*fitReport, error) {
	own := intent.Policy()
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

// close ends a recording, and reports its result.
func (j *lineJudge) close(o *testOptions, whole bool) error {
	if j.asked == nil {
		return nil
	}
	r, err := j.asked.Recording(), j.asked.Close()
	if r.Note != "" {
		o.Say("%s", terminal.Clean(r.Note))
	}
	if o.llm.Record != "" {
		o.Say("%s: %s", terminal.Clean(o.llm.Record), cli.Pluralize(r.Added, "new answer"))
	}
	if len(r.Unused) > 0 && whole {
		o.sayUnused(r.Unused)
	}
	if err != nil {
		return cli.WrapTrouble(err, "")
	}
	return nil
}
