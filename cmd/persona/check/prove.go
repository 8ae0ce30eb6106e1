package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/prove"
	"github.com/parley-npc/parley/tui/terminal"
)

type proveOptions struct {
	*cli.Streams
	paths   []string
	single  bool // paths is one file
	witness bool
	reports personafiles.ReportFlags
}

type proof struct {
	file *personafiles.File
	*prove.Report
	failure *cli.Failure
	took    time.Duration
}

type namedProof struct {
	File string `json:"file"`
	*prove.Report
}

func NewProveCmd(streams *cli.Streams) *cobra.Command {
	o := &proveOptions{Streams: streams}
	c := &cobra.Command{
		Use:   "prove PATH...",
		Short: "Prove which endings and states players can reach",
		Long: `Prove which states, endings, links and machines of persona files (YAML or JSON, - is
stdin) players can reach, with the least and greatest score of each ending, or show
what blocks them. The proof is exact, for any number of turns. The text also lists
the endings that the author has named. PATH is a file, a glob, or a directory with
persona files.

Files with errors are reported, and the others are proved. If a file's scores take too
much work to follow, it is reported as unproved with exit code 3. The JSON is an
object for one named file, else a list of objects with file names. Other formats
report what is impossible or stuck as errors with positions.

The exit code is 1 if something is impossible or stuck: a state, transition, link or
machine that cannot be reached; the ending ACCEPT; REJECT if there is a reject or a
REJECT terminal state; KICK_OUT if there is a kick_out; a place from which no ending
can be reached.`,
		Example: "  parley persona prove ferryman.yaml\n  parley persona prove --witness ferryman.yaml\n  parley persona prove --json personas/\n" +
			"  parley persona prove --format github --output junit=proofs.xml personas/",
		Args: cli.MinArgs("PATH"),
		RunE: func(c *cobra.Command, args []string) error {
			o.paths = args
			return runProve(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.witness, "witness", false, "print the shortest way to each state and ending, turn by turn")
	o.reports.AddFlags(c, streams, namedProof{}, "text", "json", "sarif", "junit", "github", "gitlab", "markdown")
	return c
}

func runProve(ctx context.Context, o *proveOptions) error {
	if err := o.reports.Check(); err != nil {
		return err
	}
	files, err := readPersonas(ctx, o.Streams, o.paths, personafiles.CheckRunnable)
	if err != nil {
		return err
	}
	o.single = len(o.paths) == 1 && personafiles.IsOneFile(o.paths[0])
	all, err := o.proveAll(ctx, files)
	if err != nil {
		return err
	}
	if err := o.writeReports(all); err != nil {
		return err
	}
	return o.checkProofs(all)
}

func (o *proveOptions) proveAll(ctx context.Context, files []personafiles.ReadResult) ([]proof, error) {
	all := make([]proof, 0, len(files))
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		began := o.Now()
		p, err := o.proveFile(file)
		p.took = file.Took + o.Now().Sub(began)
		if err != nil {
			p.failure = service.Explain(ctx, err)
			if o.single && o.reports.Format == "text" && !o.reports.HasOutputs() {
				return nil, p.failure
			}
			o.ReportFailure(nil, p.failure)
			p.Report = newUnproved(p.failure)
		}
		all = append(all, p)
	}
	return all, nil
}

func (o *proveOptions) checkProofs(all []proof) error {
	code := cli.ExitDone
	for _, p := range all {
		if p.failure != nil {
			code = max(code, p.failure.Code)
		}
	}
	if code != cli.ExitDone && o.single {
		return &cli.Failure{Code: code, Err: errors.New("the file could not be proved (see above)")}
	}
	for _, p := range all {
		if p.Unproved != "" && p.failure == nil {
			return cli.WrapTrouble(fmt.Errorf("prove %s: %s", terminal.Clean(p.file.Name), p.Unproved), "")
		}
	}
	if code != cli.ExitDone {
		return &cli.Failure{Code: code, Err: errors.New("some files could not be proved (see above)")}
	}
	failed := 0
	for i := range all {
		if !all[i].Holds() {
			failed++
		}
	}
	if failed > 0 {
		return cli.AnswerNo("in %s something is impossible or stuck", cli.Pluralize(failed, "file"))
	}
	return nil
}

func newUnproved(why error) *prove.Report {
	return &prove.Report{Machines: []prove.Machine{}, Links: []prove.Link{}, Stuck: []prove.Stuck{}, Unproved: why.Error()}
}

func (o *proveOptions) proveFile(file personafiles.ReadResult) (proof, error) {
	f := file.File
	if file.Err != nil {
		return proof{file: &personafiles.File{Name: file.Path}}, file.Err
	}
	if !f.IsSound() {
		f.Findings = slices.DeleteFunc(f.Findings, func(found personas.Diagnostic) bool {
			return found.Severity != lint.Error
		})
		return proof{file: f}, f.Refuse(o.Streams, "has errors (see above), so nothing can be proved about it")
	}
	r, err := prove.Persona(&f.Doc)
	if errors.Is(err, prove.ErrTooWide) {
		r, err = newUnproved(err), nil
	}
	return proof{file: f, Report: r}, err
}

func (o *proveOptions) printProofsText(all []proof) error {
	all = slices.DeleteFunc(slices.Clone(all), func(p proof) bool { return p.failure != nil })
	for i, p := range all {
		if len(all) > 1 && o.TTY.Out {
			fmt.Fprintf(o.Out, "%s%s\n", separateItems(i), terminal.Clean(p.file.Name))
		}
		if err := o.printProof(p); err != nil {
			return err
		}
		if o.witness {
			if err := o.printWitnesses(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *proveOptions) printProof(p proof) error {
	for i := range p.Machines {
		m := &p.Machines[i]
		rows := buildMachineRows(p, i)
		if o.TTY.Out {
			fmt.Fprintf(o.Out, "%smachine %s\n", separateItems(i), terminal.Clean(m.Key))
		}
		if err := o.printRows(p, m.Key, rows); err != nil {
			return err
		}
	}
	if len(p.Links) > 0 && o.TTY.Out {
		fmt.Fprintf(o.Out, "\nlinks\n")
	}
	return o.printRows(p, "", buildLinkRows(p))
}

func (o *proveOptions) printRows(p proof, machine string, rows [][]string) error {
	switch {
	case len(rows) == 0:
		return nil
	case o.TTY.Out:
		return o.PrintTable([]string{"WHAT", "NAME", "PROOF"}, rows)
	}
	for i := range rows {
		rows[i] = append([]string{p.file.Name, machine}, rows[i]...)
	}
	return o.PrintTable(nil, rows)
}

func separateItems(i int) string {
	if i == 0 {
		return ""
	}
	return "\n"
}

func buildMachineRows(proved proof, i int) [][]string {
	machine, doc := &proved.Machines[i], &proved.file.Doc.Machines[i]
	rows := [][]string{{"machine", machine.Key,
		formatProof(machine.Available, "can be started", machine.Witness, machine.Reason)}}
	given := ""
	if !machine.Available {
		given = ", if the machine starts"
	}
	for _, s := range machine.States {
		rows = append(rows, []string{"state", s.Key,
			addCondition(formatProof(s.Reachable, "reachable", s.Witness, s.Reason), s.Reachable, given)})
	}
	for _, t := range machine.Transitions {
		if !t.Fires {
			row := &doc.Transitions[t.Index]
			rows = append(rows, []string{"transition", fmt.Sprintf("%d: %s of %s", t.Index, row.Decision, row.From),
				formatProof(false, "", nil, t.Reason)})
		}
	}
	for _, e := range machine.Outcomes {
		rows = append(rows, []string{"ending", string(e.Outcome), addCondition(formatEnding(e), e.Reachable, given)})
	}
	for _, row := range buildNamedEndingRows(doc) {
		row[2] = addCondition(row[2], strings.HasPrefix(row[2], reachable), given)
		rows = append(rows, row)
	}
	for _, s := range proved.Stuck {
		if s.Machine == machine.Key {
			rows = append(rows, []string{"stuck", s.State, formatStuck(s)})
		}
	}
	return rows
}

const maxEndingSteps = 200_000

const reachable = "reachable"

func buildNamedEndingRows(doc *personas.Machine) [][]string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range doc.States {
		add(doc.States[i].EndingName)
	}
	for i := range doc.Transitions {
		add(doc.Transitions[i].EndingName)
	}
	rules, err := engine.Compile(doc)
	if err != nil || len(names) == 0 {
		return nil
	}
	steps := maxEndingSteps
	outcomes := map[string][]string{}
	for _, e := range rules.FindEndings(&steps) {
		outcomes[e.Name] = append(outcomes[e.Name], string(e.Outcome))
	}
	rows := make([][]string, 0, len(names))
	for _, name := range names {
		text := reachable + ", as " + strings.Join(outcomes[name], " or ")
		switch {
		case len(outcomes[name]) > 0:
		case steps <= 0:
			text = fmt.Sprintf("not found in %d steps", maxEndingSteps)
		default:
			text = "not reachable: the machine has no way to this ending"
		}
		rows = append(rows, []string{"named ending", name, text})
	}
	return rows
}

func addCondition(text string, possible bool, condition string) string {
	if possible {
		return text + condition
	}
	return text
}

func formatStuck(s prove.Stuck) string {
	if s.State == "" {
		return "leads nowhere: " + s.Reason
	}
	return formatProof(true, "can be stuck", s.Witness, "") + ": " + s.Reason
}

func buildLinkRows(p proof) [][]string {
	rows := make([][]string, 0, len(p.Links))
	for _, l := range p.Links {
		doc := p.file.Doc.Links[l.Index]
		isOpen, what := personafiles.IsOpen(&p.file.Doc, doc.Target), "can open"
		if isOpen {
			what = "can be met"
		}
		name := fmt.Sprintf("%d: %s opens %s %s", l.Index, doc.Source, doc.Target,
			personafiles.DescribeCondition(doc, isOpen))
		rows = append(rows, []string{"link", name, formatProof(l.CanOpen, what, l.Witness, l.Reason)})
	}
	return rows
}

func formatProof(possible bool, what string, w *prove.Way, reason string) string {
	switch {
	case !possible:
		return "impossible: " + reason
	case w == nil:
		return what + ", in more turns than the proof counts"
	case w.Len() == 0:
		return what + " at once"
	}
	return fmt.Sprintf("%s in %s", what, cli.Pluralize(w.Len(), "turn"))
}

func formatEnding(e prove.Outcome) string {
	switch {
	case !e.Reachable && !e.Meant:
		return "not meant: " + e.Reason
	case !e.Reachable:
		return "impossible: " + e.Reason
	}
	score := fmt.Sprintf("scores from %s to %s", *e.Min, *e.Max)
	switch {
	case *e.Min == *e.Max:
		score = fmt.Sprintf("score %s", *e.Min)
	case *e.Max == prove.Inf:
		score = fmt.Sprintf("any number of points from %s up", *e.Min)
	}
	return formatProof(true, "reachable", e.Witness, "") + ", with " + score
}

const (
	maxWitnessText    = 32 << 20 // bytes of all witnesses of a file
	maxShownCondition = 500      // characters of a turn's condition
)

func (o *proveOptions) printWitnesses(p proof) error {
	run, err := engine.CompilePersona(&p.file.Doc)
	if err != nil {
		return err
	}
	w := newWitnessWriter(&p.file.Doc, run, o.Out)
	listed := p.ListWitnesses()
	for i := range listed.Machines {
		w.writeMachine(&listed.Machines[i])
	}
	for _, l := range listed.Links {
		w.writeWitness(fmt.Sprintf("link %d", l.Index), l.CanOpen, l.Witness, l.Reason)
	}
	for _, s := range listed.Stuck {
		if s.State != "" {
			w.writeWitness(fmt.Sprintf("stuck in %s / %s", s.Machine, s.State), true, s.Witness, s.Reason)
		}
	}
	return w.out.Flush()
}

type witnessWriter struct {
	out      *bufio.Writer
	compiled *engine.Persona
	machines map[string]*witnessMachine
	room     int // remaining bytes for turns
}

type witnessMachine struct {
	*personas.Machine
	criteria map[string]*personas.Criteria
}

func newWitnessWriter(doc *personas.Persona, run *engine.Persona, out io.Writer) *witnessWriter {
	w := &witnessWriter{out: bufio.NewWriter(out), compiled: run, machines: map[string]*witnessMachine{},
		room: maxWitnessText}
	for i := range doc.Machines {
		m := &witnessMachine{&doc.Machines[i], map[string]*personas.Criteria{}}
		for j := range m.States {
			m.criteria[m.States[j].Key] = &m.States[j].Criteria
		}
		w.machines[m.Key] = m
	}
	return w
}

func (w *witnessWriter) writeMachine(m *prove.Machine) {
	if m.Witness.Len() > 0 {
		w.writeWitness("machine "+m.Key, true, m.Witness, m.Reason)
	}
	for _, s := range m.States {
		w.writeWitness(fmt.Sprintf("state %s / %s", m.Key, s.Key), s.Reachable, s.Witness, s.Reason)
	}
	for _, e := range m.Outcomes {
		w.writeWitness(fmt.Sprintf("ending %s / %s", m.Key, e.Outcome), e.Reachable, e.Witness, e.Reason)
	}
}

func (w *witnessWriter) writeWitness(title string, possible bool, way *prove.Way, reason string) {
	if !possible {
		return
	}
	w.writeLine("\n%s\n", title)
	switch steps := way.Steps(); {
	case way == nil || way.Len() > prove.MaxSteps:
		w.writeLine("  %s\n", reason)
	case len(steps) == 0:
		w.writeLine("  reached at the start\n")
	default:
		w.writeSteps(steps)
	}
}

func (w *witnessWriter) writeLine(format string, args ...any) int {
	n, _ := w.out.WriteString(terminal.CleanLines(fmt.Sprintf(format, args...)))
	return n
}

func (w *witnessWriter) writeSteps(steps []prove.Step) {
	machine, session := "", engine.Session{}
	for i, step := range steps {
		if w.room <= 0 {
			w.writeLine("  %s more, left out: the turns of a file have at most %d MiB of text\n",
				cli.Pluralize(len(steps)-i, "turn"), maxWitnessText>>20)
			return
		}
		if step.Machine != machine || session.IsFinished() {
			machine = step.Machine
			session = w.compiled.Machine(machine).Start()
		}
		r, err := w.compiled.Machine(machine).Step(session, step.Verdict)
		if err != nil {
			w.writeLine("  %v\n", err)
			return
		}
		w.room -= w.writeLine("  %3d. %s / %s: %s\n", i+1, machine, session.State,
			w.describeTurn(machine, session, step.Verdict, r))
		session = r.Session
	}
}

func (w *witnessWriter) describeTurn(machine string, before engine.Session, v engine.Verdict, r engine.Result) string {
	text := string(r.Decision)
	if r.Session.State != before.State {
		text += " to " + r.Session.State
	}
	m := w.machines[machine]
	if m.Mode() == personas.Scoring {
		text += fmt.Sprintf(", score %d", r.Session.Score)
	}
	if r.IsCompleted() {
		text += ", ends with " + string(r.Session.Outcome)
	}
	if condition := m.findCondition(before.State, v); condition != "" {
		text += ": " +
			strings.Join(strings.Fields(plaintext.ClipAfter(condition, maxShownCondition, plaintext.Ellipsis)), " ")
	}
	return text
}

func (m *witnessMachine) findCondition(state string, v engine.Verdict) string {
	decision := personas.DecideRedirect
	if v >= 0 {
		t := &m.Transitions[v]
		if t.Condition != "" {
			return t.Condition
		}
		decision = t.Decision
	}
	if criteria := m.criteria[state]; criteria != nil {
		return criteria.Of(string(decision))
	}
	return ""
}
