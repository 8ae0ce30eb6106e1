package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

const (
	verdictsKept  = "kept"
	verdictsAsked = "asked"
)

type replayOptions struct {
	*service.Access
	file     string
	sessions []string // files, directories and addresses of servers
	baseline string   // a file or a git revision
	verdicts string
	limit    int
	failIf   []string
	reports  personafiles.ReportFlags
	llm      service.LLMFlags
}

const replayLong = `Replay conversations of players with FILE, an edited persona, and compare how they
end. --sessions selects the conversations: files written by
` + "`parley session export --format json`" + `, directories of them, a file of ` + "`parley localserver snapshot`" + `
with the conversations of all players, or the address of a server. From a server, the
sessions that this machine remembers are read. A snapshot and a server are searched for
the persona's name. Each branch is a separate conversation. The replay needs no server
and writes nothing.

Each message is judged again, by the built-in model or the model of --llm-eval. With
--verdicts kept each message keeps its decision, and only the rules differ. Replay
continues a conversation while each message comes in the same state as before. After a
difference nobody knows what the player would have said, so the conversation is counted
as left. Shares do not count the conversations that left; the interval is Wilson's,
95 %.

--baseline also judges the old version: another FILE, or the content of FILE in git at a
REVISION. A difference there comes from the judge, not from the edit.

With --fail-if "ACCEPT<40%" the exit code is 1 if that is true; endings are ACCEPT, REJECT,
KICK_OUT, the file's others, and open. --format and --output write the same reports as
` + "`parley persona test`" + `.`

func NewReplayCmd(access *service.Access) *cobra.Command {
	o := &replayOptions{Access: access}
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Replay saved conversations with an edited persona",
		Long:  replayLong,
		Example: "  parley persona replay gate.yaml --sessions talks/\n  parley persona replay gate.yaml --sessions talks/ --baseline HEAD --fail-if \"ACCEPT<40%\"\n" +
			"  parley persona replay gate.yaml --sessions nightly.parley --llm-eval ollama/llama3.2\n" +
			"  parley persona replay gate.yaml --sessions http://127.0.0.1:8787 --verdicts kept",
		Args: cli.ExactArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runReplay(c.Context(), o)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.sessions, "sessions", nil,
		"replay the conversations in `PATH`: a file, directory, snapshot or a server's address; repeatable")
	f.StringVar(&o.baseline, "baseline", "", "also judge this `FILE` or git revision")
	f.StringVar(&o.verdicts, "verdicts", verdictsAsked, "`HOW` messages are judged: asked (again) or kept")
	f.IntVar(&o.limit, "limit", maxReplayed, "replay at most `N` conversations")
	f.StringArrayVar(&o.failIf, "fail-if", nil, "exit with 1 if `CONDITION` holds, such as \"ACCEPT<40%\"; repeatable")
	o.reports.AddFlags(c, access.Streams, playtest.ReplayReport{}, "text", "json", "junit", "github", "gitlab",
		"markdown", "sarif")
	o.llm.AddFlags(c)
	return c
}

const maxReplayed = 20_000

func runReplay(ctx context.Context, o *replayOptions) error {
	conditions, err := o.check()
	if err != nil {
		return err
	}
	file, err := readPlayable(o.Streams, o.file)
	if err != nil {
		return err
	}
	all, err := o.readConversations(ctx, file)
	if err != nil {
		return err
	}
	if err := checkEndings(conditions, file, all); err != nil {
		return err
	}
	judge, name, closeJudge, err := o.openReplayJudge()
	if err != nil {
		return err
	}
	r, err := o.compare(ctx, file, all, judge)
	if err := cmp.Or(err, closeJudge(err == nil)); err != nil {
		return err
	}
	r.Persona, r.Judge, r.Verdicts = file.Name, name, o.verdicts
	evaluateConditions(conditions, r)
	if err := o.report(file, r, conditions); err != nil {
		return err
	}
	for _, c := range conditions {
		if c.held != "" {
			return cli.AnswerNo("%s", c.held)
		}
	}
	return nil
}

