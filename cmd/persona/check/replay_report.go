package check

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
)

const (
	decidedOtherwise = "decided-otherwise"
	failIfCheck      = "fail-if"
)

var replayRules = []personafiles.SARIFRule{
	{ID: decidedOtherwise, Short: personafiles.SARIFText{Text: "The edited persona decides a message of a saved conversation differently."}},
	{ID: failIfCheck, Short: personafiles.SARIFText{Text: "A condition of --fail-if holds."}},
}

func (o *replayOptions) report(f *personafiles.File, r *playtest.ReplayReport, conditions []replayCondition) error {
	findings := replayFindings(f, r, conditions)
	shown := summarizeReplay(r, findings)
	return o.reports.Write(o.Out, personafiles.Report{Findings: findings, Rules: replayRules, Formats: map[string]func(io.Writer) error{
		"text":     shown.writeText,
		"json":     func(w io.Writer) error { return personafiles.WriteJSON(w, r) },
		"junit":    func(w io.Writer) error { return writeReplayJUnit(w, o.reports.Paths(), f.Name, findings, conditions) },
		"markdown": shown.writeMarkdown,
	}})
}

func replayFindings(f *personafiles.File, r *playtest.ReplayReport, conditions []replayCondition) []personas.Diagnostic {
	findings := []personas.Diagnostic{}
	for _, c := range conditions {
		if c.held != "" {
			findings = append(findings, personafiles.NewFileFinding(f.Name, failIfCheck, c.held))
		}
	}
	for i := range r.Differences {
		g := &r.Differences[i]
		path := ""
		for m := range f.Doc.Machines {
			for s := range f.Doc.Machines[m].States {
				if f.Doc.Machines[m].Key == g.Machine && f.Doc.Machines[m].States[s].Key == g.State {
					path = fmt.Sprintf("machines[%d].states[%d].state_key", m, s)
				}
			}
		}
		findings = append(findings, personas.Diagnostic{
			File: f.Name, Position: f.Places.Lookup(path), Path: path,
			Check: decidedOtherwise, Severity: "warning",
			Message: fmt.Sprintf("%s: %s", cli.Pluralize(g.Count, "conversation"), describeReplayed(g)),
		})
	}
	return findings
}

func writeReplayJUnit(
	w io.Writer, paths personafiles.ProjectPaths, file string, findings []personas.Diagnostic, conditions []replayCondition,
) error {
	differences := slices.DeleteFunc(slices.Clone(findings), func(f personas.Diagnostic) bool { return f.Check == failIfCheck })
	suite := personafiles.NewFileSuite(paths, file, "replayed", 0, differences, func(personas.Diagnostic) bool { return false })
	for _, c := range conditions {
		junit := personafiles.JUnitCase{Name: c.text}
		if c.held != "" {
			junit.Failure = &personafiles.JUnitFailure{Message: c.held, Text: c.held}
		}
		suite.AddCase(junit)
	}
	return personafiles.WriteJUnit(w, []personafiles.JUnitSuite{suite})
}

const (
	maxShownDifferences = 20
	flowWidth           = 40 // characters of the bar for all conversations
)

func summarizeReplay(r *playtest.ReplayReport, findings []personas.Diagnostic) *summary {
	by := "with the recorded decisions"
	if r.Verdicts == verdictsAsked {
		by = "judged by " + r.Judge
	}
	shown := findings[:min(len(findings), maxShownDifferences)]
	course := fmt.Sprintf("%d unchanged, %d left the recorded course", r.Same, r.LeftTrack)
	s := &summary{
		title:    fmt.Sprintf("Replay: %s, %s", cli.Pluralize(r.Conversations, "conversation"), course),
		facts:    []string{fmt.Sprintf("%s, %s, %s", cli.Pluralize(r.Conversations, "conversation"), cli.Pluralize(r.Messages, "message"), by), course},
		findings: shown, more: len(findings) - len(shown),
	}
	if r.LeftOut > 0 {
		s.facts = append(s.facts, fmt.Sprintf("%d left out: their machine is not in the file, or no message", r.LeftOut))
	}
	if r.Noise != nil {
		s.facts = append(s.facts, fmt.Sprintf("%d also differ with the old version", *r.Noise))
	}
	endings := [][]string{{"ending", "before", "now", "share (95 %)"}}
	for i := range r.Endings {
		e, share := &r.Endings[i], ""
		if e.Ending != playtest.EndLeft {
			share = fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*e.Share, 100*e.Low, 100*e.High)
		}
		endings = append(endings, []string{e.Ending, strconv.Itoa(e.Before), strconv.Itoa(e.After), share})
		if e.Baseline != nil {
			endings[i+1] = append(endings[i+1], strconv.Itoa(*e.Baseline))
		}
	}
	if r.Noise != nil {
		endings[0] = append(endings[0], "old version again")
	}
	flows := [][]string{{"from", "to", "conversations", ""}}
	for _, f := range r.Flows {
		bar := strings.Repeat("#", max(1, flowWidth*f.Count/max(1, r.Conversations)))
		flows = append(flows, []string{f.Before, f.After, strconv.Itoa(f.Count), fmt.Sprintf("%-*s", flowWidth, bar)})
	}
	judged := [][]string{{"messages with another decision", "count"}}
	for i := range r.JudgedOtherwise[:min(len(r.JudgedOtherwise), maxShownDifferences)] {
		judged = append(judged, []string{describeReplayed(&r.JudgedOtherwise[i]), strconv.Itoa(r.JudgedOtherwise[i].Count)})
	}
	s.tables = [][][]string{endings, flows, judged}
	return s
}

// describeReplayed returns a line such as `gate.asked: pass to inside became redirect to asked:
// "let me in" and 2 similar`.
func describeReplayed(g *playtest.ReplayGroup) string {
	text := fmt.Sprintf("%s.%s: %s became %s: %q", g.Machine, g.State, g.Before, g.After, g.Messages[0])
	if n := len(g.Messages) - 1; n > 0 {
		text += fmt.Sprintf(" and %d similar", n)
	}
	return text
}
