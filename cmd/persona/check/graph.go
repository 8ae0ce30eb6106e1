package check

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/graph"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

type graphOptions struct {
	*cli.Streams
	file    string
	format  string
	machine string
	output  string
	color   string
}

func NewGraphCmd(streams *cli.Streams) *cobra.Command {
	o := &graphOptions{Streams: streams}
	c := &cobra.Command{
		Use:   "graph FILE",
		Short: "Draw a persona file: its machines, states and links",
		Long: `Draw a persona file (YAML or JSON, - is stdin): machines with their states,
transitions with scores and priorities (p1; lower ones are tried first), and links
between machines. No other program is needed.

Without --format the output is text on a terminal, else the format of --output's
file name, else Mermaid. --color chooses what colours mean: decision, proof (what
can never happen), or coverage=FILE (what play-throughs reached, from
` + "`parley persona test --coverage FILE`" + `).`,
		Example: "  parley persona graph hotel.yaml\n" +
			"  parley persona graph hotel.yaml --output hotel.svg\n" +
			"  parley persona graph hotel.yaml --machine night-round --color proof --output night.png\n" +
			"  parley persona graph hotel.yaml --format dot | dot -Tpdf > hotel.pdf",
		Args: cli.ExactArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runGraph(o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "", "`FORMAT`: terminal, mermaid, dot, svg or png")
	f.StringVar(&o.machine, "machine", "", "draw only the machine with this `KEY`")
	f.StringVarP(&o.output, "output", "o", "", "write to `FILE` instead of stdout")
	f.StringVar(&o.color, "color", "decision", "what colours show, `WHAT`: decision, proof or coverage=FILE")
	return c
}

func runGraph(o *graphOptions) error {
	format, err := o.chooseFormat()
	if err != nil {
		return err
	}
	p, err := readSoundDocument(o.Streams, o.file)
	if err != nil {
		return err
	}
	marks, err := o.loadMarks(&p)
	if err != nil {
		return err
	}
	picture, err := o.drawPicture(format, &p, graph.Options{Machine: o.machine, Marks: marks})
	if err != nil {
		return explainGraph(&p, err)
	}
	if o.output == "" {
		out := io.Writer(o.Out)
		if format == "png" {
			out = cli.RawWriter(out)
		}
		_, err = out.Write(picture)
		return err
	}
	return cli.WrapTrouble(atomicfile.Write(o.output, picture, 0o644), "")
}

var graphEndings = map[string]string{
	".mmd": "mermaid", ".mermaid": "mermaid", ".dot": "dot", ".gv": "dot", ".svg": "svg", ".png": "png",
	".txt": "terminal",
}

func (o *graphOptions) chooseFormat() (string, error) {
	format := o.format
	switch {
	case format == "" && o.output != "":
		if format = graphEndings[strings.ToLower(filepath.Ext(o.output))]; format == "" {
			return "", cli.UsageError("--output %q: no format has this file extension; use --format, or the extension .svg, .png, .mmd, .dot or .txt", o.output)
		}
	case format == "" && o.TTY.Out:
		format = "terminal"
	case format == "":
		format = "mermaid"
	}
	switch format {
	case "terminal", "mermaid", "dot", "svg":
		return format, nil
	case "png":
		if o.output == "" && o.TTY.Out {
			return "", cli.UsageError("a PNG cannot be shown on a terminal: use --output FILE.png")
		}
		return format, nil
	}
	return "", cli.UsageError("--format %q: must be terminal, mermaid, dot, svg or png", format)
}

// readSoundDocument accepts lint errors, because a picture often shows their cause best.
func readSoundDocument(streams *cli.Streams, path string) (personas.Persona, error) {
	f, err := personafiles.ParsePersonaFile(streams, path)
	switch {
	case err != nil:
		return personas.Persona{}, err
	case f.Foreign != "":
		return f.Doc, cli.AnswerNo("%s: %s", f.Name, f.Foreign)
	case len(f.Findings) > 0:
		first := f.Findings[0]
		err := fmt.Errorf("%s:%d:%d: %s", f.Name, first.Line, first.Column, first.Message)
		return f.Doc, &cli.Failure{Code: cli.ExitNo, Err: err,
			Hint: fmt.Sprintf("`parley persona lint %s` shows all errors", plaintext.ShellFile(path))}
	}
	return f.Doc, nil
}

func (o *graphOptions) loadMarks(p *personas.Persona) (*graph.Marks, error) {
	switch what, file, _ := strings.Cut(o.color, "="); {
	case o.color == "decision":
		return nil, nil
	case o.color == "proof":
		m, err := graph.MarkProof(p)
		if err != nil {
			return nil, &cli.Failure{Code: cli.ExitNo, Err: err,
				Hint: "`parley persona lint` shows the errors that prevent the proof"}
		}
		return m, nil
	case what == "coverage" && file != "":
		source, err := atomicfile.Read(file)
		if err != nil {
			return nil, cli.WrapTrouble(fmt.Errorf("coverage file %s: %w", file, cli.PathReason(err)),
				"make the file with `parley persona test --coverage FILE`")
		}
		m, err := graph.MarkCoverage(o.file, source)
		if err != nil {
			return nil, cli.AnswerNo("coverage file %s: %w", file, err)
		}
		return m, nil
	}
	return nil, cli.UsageError("--color %q: must be decision, proof or coverage=FILE", o.color)
}

func (o *graphOptions) drawPicture(format string, persona *personas.Persona, g graph.Options) ([]byte, error) {
	var text string
	var err error
	switch format {
	case "png":
		return graph.PNG(persona, g)
	case "svg":
		text, err = graph.SVG(persona, g)
	case "dot":
		text, err = graph.DOT(persona, g)
	case "mermaid":
		text, err = graph.Mermaid(persona, g)
	default:
		width := 100
		if shown := o.Width(); shown > 0 && o.output == "" {
			width = shown
		}
		text, err = graph.Terminal(persona, g, width)
		text = terminal.CleanLines(text)
	}
	return []byte(text), err
}

func explainGraph(p *personas.Persona, err error) error {
	if !errors.Is(err, graph.ErrMachine) {
		return &cli.Failure{Code: cli.ExitNo, Err: err}
	}
	keys := make([]string, len(p.Machines))
	for i := range p.Machines {
		keys[i] = p.Machines[i].Key
	}
	return &cli.Failure{Code: cli.ExitUsage, Err: fmt.Errorf("--machine: %w", err),
		Hint: "it has " + strings.Join(keys, ", ")}
}