func (o *replayOptions) check() ([]replayCondition, error) {
	if err := o.reports.Check(); err != nil {
		return nil, err
	}
	switch {
	case len(o.sessions) == 0:
		return nil, cli.UsageError("--sessions is missing: name files or directories written by " +
			"`parley session export --format json`, a snapshot, or a server's address")
	case o.verdicts != verdictsKept && o.verdicts != verdictsAsked:
		return nil, cli.UsageError("--verdicts %q: the value must be \"asked\" or \"kept\"", o.verdicts)
	case o.limit < 1 || o.limit > maxReplayed:
		return nil, cli.UsageError("--limit %d: must be a number from 1 to %d", o.limit, maxReplayed)
	case o.verdicts == verdictsKept && !o.llm.IsBuiltIn():
		return nil, cli.UsageError("--verdicts=kept calls no model: omit --llm and --llm-eval")
	}
	conditions := make([]replayCondition, len(o.failIf))
	for i, text := range o.failIf {
		var err error
		if conditions[i], err = parseReplayCondition(text); err != nil {
			return nil, err
		}
	}
	return conditions, nil
}

func (o *replayOptions) readConversations(ctx context.Context,
	file *personafiles.File) ([]playtest.Conversation, error) {
	var all []playtest.Conversation
	reader := &talkReader{file: file,
		hear: func(machine, outcome string, messages []wire.HistoryMessage, source string) error {
			all = append(all, playtest.FromHistory(source, machine, outcome, messages))
			return nil
		}}
	for _, from := range o.sessions {
		var err error
		switch {
		case strings.HasPrefix(from, "http://"), strings.HasPrefix(from, "https://"):
			access := *o.Access
			access.Server = from
			err = readSessions(ctx, &access, reader)
		case isSnapshot(from):
			err = o.readSnapshot(ctx, from, reader)
		default:
			err = reader.readFiles([]string{from})
		}
		if err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, cli.AnswerNo("there is no conversation with %s in %s", terminal.Clean(file.Doc.Name),
			strings.Join(o.sessions, ", "))
	}
	return all[:min(len(all), o.limit)], nil
}

func isSnapshot(path string) bool {
	f, err := atomicfile.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(databaseMark))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == databaseMark
}

const databaseMark = "SQLite format 3\x00"

var errEnough = errors.New("enough conversations") // stops at --limit

func (o *replayOptions) readSnapshot(ctx context.Context, file string, reader *talkReader) error {
	read := 0
	hear := func(machine, outcome string, messages []wire.HistoryMessage) error {
		read++
		if read > o.limit {
			return errEnough
		}
		for i := range messages {
			reader.bytes += len(messages[i].Content)
			if reader.bytes > maxTalkBytes {
				return cli.AnswerNo("the conversations in %s have more than %d MiB: lower --limit", file, maxTalkBytes>>20)
			}
		}
		return reader.hear(machine, outcome, messages, file)
	}
	err := localserver.ReadSnapshot(ctx, file, reader.file.Doc.Name, o.Now(), hear)
	_, answered := errors.AsType[*cli.Failure](err)
	switch {
	case err == nil, errors.Is(err, errEnough):
		return nil
	case answered, ctx.Err() != nil:
		return err
	}
	return cli.WrapTrouble(fmt.Errorf("read %s: %w", file, err), "")
}

func (o *replayOptions) openReplayJudge() (
	ask playtest.Judge, name string, closeJudge func(complete bool) error, err error,
) {
	if o.verdicts == verdictsKept {
		return nil, "", func(bool) error { return nil }, nil
	}
	t := &testOptions{Access: o.Access, llm: o.llm}
	j, err := t.openJudge()
	if err != nil {
		return nil, "", nil, err
	}
	ask = func(ctx context.Context, at intent.Place, message string) (string, []int, error) {
		made, err := j.decide(ctx, &intent.CorpusLine{Machine: at.Machine.Key, State: at.State.Key, Text: message, Place: at})
		if err == nil && made.Decision == "" {
			err = cli.WrapTrouble(fmt.Errorf("no answer for %q: %s", message, made.Why), "")
		}
		return made.Decision, made.Rows, err
	}
	return ask, j.name, func(complete bool) error { return j.close(t, complete) }, nil
}

func (o *replayOptions) compare(ctx context.Context, f *personafiles.File, all []playtest.Conversation,
	judge playtest.Judge) (*playtest.ReplayReport, error) {
	now, err := playtest.NewVersion(&f.Doc, judge)
	if err != nil {
		return nil, err
	}
	var before *playtest.Version
	if o.baseline != "" {
		old, err := o.readBaseline(ctx)
		if err != nil {
			return nil, err
		}
		if before, err = playtest.NewVersion(&old.Doc, judge); err != nil {
			return nil, err
		}
	}
	bar := o.ShowProgress(len(all), "playing")
	defer bar.Finish()
	return playtest.Replay(ctx, now, before, all, intent.NewReader().Lexicon(), func() { bar.AddDone("") })
}

