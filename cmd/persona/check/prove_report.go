package check

import (
	"fmt"
	"io"
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/prove"
)

const (
	impossibleCheck = "impossible"
	stuckCheck      = "stuck"
	unprovedCheck   = "unproved"
)

var proveRules = []personafiles.SARIFRule{
	{ID: impossibleCheck, Short: personafiles.SARIFText{Text: "No player can ever reach this place."}},
	{ID: stuckCheck, Short: personafiles.SARIFText{Text: "A player can reach this place but no ending from it."}},
	{ID: unprovedCheck, Short: personafiles.SARIFText{Text: "Proving the file takes too much work."}},
}

func (o *proveOptions) writeReports(all []proof) error {
	rules := append(slices.Clone(proveRules), buildLintRules()...)
	formats := map[string]func(io.Writer) error{
		"text":     func(w io.Writer) error { return o.writeText(w, all) },
		"json":     func(w io.Writer) error { return o.writeProofsJSON(w, all) },
		"markdown": summarizeProofs(all).writeMarkdown,
		"junit": func(w io.Writer) error {
			suites := make([]personafiles.JUnitSuite, len(all))
			for i, p := range all {
				suites[i] = personafiles.NewFileSuite(o.reports.Paths(), p.file.Name, "proved", p.took,
					p.listFindings(), func(personas.Diagnostic) bool { return true })
			}
			return personafiles.WriteJUnit(w, suites)
		},
	}
	return o.reports.Write(o.Out, personafiles.Report{Findings: listProofFindings(all), Rules: rules, Formats: formats})
}

func (o *proveOptions) writeText(w io.Writer, all []proof) error {
	if w == io.Writer(o.Out) {
		return o.PageOutput(func(io.Writer) error { return o.printProofsText(all) })
	}
	other, streams := *o, *o.Streams
	streams.Out, streams.TTY.Out = &cli.CheckedWriter{Writer: w}, false
	other.Streams = &streams
	return other.printProofsText(all)
}

func (o *proveOptions) writeProofsJSON(w io.Writer, all []proof) error {
	list := make([]namedProof, 0, len(all))
	for _, p := range all {
		list = append(list, namedProof{p.file.Name, p.ListWitnesses()})
	}
	if o.single && !o.reports.WantsField("file") {
		return personafiles.WriteJSON(w, list[0].Report)
	}
	return personafiles.WriteJSON(w, list)
}

func summarizeProofs(all []proof) *summary {
	broken := 0
	for _, p := range all {
		if len(p.listFindings()) > 0 {
			broken++
		}
	}
	title := fmt.Sprintf("Proofs: %s, %d where something is impossible, stuck or not proved",
		cli.Pluralize(len(all), "file"), broken)
	return &summary{title: title, findings: listProofFindings(all)}
}

func listProofFindings(all []proof) []personas.Diagnostic {
	found := []personas.Diagnostic{}
	for _, p := range all {
		found = append(found, p.listFindings()...)
	}
	return found
}

func (p proof) listFindings() []personas.Diagnostic {
	switch {
	case p.failure != nil && len(p.file.Findings) > 0:
		return p.file.Findings
	case p.failure != nil:
		return []personas.Diagnostic{personafiles.NewFileFinding(p.file.Name, lint.FaultCheck, p.failure.Error())}
	case p.Unproved != "":
		return []personas.Diagnostic{personafiles.NewFileFinding(p.file.Name, unprovedCheck, p.Unproved)}
	}
	var all []personas.Diagnostic
	for i := range p.Machines {
		all = append(all, p.listMachineFindings(i)...)
	}
	for _, l := range p.Links {
		if !l.CanOpen {
			doc := p.file.Doc.Links[l.Index]
			all = append(all, p.newFinding(fmt.Sprintf("machine_links[%d]", l.Index), "", impossibleCheck,
				fmt.Sprintf("the link from %s to %s is impossible: %s", doc.Source, doc.Target, l.Reason)))
		}
	}
	slices.SortStableFunc(all, personafiles.ComparePlaces)
	return all
}

func (p proof) listMachineFindings(i int) []personas.Diagnostic {
	machine, path := &p.Machines[i], fmt.Sprintf("machines[%d]", i)
	var all []personas.Diagnostic
	add := func(at, key, check, says string) { all = append(all, p.newFinding(at, key, check, says)) }
	if !machine.Available {
		add(path, "machine_key", impossibleCheck,
			fmt.Sprintf("machine %q can never be started: %s", machine.Key, machine.Reason))
	}
	for n, s := range machine.States {
		if !s.Reachable {
			add(fmt.Sprintf("%s.states[%d]", path, n), "state_key", impossibleCheck,
				fmt.Sprintf("state %q is impossible: %s", s.Key, s.Reason))
		}
	}
	for _, t := range machine.Transitions {
		if !t.Fires {
			row := &p.file.Doc.Machines[i].Transitions[t.Index]
			add(fmt.Sprintf("%s.transitions[%d]", path, t.Index), "", impossibleCheck,
				fmt.Sprintf("the %s of %q is impossible: %s", row.Decision, row.From, t.Reason))
		}
	}
	for _, e := range machine.Outcomes {
		if e.Meant && !e.Reachable {
			add(path, "machine_key", impossibleCheck,
				fmt.Sprintf("the ending %s of machine %q is impossible: %s", e.Outcome, machine.Key, e.Reason))
		}
	}
	for _, s := range p.Stuck {
		if s.Machine == machine.Key {
			at, key, place := path, "machine_key", fmt.Sprintf("machine %q ", s.Machine)
			if n := slices.IndexFunc(machine.States, func(state prove.State) bool { return state.Key == s.State }); n >= 0 {
				at, key, place = fmt.Sprintf("%s.states[%d]", path, n), "state_key", fmt.Sprintf("state %q ", s.State)
			}
			add(at, key, stuckCheck, place+formatStuck(s))
		}
	}
	return all
}

func (p proof) newFinding(path, key, check, message string) personas.Diagnostic {
	if p.file.Places.Has(path + "." + key) {
		path += "." + key
	}
	at := p.file.Places.Lookup(path)
	if at.EndLine > at.Line {
		at.EndLine, at.EndColumn = at.Line, at.Column+1
	}
	return personas.Diagnostic{
		File: p.file.Name, Position: at, Path: path, Check: check, Severity: lint.Error, Message: message,
	}
}
