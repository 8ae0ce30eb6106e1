package play

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/atotto/clipboard"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/record"
)

// newPlayerFiles are what a chat may write on this machine. file is the persona file
// that is played, "" for a persona of a service.
func newPlayerFiles(a *service.Access, file string) record.Files {
	plays := playSaver{a, file}
	return record.Files{
		Save: func(name string, content []byte) (string, error) {
			path := shortenHome(a.Streams, name)
			return path, saveNew(path, content)
		},
		SavePlay: plays.save,
	}
}

// copyToClipboard puts a text on the system's clipboard. The programs that do it
// elsewhere than on Windows may wait for a screen that is gone.
func copyToClipboard(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, clipboardPatience)
	defer cancel()
	_, err := cli.AwaitResult(ctx.Done(), func() (struct{}, error) { return struct{}{}, clipboard.WriteAll(text) })
	return err
}

// shortenHome is a path in which a leading ~ is the home folder, as in a shell.
func shortenHome(a *cli.Streams, path string) string {
	rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, filepath.FromSlash(rest))
}

// saveNew writes a file that is not there yet, for the player's eyes only; one that
// is there is fs.ErrExist, and a half one does not stay.
func saveNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, cli.PathReason(err))
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
		return fmt.Errorf("write %s: %w", path, cli.PathReason(err))
	}
	return nil
}

// playSaver saves what was played as a play file that `parley persona test`
// passes.
type playSaver struct {
	*service.Access
	file string // the persona file that is played, "" for a persona of a service
}

const playEnding = ".play.yaml"

// save writes the play file, and beside it the persona file where the persona comes
// from a service. It has been played before it is written.
func (s playSaver) save(ctx context.Context, r *record.Record, file string) ([]string, error) {
	path := withPlayEnding(shortenHome(s.Streams, file))
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("write %s: %w", path, fs.ErrExist)
	}
	doc, persona, isNew, err := s.persona(r, path)
	if err != nil {
		return nil, err
	}
	text, marked, err := s.rehearsed(ctx, r, &doc, persona)
	if err != nil {
		return nil, err
	}
	beside := filepath.Join(filepath.Dir(path), filepath.FromSlash(persona))
	if err := s.write(path, text, beside, &doc, isNew); err != nil {
		return nil, err
	}
	said := []string{fmt.Sprintf("Written to %s; `parley persona test %s` passes.", path, path)}
	if marked > 0 {
		said = append(said, fmt.Sprintf("%s with a mark that forces the decision: the offline model would decide otherwise.", cli.Pluralize(marked, "message")))
	}
	if isNew {
		said = append(said, fmt.Sprintf("The persona, as the service has it, is in %s.", beside))
	}
	return said, nil
}

// write writes the play file and, where it is new, the persona file: both or neither.
func (s playSaver) write(play string, text []byte, persona string, doc *personas.Persona, isNew bool) error {
	if !isNew {
		return saveNew(play, text)
	}
	if err := savePersona(persona, doc); err != nil {
		return err
	}
	if err := saveNew(play, text); err != nil {
		return errors.Join(err, os.Remove(persona))
	}
	return nil
}

// withPlayEnding is the path with the ending by which play files are found.
func withPlayEnding(path string) string {
	if personafiles.IsPlayFile(path) && !strings.HasSuffix(strings.ToLower(path), ".json") {
		return path
	}
	for _, ending := range []string{".yaml", ".yml", ".json"} {
		path = strings.TrimSuffix(path, ending)
	}
	return strings.TrimSuffix(path, ".play") + playEnding
}

// persona gives the persona for a play file and its path from there; isNew says
// that it has to be written. A persona of a service goes beside the play file,
// where one that says the same may stand already.
func (s playSaver) persona(r *record.Record, play string) (doc personas.Persona, path string, isNew bool, err error) {
	if s.file != "" {
		f, err := personafiles.ReadPersonaFile(s.Streams, s.file)
		if err != nil {
			return doc, "", false, err
		}
		return f.Doc, fromFolder(filepath.Dir(play), s.file), false, nil
	}
	doc = documentOf(&r.Persona)
	beside := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(play, playEnding), ".play.yml"), ".yaml") + ".yaml"
	switch same, err := saysTheSame(beside, &doc); {
	case errors.Is(err, fs.ErrNotExist):
		return doc, filepath.Base(beside), true, nil
	case err != nil:
		return doc, "", false, err
	case !same:
		return doc, "", false, fmt.Errorf("the persona would go into %s: %w", beside, fs.ErrExist)
	}
	return doc, filepath.Base(beside), false, nil
}

// fromFolder is the way from a folder to a file as a play file says it.
func fromFolder(folder, file string) string {
	from, errFrom := filepath.Abs(folder)
	to, errTo := filepath.Abs(file)
	way, err := filepath.Rel(from, to)
	if errors.Join(errFrom, errTo, err) != nil { // On another drive there is no way.
		return filepath.ToSlash(to)
	}
	return filepath.ToSlash(way)
}