func (o *replayOptions) readBaseline(ctx context.Context) (*personafiles.File, error) {
	if _, err := os.Stat(o.baseline); err == nil || o.file == "-" {
		return readPlayable(o.Streams, o.baseline)
	}
	if err := personafiles.CheckRevision(o.baseline); err != nil {
		return nil, err
	}
	r, err := personafiles.OpenRevision(ctx, filepath.Dir(o.file), o.baseline)
	if err != nil {
		return nil, err
	}
	old, err := r.ReadPersona(ctx, o.file, true)
	switch {
	case err != nil:
		return nil, err
	case old == nil:
		return nil, cli.AnswerNo("git has no %s at %s", o.file, o.baseline)
	case !old.IsSound():
		return nil, cli.AnswerNo("%s cannot be played", old.Name)
	}
	return old, nil
}

type replayCondition struct {
	text, ending, operator string
	share                  float64
	held                   string // why the command fails, or "" if the condition is false
}

func parseReplayCondition(text string) (replayCondition, error) {
	refused := cli.UsageError("--fail-if %q: must be ENDING<N%% or ENDING>N%%, such as \"ACCEPT<40%%\"", text)
	at := strings.IndexAny(text, "<>")
	if at < 1 {
		return replayCondition{}, refused
	}
	number := strings.TrimSuffix(strings.TrimSpace(text[at+1:]), "%")
	percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return replayCondition{}, refused
	}
	ending := strings.TrimSpace(text[:at])
	return replayCondition{text: text, ending: ending, operator: text[at : at+1], share: percent / 100}, nil
}

func checkEndings(conditions []replayCondition, file *personafiles.File, all []playtest.Conversation) error {
	known := []string{string(personas.Accept), string(personas.Reject), string(personas.KickOut), playtest.EndOpen}
	for i := range file.Doc.Machines {
		for j := range file.Doc.Machines[i].States {
			known = append(known, string(file.Doc.Machines[i].States[j].TerminalOutcome))
		}
	}
	for i := range all {
		for j := range all[i].Turns {
			known = append(known, all[i].Turns[j].Effect.Outcome)
		}
	}
	for _, c := range conditions {
		isEnding := func(name string) bool { return strings.EqualFold(name, c.ending) }
		if !slices.ContainsFunc(known, isEnding) {
			return cli.UsageError("--fail-if %q: %s has no ending %q", c.text, terminal.Clean(file.Name), c.ending)
		}
	}
	return nil
}

func evaluateConditions(conditions []replayCondition, r *playtest.ReplayReport) {
	for i := range conditions {
		c, share := &conditions[i], 0.0
		for j := range r.Endings {
			if strings.EqualFold(r.Endings[j].Ending, c.ending) {
				share = r.Endings[j].Share
			}
		}
		holds := share > c.share
		if c.operator == "<" {
			holds = share < c.share
		}
		if holds {
			c.held = fmt.Sprintf("%s: it is %.1f %%", c.text, 100*share)
		}
	}
}

// ReplaySession returns a track for each conversation. An unknown machine ends the track with
// EndLeft.
func ReplaySession(ctx context.Context, access *service.Access, file string, llm service.LLMFlags,
	all []playtest.Conversation) ([]playtest.Track, error) {
	o := &replayOptions{Access: access, file: file, verdicts: verdictsAsked, llm: llm}
	f, err := readPlayable(access.Streams, file)
	if err != nil {
		return nil, err
	}
	ask, _, closeJudge, err := o.openReplayJudge()
	if err != nil {
		return nil, err
	}
	tracks, err := playAll(ctx, &f.Doc, ask, all)
	return tracks, cmp.Or(err, closeJudge(err == nil))
}

func playAll(ctx context.Context, doc *personas.Persona, ask playtest.Judge,
	all []playtest.Conversation) ([]playtest.Track, error) {
	v, err := playtest.NewVersion(doc, ask)
	if err != nil {
		return nil, err
	}
	tracks := make([]playtest.Track, len(all))
	for i := range all {
		if !v.HasMachine(all[i].Machine) {
			tracks[i].End = playtest.EndLeft
			continue
		}
		if tracks[i], err = v.Play(ctx, &all[i]); err != nil {
			return nil, err
		}
	}
	return tracks, nil
}

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
	formats := map[string]func(io.Writer) error{
		"text":     shown.writeText,
		"json":     func(w io.Writer) error { return personafiles.WriteJSON(w, r) },
		"junit":    func(w io.Writer) error { return writeReplayJUnit(w, o.reports.Paths(), f.Name, findings, conditions) },
		"markdown": shown.writeMarkdown,
	}
	return o.reports.Write(o.Out, personafiles.Report{Findings: findings, Rules: replayRules, Formats: formats})
}

