package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type unforeseenOptions struct {
	on       bool
	sessions bool     // also read the sessions that this machine remembers
	add      []string // N=DECISION, or N=pass:STATE
}

var otherFlags = [...]string{
	"lines", "offline-corpus", "calibrate", "fail-under", "watch",
	"llm", "llm-base-url", "llm-eval", "llm-eval-base-url", "llm-eval-method", "llm-record", "llm-replay",
}

func (o *unforeseenOptions) check(c *cobra.Command, paths []string) error {
	if !o.on {
		if o.sessions || len(o.add) > 0 {
			return cli.UsageError("--sessions and --add need --unforeseen")
		}
		return nil
	}
	for _, name := range slices.Concat(playFlags[:], otherFlags[:]) {
		if name != "server" && c.Flags().Changed(name) {
			return cli.UsageError("--%s cannot be combined with --unforeseen", name)
		}
	}
	switch {
	case personafiles.IsPlayFile(paths[0]):
		return cli.UsageError("--unforeseen takes a persona file first, not %s", paths[0])
	case len(paths) == 1 && !o.sessions:
		return cli.UsageError("--unforeseen needs messages of players: give exported conversations (`parley "+
			"session export --format json`) or play files after %s, or add --sessions", paths[0])
	case len(o.add) > 0 && paths[0] == "-":
		return cli.UsageError("--add cannot be used with stdin: pass a file name")
	}
	return nil
}

func (o *testOptions) listUnforeseen(ctx context.Context) error {
	for _, format := range [...]string{"junit", "github", "gitlab", "markdown", "sarif"} {
		if o.reports.Wants(format) {
			return cli.UsageError("with --unforeseen the format must be text or json, not %s", format)
		}
	}
	file, err := readPlayable(o.Streams, o.paths[0])
	if err != nil {
		return err
	}
	reader, talk, err := newTalkReader(file)
	if err != nil {
		return err
	}
	if err := reader.readFiles(o.paths[1:]); err != nil {
		return err
	}
	if o.unforeseen.sessions {
		if err := readSessions(ctx, o.Access, reader); err != nil {
			return err
		}
	}
	found, err := talk.Judge(ctx)
	if err != nil {
		return err
	}
	found.Persona, found.Conversations = file.Name, reader.conversations
	if len(o.unforeseen.add) > 0 {
		if err := o.addExamples(file, found); err != nil {
			return err
		}
	}
	return o.reports.Write(o.Out, personafiles.Report{Formats: map[string]func(io.Writer) error{
		"text": func(w io.Writer) error { return writeUnforeseen(w, found) },
		"json": func(w io.Writer) error {
			return personafiles.WriteJSON(w, TestReport{Plays: []playReport{}, Findings: []personas.Diagnostic{},
				Coverage: (&testRun{}).buildCoverage(), Unforeseen: found})
		},
	}})
}

const (
	maxTalkFile  = 64 << 20  // bytes of a file
	maxTalkBytes = 256 << 20 // bytes of all files together
	maxTalkFiles = 2000
)

type talkReader struct {
	file          *personafiles.File
	hear          func(machine, outcome string, messages []wire.HistoryMessage, source string) error
	follow        func(play *playtest.Play, source string) error // nil skips play files
	conversations int
	bytes         int
}

func newTalkReader(f *personafiles.File) (*talkReader, *playtest.Talk, error) {
	talk, err := playtest.NewTalk(&f.Doc)
	return &talkReader{
		file: f,
		hear: func(machine, _ string, messages []wire.HistoryMessage, source string) error {
			return refuseTooMuch(talk.AddHistory(machine, messages, source))
		},
		follow: func(play *playtest.Play, source string) error { return refuseTooMuch(talk.AddPlay(play, source)) },
	}, talk, err
}

func refuseTooMuch(err error) error {
	if errors.Is(err, playtest.ErrTooMuch) {
		return cli.AnswerNo("%w", err)
	}
	return err
}