// documentOf is the persona file of what a service shows.
func documentOf(full *wire.FullPersona) personas.Persona {
	doc := personas.Persona{
		Name: full.Persona.Name, Description: full.Persona.Description, IdentityPrompt: full.Persona.IdentityPrompt,
		PerplexityDescription: full.PerplexityDescription, Variables: full.Variables, Links: full.Links, Extra: full.Extra,
	}
	for i := range full.Machines {
		doc.Machines = append(doc.Machines, full.Machines[i].Machine)
	}
	return doc
}

func savePersona(path string, doc *personas.Persona) error {
	text, err := personas.EncodeYAML(*doc)
	if err != nil {
		return err
	}
	return saveNew(path, text)
}

// saysTheSame tells whether a file is the persona.
func saysTheSame(path string, doc *personas.Persona) (bool, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	other, _, faults := personas.Parse(path, source)
	if len(faults) > 0 {
		return false, nil
	}
	ours, errOurs := personas.EncodeJSON(*doc)
	theirs, errTheirs := personas.EncodeJSON(other)
	return string(ours) == string(theirs), errors.Join(errOurs, errTheirs)
}

// maxRehearsals is how often a play is tried with one more mark, before all that
// comes after is marked (docs/decisions/playtest.md, recorded-play).
const maxRehearsals = 4

// rehearsed writes the play file's text and plays it on a throw-away server, with
// marks where the offline model would decide otherwise; it counts these.
func (s playSaver) rehearsed(ctx context.Context, r *record.Record, doc *personas.Persona, persona string) ([]byte, int, error) {
	t, err := s.StartThrowAway(ctx, localserver.Options{Repeatable: true})
	if err != nil {
		return nil, 0, err
	}
	defer t.Stop()
	v := &service.TestService{Service: t.Service, Local: t, Players: t.Service}
	subject, err := v.PreparePersona(ctx, doc)
	if err != nil {
		return nil, 0, fmt.Errorf("the persona: %w", err)
	}
	marks, all := map[int]bool{}, -1
	marked := func(step int) bool { return marks[step] || all >= 0 && step >= all }
	for n := 1; ; n++ {
		text, err := playtest.Recorded(persona, doc, playtest.Player{Name: r.PlayerName, Gender: r.PlayerGender}, takesOf(r), marked)
		if err != nil {
			return nil, 0, err
		}
		failed, steps, err := s.try(ctx, subject, v, text)
		if err != nil {
			return nil, 0, err
		}
		if failed == nil {
			return text, marksIn(steps, marked), nil
		}
		if marked(failed.at) || failed.start {
			return nil, 0, fmt.Errorf("it cannot be played again: step %d, %s", failed.at+1, failed.why)
		}
		if marks[failed.at] = true; n >= maxRehearsals {
			all = failed.at
		}
	}
}

// stumble is the first step of a play that went otherwise than it should.
type stumble struct {
	at    int
	start bool // it starts a machine
	why   string
}

// try plays a play file's text once.
func (s playSaver) try(ctx context.Context, subject *playtest.Subject, v *service.TestService, text []byte) (*stumble, []playtest.Step, error) {
	file, _, faults := playtest.Parse("played"+playEnding, text)
	if len(faults) > 0 {
		return nil, nil, fmt.Errorf("the play-through: %w", faults[0])
	}
	play := &file.Plays[0]
	result := subject.Run(ctx, v.Players, s.NewID(), play)
	if result.Err != nil {
		return nil, nil, result.Err
	}
	for i := range result.Steps {
		if step := &result.Steps[i]; len(step.Failures) > 0 {
			return &stumble{i, step.Step.Start, step.Failures[0].Message()}, nil, nil
		}
	}
	return nil, play.Steps, nil
}

// marksIn counts the messages with a mark.
func marksIn(steps []playtest.Step, marked func(int) bool) int {
	n := 0
	for i := range steps {
		if !steps[i].Start && marked(i) {
			n++
		}
	}
	return n
}

func takesOf(r *record.Record) []playtest.Take {
	takes := make([]playtest.Take, len(r.Chapters))
	for i := range r.Chapters {
		ch := &r.Chapters[i]
		takes[i] = playtest.Take{Machine: ch.MachineKey, Messages: ch.Messages}
		if ch.Outcome != nil {
			takes[i].Outcome = *ch.Outcome
		}
	}
	return takes
}

// hasShell tells whether there is a shell to which a suspended program goes back. One
// that runs in the group of its session's leader was started as a terminal's only
// program (tmux new "parley chat"): nobody could wake it.
func hasShell() bool {
	leader, known := sessionLeader()
	return known && leader != processGroup()
}
