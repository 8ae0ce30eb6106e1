package persona

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/terminal"
)

// fieldOffline is the value of --field that drafts material for play without a model, for all
// states. A path such as "machines[0].states[1].offline" selects one state.
const fieldOffline = "offline"

func offlinePath(at [2]int) string {
	return fmt.Sprintf("machines[%d].states[%d].%s", at[0], at[1], fieldOffline)
}

func (o *polishOptions) offlineStates(doc *personas.Persona) [][2]int {
	var out [][2]int
	for _, at := range draft.ListOfflineStates(doc) {
		if o.field == fieldOffline || o.field == offlinePath(at) {
			out = append(out, at)
		}
	}
	return out
}

func (o *polishOptions) runOffline(ctx context.Context, f *personafiles.File, states [][2]int) error {
	d, err := o.writer.newDrafter(ctx, o.Environment)
	if err != nil {
		return err
	}
	r := &offlineReview{
		polishOptions: o, file: f, doc: &f.Doc, source: f.Source,
		asks: !o.apply && o.file != "-" && o.TTY.In && o.TTY.Err,
	}
	stopped := r.draftStates(ctx, d, states)
	if ctx.Err() != nil {
		stopped = ctx.Err()
	}
	stopped = finishWriting(o.Streams, d, r.usage, stopped)
	if stopped != nil && (r.added == 0 || r.asks && ctx.Err() != nil) {
		return stopped
	}
	// Also write the accepted texts if the model failed afterwards.
	if err := r.finish(); err != nil || stopped != nil {
		return cmp.Or(stopped, err)
	}
	if r.unwritten > 0 {
		return &cli.Failure{
			Code: cli.ExitNo,
			Err:  fmt.Errorf("the model wrote nothing usable in %s (see above)", cli.Pluralize(r.unwritten, "step")),
			Hint: "polish these states again, or use another model",
		}
	}
	return nil
}

type offlineReview struct {
	*polishOptions

	file      *personafiles.File
	doc       *personas.Persona // the parsed source
	source    []byte
	usage     llm.Usage
	asks      bool // the user is asked about each addition
	takesAll  bool
	added     int
	unwritten int // number of steps in which the model wrote nothing usable
}

var errStopReview = errors.New("the author has enough")

// draftStates drafts the material of each state, one part at a time. The user reviews a part before
// the model drafts the next.
func (r *offlineReview) draftStates(ctx context.Context, d *models.Drafter, states [][2]int) error {
	parts := draft.OfflineParts
	for i := range len(states) * len(parts) {
		at, part := states[i/len(parts)], parts[i%len(parts)]
		s := &r.doc.Machines[at[0]].States[at[1]]
		what := fmt.Sprintf("%s of %q", part, s.Title())
		r.Say("%s", r.Style.Faint(terminal.Clean(fmt.Sprintf("step %d of %d: %s", i+1, len(states)*len(parts), what))))
		brief := draft.OfflineBrief{Persona: r.doc, Machine: at[0], State: at[1], Part: part, Direction: r.as}
		drafted, err := d.DraftOffline(tellWaits(ctx, r.Streams), brief)
		r.usage = r.usage.Plus(drafted.Usage)
		switch {
		case models.IsUnusable(err):
			r.unwritten++
			r.Say("unchanged: %s", terminal.Clean(err.Error()))
			continue
		case err != nil:
			return err
		}
		if err := r.review(ctx, s.Title(), drafted.Additions); errors.Is(err, errStopReview) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (r *offlineReview) review(ctx context.Context, state string, additions []draft.Addition) error {
	for i := range additions {
		a := &additions[i]
		changed, err := r.addTo(a)
		if err != nil {
			r.Say("omitted, %s: %s", terminal.Clean(a.Kind), terminal.Clean(err.Error()))
			continue
		}
		accepted, err := r.acceptAddition(ctx, state, a)
		if err != nil {
			return err
		}
		if accepted {
			r.doc, r.source, r.added = &changed.Doc, changed.Source, r.added+1
		}
	}
	return nil
}

func (r *offlineReview) addTo(a *draft.Addition) (*personafiles.File, error) {
	add := personas.AddMember
	if a.IsItem() {
		add = personas.AddItem
	}
	changed, err := add(r.source, a.Path, a.Value)
	if err != nil {
		return nil, err
	}
	f := personafiles.CheckRunnable(r.file.Name, changed)
	if found := f.FindRefusal(); found != nil {
		return nil, fmt.Errorf("%s: %s", found.Path, found.Message)
	}
	return f, nil
}

func (r *offlineReview) acceptAddition(ctx context.Context, state string, a *draft.Addition) (bool, error) {
	if !r.asks || r.takesAll {
		return true, nil
	}
	fmt.Fprintf(r.Err, "%s, %s: %s\nAdd it? [y/N, a all, q quit] ", terminal.Clean(state), terminal.Clean(a.Kind), terminal.Clean(a.Text))
	answer, err := r.ReadLine(ctx)
	if err != nil && !errors.Is(err, cli.ErrNoAnswer) {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	case "a", "all":
		r.takesAll = true
		return true, nil
	case "q", "quit":
		return false, errStopReview
	}
	return false, nil
}

func (r *offlineReview) finish() error {
	if r.added == 0 {
		return cli.AnswerNo("%s is unchanged: nothing was added", terminal.Clean(r.polishOptions.file))
	}
	unified := terminal.CleanLines(cli.UnifiedDiff(r.file.Name, "polished", string(r.file.Source), string(r.source)))
	if _, err := fmt.Fprint(r.Out, r.colourDiff(unified)); err != nil {
		return err
	}
	if !r.apply && !r.asks || bytes.Equal(r.source, r.file.Source) {
		return nil
	}
	return r.writeChanged(r.file, r.source)
}
