package persona

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/card"
	"github.com/parley-npc/parley/tui/terminal"
)

const cardV3 = "card-v3"

type exportOptions struct {
	*cli.Streams
	file, output string
	format       string
	force        bool
}

// NewExportCmd returns the `parley persona export` command.
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
	f.StringVarP(&o.output, "output", "o", "", "write to `FILE` instead of stdout: a PNG if the name ends in .png, else JSON")
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
	f, err := personafiles.ReadRunnableFile(o.Streams, o.file)
	if err != nil {
		return err
	}
	if f.FindRefusal() != nil {
		return f.Refuse(o.Streams, "has errors (see above): nothing was written")
	}
	made, err := card.FromPersona(&f.Doc)
	if err != nil {
		return cli.AnswerNo("%s: %w", f.Name, err)
	}
	encode := made.JSON
	if strings.EqualFold(filepath.Ext(o.output), ".png") {
		encode = made.PNG
	}
	content, err := encode()
	if err != nil {
		return cli.AnswerNo("%s: %w", f.Name, err)
	}
	if err := writeOutput(o.Streams, o.output, content, o.force); err != nil {
		return err
	}
	sayNotes(o.Streams, "taken:", made.Report.Taken)
	sayNotes(o.Streams, "changed:", made.Report.Changed)
	sayNotes(o.Streams, "left:", made.Report.Left)
	if o.output != "" && o.output != "-" {
		o.Say("wrote %s", terminal.Clean(o.output))
	}
	return nil
}
