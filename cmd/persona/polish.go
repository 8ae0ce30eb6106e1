package persona

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/tui/terminal"
)

type polishOptions struct {
	*service.Environment
	file, field, as string
	apply           bool
	writer          writerFlags
}

func NewPolishCmd(env *service.Environment) *cobra.Command {
	o := &polishOptions{Environment: env}
	c := &cobra.Command{
		Use:   "polish FILE --field PATH",
		Short: "Have a model rewrite one text of a persona file",
		Long: `Have a model rewrite one text of a persona file, and show the difference. PATH has
the form of lint's JSON: persona_identity_prompt,
machines[0].states[1].prompt_instruction,
machines[0].states[0].offline.lines.pass[0]; without --field all paths of the file
are listed. {{placeholders}} are kept. Nothing else in the file changes.

With --field offline the model drafts material for play without a model, for all
states: examples of what players say, lines, answers to small talk, and patience.
machines[0].states[1].offline selects one state. Each text is a small step: if the
model fails in one, parley continues with the next. Existing texts stay.

On a terminal you are asked before the file is written; otherwise nothing is written
without --apply. The exit code is 1 if nothing changes or the model's text cannot be
used. The text, the character's name, description and identity prompt are sent to
the model.`,
		Example: `  parley persona polish ada.yaml --field persona_identity_prompt --llm ollama/llama3.2
  parley persona polish ada.yaml --field 'machines[0].states[0].offline.opening[0]' --as "shorter, more menacing"
  parley persona polish ada.yaml --field description --apply
  parley persona polish ada.yaml --field offline --llm openai/gpt-4o`,
		Args: cli.ExactArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runPolish(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.field, "field", "", "the `PATH` of the text to rewrite")
	c.Flags().StringVar(&o.as, "as", "", "how the text should change, in your own `WORDS`")
	c.Flags().BoolVar(&o.apply, "apply", false, "write the text into the file without asking")
	o.writer.addWriterFlags(c)
	return c
}

func runPolish(ctx context.Context, o *polishOptions) error {
	if o.file == "-" && o.apply {
		return cli.UsageError("--apply cannot write to stdin: give a file, or omit --apply")
	}
	file, err := o.readSoundFile()
	if err != nil {
		return err
	}
	states := o.offlineStates(&file.Doc)
	if len(states) == 0 {
		if err := o.checkField(&file.Doc); err != nil {
			return err
		}
	}
	drafter, err := o.writer.newDrafter(ctx, o.Environment)
	if err != nil {
		return err
	}
	work := &polishing{polishOptions: o, drafter: drafter, file: file}
	if len(states) > 0 {
		err = work.draftStates(ctx, states)
	} else {
		err = work.rewriteText(ctx)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	stopped := finishWriting(o.Streams, drafter, work.usage, err)
	isSame := bytes.Equal(work.file.Source, file.Source)
	interrupted := ctx.Err() != nil && !o.apply
	if stopped != nil && (isSame || interrupted) {
		return stopped
	}
	if isSame {
		return cli.AnswerNo("%s is unchanged: the model wrote nothing new", terminal.Clean(o.file))
	}
	// The texts so far are useful even after an error.
	if err := o.offerChange(ctx, file, work.file.Source); err != nil || stopped != nil {
		return cmp.Or(stopped, err)
	}
	if work.unwritten > 0 {
		return &cli.Failure{
			Code: cli.ExitNo,
			Err:  fmt.Errorf("the model wrote nothing usable in %s (see above)", cli.Pluralize(work.unwritten, "step")),
			Hint: "polish these states again, or use another model",
		}
	}
	return nil
}

func (o *polishOptions) readSoundFile() (*personafiles.File, error) {
	f, err := personafiles.ReadRunnableFile(o.Streams, o.file)
	if err != nil || f.IsSound() {
		return f, err
	}
	f.Findings = slices.DeleteFunc(f.Findings, func(found personas.Diagnostic) bool {
		return found.Severity != lint.Error
	})
	return nil, f.Refuse(o.Streams, "has errors (see above): correct them first")
}

func (o *polishOptions) checkField(doc *personas.Persona) error {
	var paths []string
	for _, field := range draft.ListFields(doc) {
		paths = append(paths, field.Path)
	}
	if slices.Contains(paths, o.field) {
		return nil
	}
	err := fmt.Errorf("--field %q is not the path of a text in this file", o.field)
	if o.field == "" {
		err = errors.New("--field is missing: give the path of the text to rewrite")
	}
	return &cli.Failure{Code: cli.ExitUsage, Err: err,
		Hint: "the texts of this file are\n  " + strings.Join(paths, "\n  ")}
}

func (o *polishOptions) offerChange(ctx context.Context, f *personafiles.File, changed []byte) error {
	unified := terminal.CleanLines(cli.UnifiedDiff(f.Name, "polished", string(f.Source), string(changed)))
	if _, err := fmt.Fprint(o.Out, o.colourDiff(unified)); err != nil {
		return err
	}
	if apply, err := o.confirmWrite(ctx); err != nil || !apply {
		return err
	}
	return o.writeChanged(f, changed)
}

func (o *polishOptions) confirmWrite(ctx context.Context) (bool, error) {
	if o.apply || o.file == "-" || !o.TTY.In || !o.TTY.Err {
		return o.apply, nil
	}
	fmt.Fprintf(o.Err, "Apply the change to %s? [y/N] ", terminal.Clean(o.file))
	answer, err := o.ReadLine(ctx)
	if err != nil && !errors.Is(err, cli.ErrNoAnswer) {
		return false, err
	}
	if yes := strings.ToLower(strings.TrimSpace(answer)); yes == "y" || yes == "yes" {
		return true, nil
	}
	o.Say("%s is unchanged", terminal.Clean(o.file))
	return false, nil
}

func (o *polishOptions) writeChanged(f *personafiles.File, changed []byte) error {
	_, now, err := personafiles.ReadSource(o.Streams, o.file)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, f.Source) {
		return cli.AnswerNo("%s was changed while the model was writing: nothing was written, run the command again", f.Name)
	}
	if err := atomicfile.Rewrite(o.file, changed); err != nil {
		return err
	}
	o.Say("changed %s", terminal.Clean(o.file))
	return nil
}

func (o *polishOptions) colourDiff(unified string) string {
	if !o.TTY.Out || !o.UsesColor() {
		return unified
	}
	lines := strings.SplitAfter(unified, "\n")
	for i, line := range lines {
		text, end := strings.TrimSuffix(line, "\n"), line[len(strings.TrimSuffix(line, "\n")):]
		switch {
		case strings.HasPrefix(text, "---"), strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "@@"):
			lines[i] = o.Style.Faint(text) + end
		case strings.HasPrefix(text, "-"):
			lines[i] = o.Style.Color("1", text) + end
		case strings.HasPrefix(text, "+"):
			lines[i] = o.Style.Color("2", text) + end
		}
	}
	return strings.Join(lines, "")
}

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