func (t *talkReader) readFiles(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	files, err := personafiles.FindFiles(paths, func(path string) bool {
		return t.follow != nil && personafiles.IsPlayFile(path) || strings.EqualFold(filepath.Ext(path), ".json")
	})
	switch {
	case err != nil:
		return err
	case len(files) == 0:
		wanted := "exported conversation (*.json)"
		if t.follow != nil {
			wanted += " and no play file (*.play.yaml)"
		}
		return cli.UsageError("there is no %s in %s", wanted, strings.Join(paths, ", "))
	case len(files) > maxTalkFiles:
		return cli.AnswerNo("there are %d files, but at most %d are read: give fewer files", len(files), maxTalkFiles)
	}
	for _, file := range files {
		source, err := t.readSource(file.Path)
		if err == nil && personafiles.IsPlayFile(file.Path) {
			err = t.readPlays(file, source)
		} else if err == nil {
			err = t.readExport(file, source)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *talkReader) readSource(path string) ([]byte, error) {
	source, err := atomicfile.ReadUpTo(path, maxTalkFile)
	t.bytes += len(source)
	switch {
	case err != nil:
		return nil, cli.WrapTrouble(fmt.Errorf("%s: %w", path, cli.PathReason(err)), "")
	case len(source) > maxTalkFile:
		return nil, cli.AnswerNo("%s has more than %d MiB: leave it out", path, maxTalkFile>>20)
	case t.bytes > maxTalkBytes:
		return nil, cli.AnswerNo("the files up to %s together exceed %d MiB: give fewer files", path, maxTalkBytes>>20)
	}
	return source, nil
}

type exportedTalk struct {
	Machines []struct {
		MachineKey string                `json:"machine_key"`
		Outcome    string                `json:"outcome"` // "" for null
		Messages   []wire.HistoryMessage `json:"messages"`
	} `json:"machines"`
}

func (t *talkReader) readExport(file personafiles.Found, source []byte) error {
	var export exportedTalk
	err := json.Unmarshal(bytes.TrimPrefix(source, []byte("\ufeff")), &export)
	isExport := false
	for _, m := range export.Machines {
		isExport = isExport || m.Messages != nil
	}
	if err != nil || !isExport {
		if !file.Named {
			return nil
		}
		return cli.AnswerNo("%s is not an exported conversation: `parley session export --format json` writes one", file.Path)
	}
	t.conversations++
	for _, m := range export.Machines {
		if err := t.hear(m.MachineKey, m.Outcome, m.Messages, file.Path); err != nil {
			return err
		}
	}
	return nil
}

func (t *talkReader) readPlays(file personafiles.Found, source []byte) error {
	doc, _, faults := playtest.Parse(file.Path, source)
	if len(faults) > 0 {
		return cli.AnswerNo("%s: %s", file.Path, faults[0].Error())
	}
	if persona := resolvePersona(file.Path, doc.Persona); !cli.IsSameFile(persona, t.file.Name) {
		if file.Named {
			return cli.AnswerNo("%s is for the persona %s, not for %s", file.Path, persona, t.file.Name)
		}
		return nil
	}
	for i := range doc.Plays {
		t.conversations++
		if err := t.follow(&doc.Plays[i], file.Path); err != nil {
			return err
		}
	}
	return nil
}

func readSessions(ctx context.Context, access *service.Access, t *talkReader) error {
	s, err := access.Connect()
	if err != nil {
		return err
	}
	known, err := s.Sessions.List(s.Address)
	if err != nil {
		return err
	}
	for i := range known {
		if known[i].PersonaName != t.file.Doc.Name {
			continue
		}
		if err := t.readSession(ctx, s, &known[i]); err != nil {
			return cli.WrapTrouble(fmt.Errorf("session %s: %w", known[i].UserSessionID, err), "")
		}
	}
	return nil
}

func (t *talkReader) readSession(ctx context.Context, s *service.Service, known *settings.Session) error {
	progress, err := s.Progress(ctx, known.PersonaID, known.UserSessionID)
	if wire.ErrorStatus(err) == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	t.conversations++
	outcomes := map[string]string{}
	for i := range progress.CompletedMachines {
		outcomes[progress.CompletedMachines[i].MachineID] = progress.CompletedMachines[i].Outcome
	}
	read := map[string]bool{}
	for _, step := range progress.RoutePath {
		if read[step.MachineID] {
			continue
		}
		read[step.MachineID] = true
		history, err := s.History(ctx, known.PersonaID, known.UserSessionID, step.MachineID)
		if wire.ErrorStatus(err) == http.StatusNotFound {
			continue
		}
		if err != nil {
			return err
		}
		source := "session " + known.UserSessionID
		if err := t.hear(step.MachineKey, outcomes[step.MachineID], history.Messages, source); err != nil {
			return err
		}
	}
	return nil
}

func (o *testOptions) addExamples(file *personafiles.File, report *playtest.UnforeseenReport) error {
	source := file.Source
	for _, wish := range o.unforeseen.add {
		number, decision, ok := strings.Cut(wish, "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil {
			return cli.UsageError("--add %q: must be N=DECISION or N=pass:STATE", wish)
		}
		if n < 1 || n > len(report.Groups) {
			return cli.AnswerNo("--add %s: the list has only %s", wish, cli.Pluralize(len(report.Groups), "group"))
		}
		g := &report.Groups[n-1]
		path, err := g.FindExamples(&file.Doc, decision)
		if err != nil {
			return cli.UsageError("--add %s: %w", wish, err)
		}
		if source, err = addExample(file.Name, source, path, g.Text); err != nil {
			return cli.AnswerNo("--add %s: %w", wish, err)
		}
		report.Added = append(report.Added, playtest.Added{N: n, Decision: decision, Path: path, Text: g.Text})
	}
	return atomicfile.Rewrite(o.paths[0], source)
}

func addExample(name string, source []byte, path, text string) ([]byte, error) {
	value, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	changed, err := personas.AddItem(source, path, string(value))
	if err != nil {
		return nil, err
	}
	if found := personafiles.CheckRunnable(name, changed).FindRefusal(); found != nil {
		return nil, fmt.Errorf("%s: %s", found.Path, found.Message)
	}
	return changed, nil
}

const maxShownGroups = 50

func writeUnforeseen(w io.Writer, report *playtest.UnforeseenReport) error {
	var text strings.Builder
	if len(report.Added) > 0 {
		for _, a := range report.Added {
			fmt.Fprintf(&text, "added to %s of %s: %q\n", a.Path, report.Persona, a.Text)
		}
		_, err := io.WriteString(w, terminal.CleanLines(text.String()))
		return err
	}
	fmt.Fprintf(&text, "%s in %s, %d unforeseen", cli.Pluralize(report.Messages, "message"),
		cli.Pluralize(report.Conversations, "conversation"), report.Unforeseen)
	if report.LeftOut > 0 {
		fmt.Fprintf(&text, "; %d left out: not from a state in the file, with a director's mark, or too long", report.LeftOut)
	}
	text.WriteString("\n")
	shown := report.Groups[:min(len(report.Groups), maxShownGroups)]
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	if len(shown) > 0 {
		_, _ = fmt.Fprint(table, "n\tcount\tstate\tdecided\tmessage\n")
	}
	for i := range shown {
		g := &shown[i]
		_, _ = fmt.Fprintf(table, "%d\t%d\t%s/%s\t%s\t%s\n", g.N, g.Count, g.Machine, g.State, g.Decision, describeGroup(g))
	}
	_ = table.Flush() // to a strings.Builder
	if more := len(report.Groups) - len(shown); more > 0 {
		fmt.Fprintf(&text, "and %s more: --json lists them\n", cli.Pluralize(more, "group"))
	}
	if report.Unlisted > 0 {
		fmt.Fprintf(&text, "and %s not listed, because there are too many: add examples, or give fewer conversations\n",
			cli.Pluralize(report.Unlisted, "message"))
	}
	_, err := io.WriteString(w, terminal.CleanLines(text.String()))
	return err
}

func describeGroup(g *playtest.UnforeseenGroup) string {
	text := plaintext.ClipWithin(g.Text, maxShownText)
	if n := len(g.Others); n > 0 {
		text += fmt.Sprintf(" (also: %s)", plaintext.ClipWithin(g.Others[0], maxShownText))
	}
	return text
}
