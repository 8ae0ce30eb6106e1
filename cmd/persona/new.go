package persona

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

//go:embed new.yaml
var firstPersona []byte

type newOptions struct {
	*service.Environment
	file, name, from string
	generate         string
	isGenerated      bool
	writer           writerFlags
}

func NewNewCmd(env *service.Environment) *cobra.Command {
	o := &newOptions{Environment: env}
	c := &cobra.Command{
		Use:   "new [FILE]",
		Short: "Start a persona file, or have a model draft one",
		Long: `Write a new persona file: a small playable character with comments that explain it,
or with --from a copy of a sample. A FILE without a file extension is used as the
character's name; without FILE the file is named after the character; - is stdout.
Existing files are never overwritten.

With --generate a model drafts the character from your description, in small steps:
who the character is, a scene with two states and an ending, and for each state
conditions, examples and lines. A step is repeated once if the model's answer is
unusable. Texts that are still missing are filled from a template and marked with a
comment. The file is written in any case, also after Ctrl-C. Exit code 1 means that
something is left to do, as listed in the findings. Only the texts of --generate and --name
are sent to the model.`,
		Example: `  parley persona new
  parley persona new "Old Sam"
  parley persona new ada.yaml --name "Ada"
  parley persona new --from gate my-gate.yaml
  parley persona new --generate "a harbour master who hates lies" --llm ollama/llama3.2`,
		Args: cli.OptionalArg,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.file = strings.Join(args, "")
			o.takeName()
			o.isGenerated = c.Flags().Changed("generate")
			return runNew(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.name, "name", "", "the character's `NAME`")
	c.Flags().StringVar(&o.from, "from", "", "start with a copy of this `SAMPLE`: "+strings.Join(examples.Names(), ", "))
	c.Flags().StringVar(&o.generate, "generate", "", "have a model draft a character from this description in `WORDS`")
	o.writer.addWriterFlags(c)
	_ = c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(examples.Names(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (o *newOptions) takeName() {
	isPath := filepath.Base(o.file) != o.file || filepath.Ext(o.file) != ""
	if o.name == "" && o.file != "-" && !isPath {
		o.name, o.file = o.file, ""
	}
}

func runNew(ctx context.Context, o *newOptions) error {
	switch {
	case o.isGenerated && o.from != "":
		return cli.UsageError("--generate and --from are mutually exclusive")
	case !o.isGenerated && o.writer != writerFlags{}:
		return cli.UsageError("--llm and the other model flags require --generate")
	}
	if err := checkNewFile(o.file); err != nil {
		return err
	}
	if o.isGenerated {
		return o.draftPersona(ctx)
	}
	source, err := o.loadTemplate()
	if err != nil {
		return err
	}
	return o.writePersona(source)
}

// checkNewFile runs before the model, because the work of a model costs time or money.
func checkNewFile(file string) error {
	if fileExists(file) {
		return fileExistsError(file)
	}
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return cli.WrapTrouble(fmt.Errorf("write %s: %w", file, cli.PathReason(err)), "")
	}
	return nil
}

func fileExists(file string) bool {
	if file == "" || file == "-" {
		return false
	}
	_, err := os.Lstat(file)
	return err == nil
}

func fileExistsError(file string) error {
	return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("%s already exists", file), Hint: "use another file name"}
}

func (o *newOptions) loadTemplate() ([]byte, error) {
	source := firstPersona
	if o.from != "" {
		var err error
		if source, err = examples.Read(o.from); err != nil {
			return nil, cli.UsageError("--from %q: unknown sample; use one of %s", o.from, strings.Join(examples.Names(), ", "))
		}
	}
	if o.name == "" {
		return source, nil
	}
	named, err := personas.SetScalar(source, "name", o.name)
	if err != nil {
		return nil, cli.UsageError("--name %q: %w", o.name, err)
	}
	if f := personafiles.CheckSource("new.yaml", named); !f.IsSound() {
		return nil, cli.UsageError("--name: %s", f.Findings[0].Message)
	}
	return named, nil
}

func (o *newOptions) writePersona(source []byte) error {
	doc, _, _ := personas.Parse("new.yaml", source)
	source, err := o.encodePersona(doc, source)
	if err != nil {
		return err
	}
	if o.file == "-" {
		return o.WriteDocument(source)
	}
	file, err := o.createPersonaFile(doc.Name, source)
	if err != nil && o.isGenerated {
		// The work of a model costs time or money, so an unwritten draft is printed.
		if err := o.WriteDocument(source); err != nil {
			return err
		}
		return cli.WrapTrouble(fmt.Errorf("%w; the draft is on stdout", err), "")
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(o.Out, personafiles.PlainPath(terminal.Clean(file))); err != nil {
		return err
	}
	o.Say("play it   parley chat %s --watch", terminal.Clean(plaintext.ShellFile(file)))
	o.Say("check it  parley persona lint %s", terminal.Clean(plaintext.ShellFile(file)))
	return nil
}

func (o *newOptions) encodePersona(doc personas.Persona, source []byte) ([]byte, error) {
	if strings.EqualFold(filepath.Ext(o.file), ".json") {
		return personas.EncodeJSON(doc)
	}
	return source, nil
}

func (o *newOptions) createPersonaFile(name string, source []byte) (string, error) {
	if o.file == "" {
		return createFreeFile(fileName(name), source)
	}
	err := cli.CreateFile(o.file, source, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return o.file, fileExistsError(o.file)
	}
	return o.file, cli.WrapTrouble(err, "")
}

func createFreeFile(name string, source []byte) (file string, err error) {
	const tries = 1000
	for n := 1; n <= tries; n++ {
		file = name + ".yaml"
		if n > 1 {
			file = fmt.Sprintf("%s-%d.yaml", name, n)
		}
		if err = cli.CreateFile(file, source, 0o644); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return file, cli.WrapTrouble(err, "")
}

const maxFileName = 40 // characters

func fileName(name string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		if b.Len() > 0 {
			b.WriteByte('-')
		}
		b.WriteString(word)
	}
	runes := []rune(b.String())
	text := strings.Trim(string(runes[:min(len(runes), maxFileName)]), "-")
	if text == "" || slices.Contains(strings.Fields(reservedWindowsNames), text) {
		return strings.TrimSuffix("persona-"+text, "-")
	}
	return text
}

const reservedWindowsNames = "con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9"

const filledMark = "# to do: from the template, the model wrote nothing usable"

func (o *newOptions) draftPersona(ctx context.Context) error {
	d, err := o.writer.newDrafter(ctx, o.Environment)
	if err != nil {
		return err
	}
	draft, err := d.DraftPersona(tellWaits(ctx, o.Streams),
		draft.Brief{Description: o.generate, Name: strings.TrimSpace(o.name)}, o.sayStep)
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
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("the draft has errors (see above)"),
			Hint: "correct the draft by hand, or try again with another description or another model"}
	case len(draft.Filled) > 0:
		return &cli.Failure{
			Code: cli.ExitNo, Err: fmt.Errorf("%s from the template: the model wrote nothing usable for them",
				cli.Pluralize(len(draft.Filled), "text")+" of the draft are"),
			Hint: "write these texts yourself: comments in the file mark them",
		}
	}
	return nil
}

func (o *newOptions) sayStep(p draft.Progress) {
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
		return source // no comments are better than misplaced comments
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