type polishing struct {
	*polishOptions

	drafter   *models.Drafter
	file      *personafiles.File // with the texts so far
	usage     llm.Usage
	unwritten int // number of steps without usable text of the model
}

func (p *polishing) rewriteText(ctx context.Context) error {
	if p.TTY.Err {
		p.Say("%s", p.Style.Faint(terminal.Clean(p.drafter.Model())+" rewrites "+p.field))
	}
	rewrite, err := p.drafter.RewriteText(tellWaits(ctx, p.Streams),
		draft.Revision{Persona: &p.file.Doc, Path: p.field, Direction: p.as})
	p.usage = rewrite.Usage
	if err != nil {
		return err
	}
	changed, err := personas.SetScalar(p.file.Source, p.field, rewrite.Text)
	if err == nil {
		err = p.accept(changed)
	}
	if err != nil {
		// The work of a model costs time or money, so an unusable text is printed.
		fmt.Fprintln(p.Out, terminal.CleanLines(rewrite.Text))
		return cli.AnswerNo("the new text (on stdout) cannot be inserted: %w", err)
	}
	return nil
}

func (p *polishing) accept(changed []byte) error {
	f := personafiles.CheckRunnable(p.file.Name, changed)
	if found := f.FindRefusal(); found != nil {
		return fmt.Errorf("%s: %s", found.Path, found.Message)
	}
	p.file = f
	return nil
}

func (p *polishing) draftStates(ctx context.Context, states [][2]int) error {
	parts := draft.OfflineParts
	steps := len(states) * len(parts)
	for i := range steps {
		state, part := states[i/len(parts)], parts[i%len(parts)]
		title := p.file.Doc.Machines[state[0]].States[state[1]].Title()
		text := fmt.Sprintf("step %d of %d: %s of %q", i+1, steps, part, title)
		p.Say("%s", p.Style.Faint(terminal.Clean(text)))
		brief := draft.OfflineBrief{Persona: &p.file.Doc, Machine: state[0], State: state[1], Part: part, Direction: p.as}
		drafted, err := p.drafter.DraftOffline(tellWaits(ctx, p.Streams), brief)
		p.usage = p.usage.Plus(drafted.Usage)
		switch {
		case models.IsUnusable(err):
			p.unwritten++
			p.Say("unchanged: %s", terminal.Clean(err.Error()))
		case err != nil:
			return err
		}
		for i := range drafted.Additions {
			p.add(&drafted.Additions[i])
		}
	}
	return nil
}

func (p *polishing) add(a *draft.Addition) {
	add := personas.AddMember
	if a.IsItem() {
		add = personas.AddItem
	}
	changed, err := add(p.file.Source, a.Path, a.Value)
	if err == nil {
		err = p.accept(changed)
	}
	if err != nil {
		p.Say("omitted, %s: %s", terminal.Clean(a.Kind), terminal.Clean(err.Error()))
	}
}
