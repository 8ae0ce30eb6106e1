package persona

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/terminal"
)

const filledMark = "# to do: from the template, the model wrote nothing usable"

func (o *newOptions) draftPersona(ctx context.Context) error {
	d, err := o.writer.newDrafter(ctx, o.Environment)
	if err != nil {
		return err
	}
	draft, err := d.DraftInSteps(tellWaits(ctx, o.Streams), draft.Brief{Description: o.generate, Name: strings.TrimSpace(o.name)}, o.sayStep)
	stopped := finishWriting(o.Streams, d, draft.Usage, err)
	if ctx.Err() != nil {
		stopped = ctx.Err()
	}
	if draft.Persona.Name == "" {
		return stopped
	}
	source, err := personas.EncodeYAML(draft.Persona)
	if err != nil {
		return err
	}
	if err := o.keepDraft(draft, markFilled(source, draft.Filled)); err != nil {
		return err
	}
	switch {
	case stopped != nil:
		return stopped
	case !draft.IsSound():
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("the draft has errors (see above)"), Hint: "correct the draft by hand, or try again with another description or another model"}
	case len(draft.Filled) > 0:
		return &cli.Failure{
			Code: cli.ExitNo, Err: fmt.Errorf("%s from the template: the model wrote nothing usable for them", cli.Pluralize(len(draft.Filled), "text")+" of the draft are"),
			Hint: "write these texts yourself: comments in the file mark them",
		}
	}
	return nil
}

func (o *newOptions) sayStep(p draft.StepProgress) {
	text := fmt.Sprintf("step %d of %d: %s", p.Step, p.Of, p.What)
	if p.Repair {
		text += ", repeated because the answer was unusable"
	}
	o.Say("%s", o.Style.Faint(terminal.Clean(text)))
}

func (o *newOptions) keepDraft(drafted draft.Draft, source []byte) error {
	shown, err := o.encodePersona(drafted.Persona, source)
	if err != nil {
		return err
	}
	name := o.file
	if o.file == "" || o.file == "-" {
		name = "the draft"
	}
	if err := personafiles.ReportFindings(o.Streams, o.Err, draftFindings(name, shown, drafted)); err != nil {
		return err
	}
	if fileExists(o.file) {
		o.Say("%s was created in the meantime; the draft is saved under another name", terminal.Clean(o.file))
		o.file = ""
	}
	return o.writePersona(source)
}

func markFilled(source []byte, paths []string) []byte {
	_, places, _ := personas.Parse("draft.yaml", source)
	var lines []int
	for _, path := range paths {
		if line := places.Lookup(path).Line; line > 0 {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	var out bytes.Buffer
	number := 0
	for line := range bytes.Lines(source) {
		number++
		if slices.Contains(lines, number) {
			indent := line[:len(line)-len(bytes.TrimLeft(line, " "))]
			fmt.Fprintf(&out, "%s%s\n", indent, filledMark)
		}
		out.Write(line)
	}
	if _, _, faults := personas.Parse("draft.yaml", out.Bytes()); len(faults) > 0 {
		return source // Rather no comments than misplaced ones.
	}
	return out.Bytes()
}

func draftFindings(file string, source []byte, drafted draft.Draft) *personafiles.File {
	f := &personafiles.File{Name: file, Source: source}
	parsed := file
	if filepath.Ext(file) == "" {
		parsed = file + ".yaml"
	}
	_, places, _ := personas.Parse(parsed, source)
	for _, found := range drafted.Findings {
		f.AddFinding(found, personafiles.FindPlace(places, found))
	}
	slices.SortStableFunc(f.Findings, personafiles.ComparePlaces)
	return f
}
