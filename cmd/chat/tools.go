package chat

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
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/record"
)

func newPlayerFiles(access *service.Access, file string) record.Files {
	plays := playSaver{access, file}
	return record.Files{
		Save: func(name string, content []byte) (string, error) {
			path := expandHome(name)
			return path, cli.CreateFile(path, content, 0o600)
		},
		SavePlay: plays.savePlay,
	}
}

// copyToClipboard has a timeout, because clipboard programs hang without a display.
func copyToClipboard(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, clipboardTimeout)
	defer cancel()
	_, err := cli.AwaitResult(ctx.Done(), func() (struct{}, error) { return struct{}{}, clipboard.WriteAll(text) })
	return err
}

func expandHome(path string) string {
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

type playSaver struct {
	*service.Access
	file string // the played persona file, or "" for a persona on a service
}

const playSuffix = ".play.yaml"

func (s playSaver) savePlay(ctx context.Context, rec *record.Record, file string) ([]string, error) {
	path := withPlaySuffix(expandHome(file))
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("write %s: %w", path, fs.ErrExist)
	}
	doc, persona, isNew, err := s.choosePersona(rec, path)
	if err != nil {
		return nil, err
	}
	text, marked, err := s.composePlay(ctx, rec, &doc, persona)
	if err != nil {
		return nil, err
	}
	beside := filepath.Join(filepath.Dir(path), filepath.FromSlash(persona))
	if err := s.writeFiles(path, text, beside, &doc, isNew); err != nil {
		return nil, err
	}
	messages := []string{fmt.Sprintf("Play-through written to %s; `parley persona test %s` passes.", path,
		plaintext.ShellFile(path))}
	if marked > 0 {
		messages = append(messages, fmt.Sprintf("%s with a mark that forces the recorded decision, because the offline model would decide differently.",
			cli.Pluralize(marked, "message")))
	}
	if isNew {
		messages = append(messages, fmt.Sprintf("The service's version of the persona is in %s.", beside))
	}
	return messages, nil
}

func (s playSaver) writeFiles(play string, text []byte, persona string, doc *personas.Persona, isNew bool) error {
	if !isNew {
		return cli.CreateFile(play, text, 0o600)
	}
	if err := savePersona(persona, doc); err != nil {
		return err
	}
	if err := cli.CreateFile(play, text, 0o600); err != nil {
		return errors.Join(err, os.Remove(persona))
	}
	return nil
}

func withPlaySuffix(path string) string {
	if personafiles.IsPlayFile(path) && !strings.HasSuffix(strings.ToLower(path), ".json") {
		return path
	}
	for _, ending := range []string{".yaml", ".yml", ".json"} {
		path = strings.TrimSuffix(path, ending)
	}
	return strings.TrimSuffix(path, ".play") + playSuffix
}

func (s playSaver) choosePersona(rec *record.Record,
	play string) (doc personas.Persona, path string, isNew bool, err error) {
	if s.file != "" {
		f, err := personafiles.ParsePersonaFile(s.Streams, s.file)
		if err != nil {
			return doc, "", false, err
		}
		return f.Doc, relativePath(filepath.Dir(play), s.file), false, nil
	}
	doc = rec.Persona.Document()
	beside := play
	for _, ending := range []string{playSuffix, ".play.yml", ".yaml"} {
		beside = strings.TrimSuffix(beside, ending)
	}
	beside += ".yaml"
	switch same, err := isSamePersona(beside, &doc); {
	case errors.Is(err, fs.ErrNotExist):
		return doc, filepath.Base(beside), true, nil
	case err != nil:
		return doc, "", false, err
	case !same:
		return doc, "", false, fmt.Errorf("write the persona to %s: %w", beside, fs.ErrExist)
	}
	return doc, filepath.Base(beside), false, nil
}

func relativePath(folder, file string) string {
	from, errFrom := filepath.Abs(folder)
	to, errTo := filepath.Abs(file)
	way, err := filepath.Rel(from, to)
	if errors.Join(errFrom, errTo, err) != nil { // another drive has no relative path
		return filepath.ToSlash(to)
	}
	return filepath.ToSlash(way)
}

func savePersona(path string, doc *personas.Persona) error {
	text, err := personas.EncodeYAML(*doc)
	if err != nil {
		return err
	}
	return cli.CreateFile(path, text, 0o600)
}

func isSamePersona(path string, doc *personas.Persona) (bool, error) {
	source, err := atomicfile.Read(path)
	if err != nil {
		return false, err
	}
	other, _, faults := personas.Parse(path, source)
	if len(faults) > 0 {
		return false, nil
	}
	return doc.IsSame(&other)
}

// After maxPlayTries runs, all messages from the failed one on are marked. The runs before mark only
// the failed message.
const maxPlayTries = 4

func (s playSaver) composePlay(ctx context.Context, rec *record.Record, doc *personas.Persona,
	persona string) ([]byte, int, error) {
	own, err := s.StartThrowAway(ctx, localserver.Options{})
	if err != nil {
		return nil, 0, err
	}
	defer own.Stop()
	testService := &service.TestService{Service: own.Service, Local: own, Players: own.Service}
	subject, err := testService.PreparePersona(ctx, doc)
	if err != nil {
		return nil, 0, fmt.Errorf("save the persona: %w", err)
	}
	marks, markFrom := map[int]bool{}, -1
	marked := func(step int) bool { return marks[step] || markFrom >= 0 && step >= markFrom }
	for n := 1; ; n++ {
		text, err := playtest.WriteRecording(persona, doc,
			playtest.Player{Name: rec.PlayerName, Gender: rec.PlayerGender}, convertChapters(rec), marked)
		if err != nil {
			return nil, 0, err
		}
		failed, steps, err := s.playOnce(ctx, subject, testService, text)
		if err != nil {
			return nil, 0, err
		}
		if failed == nil {
			return text, countMarks(steps, marked), nil
		}
		if marked(failed.index) || failed.start {
			return nil, 0, fmt.Errorf("replaying the conversation gave another result at step %d: %s",
				failed.index+1, failed.why)
		}
		marks[failed.index] = true
		if n >= maxPlayTries {
			markFrom = failed.index
		}
	}
}

type failedStep struct {
	index int
	start bool // the step starts a machine
	why   string
}

func (s playSaver) playOnce(ctx context.Context, subject *playtest.Subject, testService *service.TestService,
	text []byte) (*failedStep, []playtest.Step, error) {
	file, _, faults := playtest.Parse("played"+playSuffix, text)
	if len(faults) > 0 {
		return nil, nil, fmt.Errorf("parse the play-through: %w", faults[0])
	}
	play := &file.Plays[0]
	result := subject.Run(ctx, testService.Players, s.NewID(), play)
	if result.Err != nil {
		return nil, nil, result.Err
	}
	for i := range result.Steps {
		if step := &result.Steps[i]; len(step.Failures) > 0 {
			return &failedStep{i, step.Step.Start, step.Failures[0].Message()}, nil, nil
		}
	}
	return nil, play.Steps, nil
}

func countMarks(steps []playtest.Step, marked func(int) bool) int {
	n := 0
	for i := range steps {
		if !steps[i].Start && marked(i) {
			n++
		}
	}
	return n
}

func convertChapters(r *record.Record) []playtest.Take {
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
