package persona

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/terminal"
)

// fieldOffline is the value of --field that drafts material for play without a model, and the
// suffix of the value for one state.
const fieldOffline = "offline"

// offlinePath is the path of a state's material.
func offlinePath(at [2]int) string {
	return fmt.Sprintf("machines[%d].states[%d].%s", at[0], at[1], fieldOffline)
}

// offlineStates returns the states that --field selects, by machine and state, or nil if it selects
// a text.
func (o *polishOptions) offlineStates(doc *personas.Persona) [][2]int {
	var out [][2]int
	for _, at := range localserver.OfflineStates(doc) {
		if o.field == fieldOffline || o.field == offlinePath(at) {
			out = append(out, at)
		}
	}
	return out
}

// runOffline has a model draft material for states, and adds the accepted parts.
func (o *polishOptions) runOffline(ctx context.Context, f *personafiles.File, states [][2]int) error {
	d, err := o.writer.newDrafter(ctx, o.Environment)
	if err != nil {
		return err
	}
	r := &offlineReview{polishOptions: o, file: f, source: f.Source, asks: !o.apply && o.file != "-" && o.TTY.In && o.TTY.Err}
	err = finishWriting(o.Streams, d, r.usage, r.draftStates(ctx, d, states))
	if err != nil && r.added == 0 || ctx.Err() != nil {
		return err
	}
	// What was accepted before the model failed is kept.
	if unwritten := r.finish(); err == nil {
		return unwritten
	}
	return err
}

// offlineReview is a draft that is accepted or not, piece by piece.
type offlineReview struct {
	*polishOptions

	file          *personafiles.File
	source        []byte // with what was accepted
	usage         localserver.TokenUsage
	asks          bool // whether somebody sits there to accept
	takesAll      bool
	added, passed int
}

var errStopReview = errors.New("the author has enough")

func (r *offlineReview) draftStates(ctx context.Context, d *localserver.Drafter, states [][2]int) error {
	for _, at := range states {
		s := &r.file.Doc.Machines[at[0]].States[at[1]]
		if r.TTY.Err {
			r.Say("%s", r.Style.Faint(terminal.Clean(fmt.Sprintf("%s drafts material for state %q", d.Model(), s.Title()))))
		}
		drafted, err := d.DraftOffline(tellWaits(ctx, r.Streams), localserver.OfflineBrief{Persona: &r.file.Doc, Machine: at[0], State: at[1], Direction: r.as})
		r.usage = r.usage.Plus(drafted.Usage)
		if err != nil {
			return err
		}
		if err := r.review(ctx, s.Title(), drafted.Additions); err != nil {
			if errors.Is(err, errStopReview) {
				return nil
			}
			return err
		}
	}
	return nil
}

// review offers the additions for a state, one by one.
func (r *offlineReview) review(ctx context.Context, state string, additions []localserver.Addition) error {
	for i := range additions {
		a := &additions[i]
		changed, err := r.addTo(a)
		if err != nil {
			r.passed++
			r.Say("left out, %s: %s", terminal.Clean(a.Kind), terminal.Clean(err.Error()))
			continue
		}
		accepted, err := r.acceptAddition(ctx, state, a)
		if err != nil {
			return err
		}
		if !accepted {
			r.passed++
			continue
		}
		r.source, r.added = changed, r.added+1
	}
	return nil
}

// addTo returns the source with an addition. One that brings an error into the file is
// refused.
func (r *offlineReview) addTo(a *localserver.Addition) ([]byte, error) {
	add := personas.AddMember
	if a.IsItem() {
		add = personas.AddItem
	}
	changed, err := add(r.source, a.Path, a.Value)
	if err != nil {
		return nil, err
	}
	if found := personafiles.CheckRunnable(r.file.Name, changed).FindRefusal(); found != nil {
		return nil, fmt.Errorf("%s: %s", found.Path, found.Message)
	}
	return changed, nil
}

// acceptAddition reports whether an addition is accepted; all are if nobody can be asked.
func (r *offlineReview) acceptAddition(ctx context.Context, state string, a *localserver.Addition) (bool, error) {
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

// finish shows the changes, and writes the accepted ones.
func (r *offlineReview) finish() error {
	if r.added == 0 {
		return cli.AnswerNo("%s is as it was: nothing was added", terminal.Clean(r.polishOptions.file))
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