func replayFindings(file *personafiles.File, r *playtest.ReplayReport,
	conditions []replayCondition) []personas.Diagnostic {
	findings := []personas.Diagnostic{}
	for _, c := range conditions {
		if c.held != "" {
			findings = append(findings, personafiles.NewFileFinding(file.Name, failIfCheck, c.held))
		}
	}
	for i := range r.Differences {
		g := &r.Differences[i]
		path := ""
		for m := range file.Doc.Machines {
			for s := range file.Doc.Machines[m].States {
				if file.Doc.Machines[m].Key == g.Machine && file.Doc.Machines[m].States[s].Key == g.State {
					path = fmt.Sprintf("machines[%d].states[%d].state_key", m, s)
				}
			}
		}
		findings = append(findings, personas.Diagnostic{
			File: file.Name, Position: file.Places.Lookup(path), Path: path,
			Check: decidedOtherwise, Severity: "warning",
			Message: fmt.Sprintf("%s: %s", cli.Pluralize(g.Count, "conversation"), describeReplayed(g)),
		})
	}
	return findings
}

func writeReplayJUnit(
	w io.Writer, paths personafiles.ProjectPaths, file string, findings []personas.Diagnostic,
	conditions []replayCondition,
) error {
	differences := slices.DeleteFunc(slices.Clone(findings), func(f personas.Diagnostic) bool {
		return f.Check == failIfCheck
	})
	suite := personafiles.NewFileSuite(paths, file, "replayed", 0, differences,
		func(personas.Diagnostic) bool { return false })
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

func summarizeReplay(report *playtest.ReplayReport, findings []personas.Diagnostic) *summary {
	by := "with the recorded decisions"
	if report.Verdicts == verdictsAsked {
		by = "judged by " + report.Judge
	}
	shown := findings[:min(len(findings), maxShownDifferences)]
	course := fmt.Sprintf("%d unchanged, %d left the recorded course", report.Same, report.LeftTrack)
	shownSummary := &summary{
		title: fmt.Sprintf("Replay: %s, %s", cli.Pluralize(report.Conversations, "conversation"), course),
		facts: []string{fmt.Sprintf("%s, %s, %s", cli.Pluralize(report.Conversations, "conversation"),
			cli.Pluralize(report.Messages, "message"), by), course},
		findings: shown, more: len(findings) - len(shown),
	}
	if report.LeftOut > 0 {
		shownSummary.facts = append(shownSummary.facts,
			fmt.Sprintf("%d left out: their machine is not in the file, or no message", report.LeftOut))
	}
	if report.Noise != nil {
		shownSummary.facts = append(shownSummary.facts, fmt.Sprintf("%d also differ with the old version", *report.Noise))
	}
	endings := [][]string{{"ending", "before", "now", "share (95 %)"}}
	for i := range report.Endings {
		e, share := &report.Endings[i], ""
		if e.Ending != playtest.EndLeft {
			share = fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*e.Share, 100*e.Low, 100*e.High)
		}
		endings = append(endings, []string{e.Ending, strconv.Itoa(e.Before), strconv.Itoa(e.After), share})
		if e.Baseline != nil {
			endings[i+1] = append(endings[i+1], strconv.Itoa(*e.Baseline))
		}
	}
	if report.Noise != nil {
		endings[0] = append(endings[0], "old version again")
	}
	flows := [][]string{{"from", "to", "conversations", ""}}
	for _, f := range report.Flows {
		bar := strings.Repeat("#", max(1, flowWidth*f.Count/max(1, report.Conversations)))
		flows = append(flows, []string{f.Before, f.After, strconv.Itoa(f.Count), fmt.Sprintf("%-*s", flowWidth, bar)})
	}
	judged := [][]string{{"messages with another decision", "count"}}
	for i := range report.JudgedOtherwise[:min(len(report.JudgedOtherwise), maxShownDifferences)] {
		judged = append(judged,
			[]string{describeReplayed(&report.JudgedOtherwise[i]), strconv.Itoa(report.JudgedOtherwise[i].Count)})
	}
	shownSummary.tables = [][][]string{endings, flows}
	if len(judged) > 1 {
		shownSummary.tables = append(shownSummary.tables, judged)
	}
	return shownSummary
}

func describeReplayed(g *playtest.ReplayGroup) string {
	text := fmt.Sprintf("%s.%s: %s became %s: %q", g.Machine, g.State, g.Before, g.After, g.Messages[0])
	if n := len(g.Messages) - 1; n > 0 {
		text += fmt.Sprintf(" and %d similar", n)
	}
	return text
}
