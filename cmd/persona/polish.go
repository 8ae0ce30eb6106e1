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
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

type polishOptions struct {
	*service.Environment
	file, field, as string
	apply           bool
	writer          writerFlags
}

// NewPolishCmd returns the `parley persona polish` command.
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
On a terminal you accept or skip each text; otherwise all are shown as a difference.

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
	// This cannot fail, because the flag exists.
	_ = c.RegisterFlagCompletionFunc("field", o.completeField)
	return c
}

func (o *polishOptions) completeField(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 || args[0] == "-" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	f, err := personafiles.ParsePersonaFile(o.Streams, args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	paths := []string{fieldOffline + "\tdraft the texts for play without a model, for all states"}
	for _, at := range draft.ListOfflineStates(&f.Doc) {
		paths = append(paths, offlinePath(at)+"\tdraft the texts for play without a model, for "+firstWords(f.Doc.Machines[at[0]].States[at[1]].Title()))
	}
	for _, field := range draft.ListFields(&f.Doc) {
		paths = append(paths, field.Path+"\t"+firstWords(field.Text))
	}
	return paths, cobra.ShellCompDirectiveNoFileComp
}

func firstWords(text string) string {
	return plaintext.ClipAfter(strings.Join(strings.Fields(terminal.Clean(text)), " "), 50, plaintext.Ellipsis)
}

func runPolish(ctx context.Context, o *polishOptions) error {
	if o.file == "-" && o.apply {
		return cli.UsageError("--apply cannot write to stdin: give a file, or omit --apply")
	}
	f, err := o.readSoundFile()
	if err != nil {
		return err
	}
	if states := o.offlineStates(&f.Doc); len(states) > 0 {
		return o.runOffline(ctx, f, states)
	}
	if err := o.checkField(&f.Doc); err != nil {
		return err
	}
	d, err := o.writer.newDrafter(ctx, o.Environment)
	if err != nil {
		return err
	}
	if o.TTY.Err {
		o.Say("%s", o.Style.Faint(terminal.Clean(d.Model())+" rewrites "+o.field))
	}
	rewrite, err := d.RewriteText(tellWaits(ctx, o.Streams), draft.Revision{Persona: &f.Doc, Path: o.field, Direction: o.as})
	if err := finishWriting(o.Streams, d, rewrite.Usage, err); err != nil {
		return err
	}
	return o.offerChange(ctx, f, rewrite.Text)
}

func (o *polishOptions) readSoundFile() (*personafiles.File, error) {
	f, err := personafiles.ReadRunnableFile(o.Streams, o.file)
	if err != nil || f.IsSound() {
		return f, err
	}
	f.Findings = slices.DeleteFunc(f.Findings, func(found personas.Diagnostic) bool { return found.Severity != lint.Error })
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
	if len(paths) == 0 {
		return cli.AnswerNo("%s has no text to rewrite", terminal.Clean(o.file))
	}
	all := "the texts of this file are\n  " + strings.Join(paths, "\n  ")
	if o.field == "" {
		return &cli.Failure{Code: cli.ExitUsage, Err: errors.New("--field is missing: give the path of the text to rewrite"), Hint: all}
	}
	err := fmt.Errorf("--field %q is not the path of a text in this file", o.field)
	if near := cmp.Or(personas.Nearest(o.field, paths), findContaining(o.field, paths)); near != "" {
		return cli.UsageError("%w; did you mean %s?", err, near)
	}
	return &cli.Failure{Code: cli.ExitUsage, Err: err, Hint: all}
}

func findContaining(word string, paths []string) string {
	for _, path := range paths {
		if strings.Contains(path, word) {
			return path
		}
	}
	return ""
}

func (o *polishOptions) offerChange(ctx context.Context, f *personafiles.File, text string) error {
	changed, err := replaceField(f, o.field, text)
	if err != nil {
		// Do not discard the text, because the model's work costs time or money.
		fmt.Fprintln(o.Out, terminal.CleanLines(text))
		return cli.AnswerNo("the new text (on stdout) cannot be inserted: %w", err)
	}
	if bytes.Equal(changed, f.Source) {
		return cli.AnswerNo("%s stays unchanged: the model returned the same text", o.field)
	}
	unified := terminal.CleanLines(cli.UnifiedDiff(f.Name, "polished", string(f.Source), string(changed)))
	if _, err := fmt.Fprint(o.Out, o.colourDiff(unified)); err != nil {
		return err
	}
	if apply, err := o.confirmWrite(ctx); err != nil || !apply {
		return err
	}
	return o.writeChanged(f, changed)
}

func replaceField(f *personafiles.File, path, text string) ([]byte, error) {
	changed, err := personas.SetScalar(f.Source, path, text)
	if err != nil {
		return nil, err
	}
	if found := personafiles.CheckRunnable(f.Name, changed).FindRefusal(); found != nil {
		return nil, fmt.Errorf("%s: %s", found.Path, found.Message)
	}
	return changed, nil
}

func (o *polishOptions) confirmWrite(ctx context.Context) (bool, error) {
	if o.apply || o.file == "-" || !o.TTY.In || !o.TTY.Err {
		return o.apply, nil
	}
	fmt.Fprintf(o.Err, "Apply the text to %s? [y/N] ", terminal.Clean(o.file))
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
	// Write the accepted texts even if the model failed after the user had accepted them.
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
	unwritten int // number of steps without usable text of the model
}

var errStopReview = errors.New("the author has enough")

// draftStates drafts one part of a state at a time. The user reviews each part before the model
// drafts the next.
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
