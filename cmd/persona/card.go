package persona

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/card"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

type importOptions struct {
	*cli.Streams
	file   string
	output string
	force  bool
}

func NewImportCmd(streams *cli.Streams) *cobra.Command {
	o := &importOptions{Streams: streams}
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Convert a character card to a persona",
		Long: `Convert a character card of SillyTavern, Risu and other programs to a persona: V1,
V2 or V3 as JSON, PNG or CHARX. FILE is the card; - is stdin. The persona goes to
stdout with the picture inside, or with -o to a file, with the picture in another file.
stderr lists what was converted, changed and left out; the whole card is kept under
x-card.

Cards do not set a goal: the new machine greets, answers and never ends until you
describe how a player wins. lint reminds you.`,
		Example: "  parley persona import odo.png -o odo.yaml\n  parley persona import odo.charx | less",
		Args:    cli.ExactArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runImport(o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "",
		"write to `FILE` instead of stdout: JSON if the name ends in .json, else YAML")
	f.BoolVar(&o.force, "force", false, "overwrite an existing FILE")
	return c
}

func runImport(o *importOptions) error {
	if err := checkNewOutput("import "+o.file, o.output, o.force); err != nil {
		return err
	}
	name, source, err := personafiles.ReadCard(o.Streams, o.file)
	if err != nil {
		return err
	}
	character, err := card.Read(source)
	switch {
	case errors.Is(err, card.ErrNoCard):
		return personafiles.ExplainNoCard(name, source, err)
	case err != nil:
		return cli.AnswerNo("%s: %w", name, err)
	}
	doc, report, err := character.Persona()
	if err != nil {
		return cli.AnswerNo("%s: %w", name, err)
	}
	text, err := o.encodePersona(&doc)
	if err != nil {
		return cli.AnswerNo("%s: %w", name, err)
	}
	if err := writeOutput(o.Streams, o.output, text, o.force); err != nil {
		return err
	}
	o.reportImport(name, character, &report)
	return nil
}

func checkNewOutput(prefix, file string, force bool) error {
	switch {
	case !isFileName(file):
		return nil
	case fileExists(file) && !force:
		return outputExistsError(file)
	}
	return cli.CheckFolder(prefix, file)
}

func outputExistsError(file string) error {
	err := fmt.Errorf("%s already exists", file)
	return &cli.Failure{Code: cli.ExitNo, Err: err, Hint: "give another file, or overwrite this file with --force"}
}

func (o *importOptions) encodePersona(doc *personas.Persona) ([]byte, error) {
	if isFileName(o.output) {
		if err := personafiles.TakePortraitOut(doc, o.output, ""); err != nil {
			return nil, err
		}
	}
	if strings.HasSuffix(strings.ToLower(o.output), ".json") {
		return personas.EncodeJSON(*doc)
	}
	return card.EncodeYAML(*doc)
}

func isFileName(output string) bool { return output != "" && output != "-" }

func writeOutput(streams *cli.Streams, file string, content []byte, force bool) error {
	if !isFileName(file) {
		return streams.WriteDocument(content)
	}
	write := atomicfile.Create
	if force {
		write = atomicfile.Write
	}
	switch err := write(file, content, 0o644); {
	case errors.Is(err, fs.ErrExist):
		return outputExistsError(file)
	case err != nil:
		return cli.WrapTrouble(err, "")
	}
	return nil
}

func (o *importOptions) reportImport(name string, c *card.Card, report *card.Report) {
	o.Say("%s is a character card (version %s, %s)", terminal.Clean(name), c.Version, c.Container)
	sayReport(o.Streams, report)
	if !isFileName(o.output) {
		return
	}
	o.Say("wrote %s", terminal.Clean(o.output))
	o.Say("play it   parley chat %s --watch", terminal.Clean(plaintext.ShellFile(o.output)))
	o.Say("check it  parley persona lint %s", terminal.Clean(plaintext.ShellFile(o.output)))
}

const maxNotes = 25

func sayReport(streams *cli.Streams, r *card.Report) {
	sayNotes(streams, "taken:", r.Taken)
	sayNotes(streams, "changed:", r.Changed)
	sayNotes(streams, "left:", r.Left)
}

func sayNotes(streams *cli.Streams, head string, notes []card.Note) {
	if len(notes) > 0 {
		streams.Say("%s", head)
	}
	for _, n := range notes[:min(len(notes), maxNotes)] {
		line := terminal.Clean(plaintext.JoinLines(strings.TrimPrefix(n.Place+": "+n.Text, ": ")))
		streams.Say("  %s", cli.BreakCommands(plaintext.ClipWithin(line, maxNoteLine)))
	}
	if more := len(notes) - maxNotes; more > 0 {
		streams.Say("  and %d more", more)
	}
}

const maxNoteLine = 300

const cardV3 = "card-v3"

type exportOptions struct {
	*cli.Streams
	file, output string
	format       string
	force        bool
}

func NewExportCmd(streams *cli.Streams) *cobra.Command {
	o := &exportOptions{Streams: streams}
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write a persona file as a character card",
		Long: `Write a persona file (YAML or JSON, - is stdin) as a character card V3: as JSON to
stdout or a file, or as a PNG (the portrait with the card inside) if the name of -o
ends in .png. Unchanged parts of a card from ` + "`parley persona import`" + ` are written as
they were. A card cannot contain states, transitions and links; stderr lists what was
left out.`,
		Example: "  parley persona export odo.yaml --format card-v3 -o odo.json\n  parley persona export odo.yaml -o odo.png",
		Args:    cli.ExactArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runExport(o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", cardV3, "`FORMAT`: card-v3")
	f.StringVarP(&o.output, "output", "o", "",
		"write to `FILE` instead of stdout: a PNG if the name ends in .png, else JSON")
	f.BoolVar(&o.force, "force", false, "overwrite an existing FILE")
	return c
}

func runExport(o *exportOptions) error {
	if o.format != cardV3 {
		return cli.UsageError("--format %q: the only format is card-v3", o.format)
	}
	if err := checkNewOutput("export "+o.file, o.output, o.force); err != nil {
		return err
	}
	file, err := personafiles.ReadRunnableFile(o.Streams, o.file)
	if err != nil {
		return err
	}
	if file.FindRefusal() != nil {
		return file.Refuse(o.Streams, "has errors (see above): nothing was written")
	}
	made, err := card.FromPersona(&file.Doc)
	if err != nil {
		return cli.AnswerNo("%s: %w", file.Name, err)
	}
	encode := made.JSON
	if strings.EqualFold(filepath.Ext(o.output), ".png") {
		encode = made.PNG
	}
	content, err := encode()
	if err != nil {
		return cli.AnswerNo("%s: %w", file.Name, err)
	}
	if err := writeOutput(o.Streams, o.output, content, o.force); err != nil {
		return err
	}
	sayReport(o.Streams, &made.Report)
	if isFileName(o.output) {
		o.Say("wrote %s", terminal.Clean(o.output))
	}
	return nil
}
