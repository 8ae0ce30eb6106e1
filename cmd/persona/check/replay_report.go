package check

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
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
	return o.reports.Write(o.Out, personafiles.Report{Findings: findings, Rules: replayRules, Formats: map[string]func(io.Writer) error{
		"text":     func(w io.Writer) error { return writeReplay(w, r) },
		"json":     func(w io.Writer) error { return personafiles.WriteJSON(w, r) },
		"junit":    func(w io.Writer) error { return writeReplayJUnit(w, o.reports.Paths(), f.Name, findings, conditions) },
		"markdown": func(w io.Writer) error { return writeReplayMarkdown(w, r, findings) },
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

func writeReplayMarkdown(w io.Writer, r *playtest.ReplayReport, findings []personas.Diagnostic) error {
	var b strings.Builder
	played := cli.Pluralize(r.Conversations, "conversation")
	fmt.Fprintf(&b, "### Replay: %s, %d unchanged, %d left the recorded course\n\n", played, r.Same, r.LeftTrack)
	personafiles.WriteMarkdownList(&b, findings[:min(len(findings), maxShownDifferences)])
	b.WriteString("\n| ending | before | now | share (95 %) |\n| --- | --- | --- | --- |\n")
	for i := range r.Endings {
		e := &r.Endings[i]
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", personafiles.EscapeMarkdown(e.Ending), e.Before, e.After, shareText(e))
	}
	b.WriteString("\n| from | to | conversations |\n| --- | --- | --- |\n")
	for _, f := range r.Flows {
		fmt.Fprintf(&b, "| %s | %s | %d |\n", personafiles.EscapeMarkdown(f.Before), personafiles.EscapeMarkdown(f.After), f.Count)
	}
	_, err := io.WriteString(w, terminal.CleanLines(b.String()))
	return err
}

func shareText(e *playtest.Ending) string {
	if e.Ending == playtest.EndLeft {
		return ""
	}
	return fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*e.Share, 100*e.Low, 100*e.High)
}

const maxShownDifferences = 20

// describeReplayed returns a line such as `gate.asked: pass to inside became redirect to asked:
// "let me in" and 2 similar`.
func describeReplayed(g *playtest.ReplayGroup) string {
	text := fmt.Sprintf("%s.%s: %s became %s: %q", g.Machine, g.State, g.Before, g.After, g.Messages[0])
	if n := len(g.Messages) - 1; n > 0 {
		text += fmt.Sprintf(" and %d similar", n)
	}
	return text
}

func writeReplay(w io.Writer, r *playtest.ReplayReport) error {
	var b strings.Builder
	by := "with the recorded decisions"
	if r.Verdicts == verdictsAsked {
		by = "judged by " + r.Judge
	}
	fmt.Fprintf(&b, "%s, %s, %s", cli.Pluralize(r.Conversations, "conversation"), cli.Pluralize(r.Messages, "message"), by)
	if r.LeftOut > 0 {
		fmt.Fprintf(&b, "; %d left out: their machine is not in the file, or no message", r.LeftOut)
	}
	fmt.Fprintf(&b, "\n%d unchanged, %d left the recorded course\n", r.Same, r.LeftTrack)
	if r.Noise != nil {
		fmt.Fprintf(&b, "%d also differ with the old version\n", *r.Noise)
	}
	writeEndings(&b, r)
	for i, f := range r.Flows {
		if i == 0 {
			b.WriteString("\nfrom        to          conversations\n")
		}
		bar := strings.Repeat("#", max(1, 40*f.Count/max(1, r.Conversations)))
		fmt.Fprintf(&b, "%-10s  %-10s  %5d %s\n", f.Before, f.After, f.Count, bar)
	}
	writeGroups(&b, "first message with another decision", r.Differences)
	if countMessages(r.JudgedOtherwise) > countMessages(r.Differences) {
		writeGroups(&b, "all messages with another decision", r.JudgedOtherwise)
	}
	_, err := io.WriteString(w, terminal.CleanLines(b.String()))
	return err
}

func writeGroups(b *strings.Builder, title string, groups []playtest.ReplayGroup) {
	for i := range groups[:min(len(groups), maxShownDifferences)] {
		if i == 0 {
			fmt.Fprintf(b, "\n%s\n", title)
		}
		fmt.Fprintf(b, "%5d  %s\n", groups[i].Count, describeReplayed(&groups[i]))
	}
	if more := len(groups) - maxShownDifferences; more > 0 {
		fmt.Fprintf(b, "and %s more: --json lists them\n", cli.Pluralize(more, "group"))
	}
}

func countMessages(groups []playtest.ReplayGroup) int {
	n := 0
	for i := range groups {
		n += groups[i].Count
	}
	return n
}

func writeEndings(b *strings.Builder, r *playtest.ReplayReport) {
	b.WriteString("\nending      before  ")
	if r.Noise != nil {
		b.WriteString("again  ")
	}
	b.WriteString("  now   share (95 %)\n")
	for i := range r.Endings {
		e := &r.Endings[i]
		fmt.Fprintf(b, "%-10s  %6d  ", e.Ending, e.Before)
		if e.Baseline != nil {
			fmt.Fprintf(b, "%5d  ", *e.Baseline)
		}
		fmt.Fprintf(b, "%5d", e.After)
		if share := shareText(e); share != "" {
			b.WriteString("   " + share)
		}
		b.WriteString("\n")
	}
}
