// Package lines plays a conversation as lines of text, for pipes and screen readers.
//
// Play reads one message per line and writes three kinds of lines to Options.Out, in this order:
//
//	Mira: The first line of what she says.
//	  Each further line of the same reply is indented by two spaces.
//	[At the gate] [score 2 of 3] [still going]
//	Unlocked: The cellar (cellar).
//
// The line in brackets always has three fields. The first is the title of the state. The second is
// "score N of THRESHOLD", or "pass or fail" for a machine without points. The third is "still
// going", "ended: accepted", "ended: rejected" or "ended: kicked out". If the next machine starts
// automatically, the line "Continuing with NAME." precedes the opening. Questions, help and problems
// go to Options.Err.
//
// For a person (Options.Interactive), Play prints only the changes. Each sentence has its own line
// for screen readers, such as "Now: At the gate." or "Score 2 of 3, 1 more than before."
//
// A slash begins a command (conversation.Commands). Two slashes begin a message that starts with one
// slash. The package imports no terminal UI library.
package lines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
)

// Play runs line mode until the end of the conversation, the input or ctx. Non-interactive input
// ends with an *UnsentError at the first unsent message.
func Play(ctx context.Context, opts Options) error {
	opts = opts.withDefaults()
	if err := opts.CheckPlayer(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return newPlayer(ctx, opts).playToEnd()
}

func newPlayer(ctx context.Context, opts Options) *player {
	p := &player{
		opts: opts, lines: readLines(ctx, opts.In), requester: conversation.NewRequester(&opts.Options),
		keepingTold: map[string]bool{},
	}
	p.Author = opts.Author
	p.ctx = wire.WithWaitNotice(ctx, p.tellWait)
	return p
}

func (p *player) playToEnd() error {
	err := p.playPersona()
	defer func() {
		if p.opts.Leave != nil && p.opts.Interactive && p.User != nil {
			p.opts.Leave(conversation.Farewell{Persona: p.User.Persona.ID, Name: p.User.Saved.PersonaName})
		}
	}()
	defer p.savePlace()
	defer func() {
		if p.Spent.HasTokens() {
			p.writeTalk("%s", p.Spent.TotalSentence())
		}
	}()
	if errors.Is(err, io.EOF) || p.ctx.Err() != nil {
		p.talkToPerson("") // ends the line of the prompt
	}
	if errors.Is(err, io.EOF) || errors.Is(err, errLeave) {
		return nil
	}
	return err
}

func (p *player) savePlace() {
	if p.Session != nil {
		p.NotePlace()
		_ = p.requester.Memory.Remember(p.User.Saved)
	}
}

var errLeave = errors.New("the player leaves")

type player struct {
	ctx       context.Context
	opts      Options
	lines     <-chan inputLine
	ahead     *inputLine
	requester *conversation.Requester
	conversation.Current
	resetAsked bool

	toldEnding   *conversation.Session
	unlocked     []string
	answerUnseen bool
	lost         conversation.Turn
	unsent       conversation.Turn // An empty line sends this turn again.
	splitter     sentenceSplitter
	latest       *conversation.Edit

	keepingTold map[string]bool
	triesTold   bool
	modelTold   bool
	storyTold   bool
}

func (p *player) playPersona() error {
	persona, err := p.firstPersona()
	if err != nil {
		return err
	}
	options := conversation.SavedSession{PlayerName: p.opts.PlayerName, PlayerGender: p.opts.PlayerGender}
	if p.User, err = p.requester.OpenPersona(p.ctx, persona, options, p.opts.NewSession); err != nil {
		return err
	}
	if err := p.askPlayer(); err != nil {
		return err
	}
	err = p.openSession(p.User, p.opts.Machine, p.requester.EnterMachine, p.introduceCharacter)
	switch {
	case errors.Is(err, errStopped):
		p.writeTalk("Stopped.")
		return errLeave
	case err != nil:
		return err
	}
	return p.playTurns()
}

func (p *player) firstPersona() (string, error) {
	if p.opts.Persona != "" {
		return p.opts.Persona, nil
	}
	if !p.opts.Interactive {
		return "", ErrNoPersona
	}
	items, err := p.requester.ListPersonas(p.ctx)
	if err != nil {
		return "", err
	}
	if len(items) == 0 {
		return "", ErrNoPersonas
	}
	const prompt = "Whom do you want to talk to? Write a number, or words to search for: "
	item, _, err := p.askItem(items, prompt, func(string) bool { return false })
	return item.ID, err
}

func (p *player) showSession(session *conversation.Session, tellsAim bool) {
	p.Session = session
	p.answerUnseen, p.resetAsked = false, false
	p.unsent, p.unlocked = conversation.Turn{}, nil
	p.Spent.AddTokens(session.Tokens)
	if session.Warning != "" {
		p.writeTalk("%s", session.Warning)
	}
	if session.Resumed {
		p.talkToPerson("Continuing where you left off, after %s; /history prints the conversation.",
			conversation.CountWords(len(session.Messages), "message"))
	}
	if tellsAim && !session.Standing.IsFinished() {
		p.tellAim(session.Machine)
	}
	if rule := session.Machine.ScoreRule(); rule != "" && !session.Resumed {
		p.talkToPerson("%s", rule)
	}
	if words := p.opts.KeepingWords(); words != "" && !p.keepingTold[p.User.Persona.ID] {
		p.keepingTold[p.User.Persona.ID] = true
		p.talkToPerson("%s", words)
	}
	if words := p.opts.ModelWords(); words != "" && !p.modelTold {
		p.modelTold = true
		p.hint("%s %s", words, conversation.ListModels)
	}
	p.showCarried()
	p.tellEarlierParts()
	if text := lastSaid(session.Messages); text != "" {
		p.speakText(text)
	}
	p.reportStanding(conversation.Standing{Redirects: -1, Score: session.Standing.Score})
	p.tellTriesRule()
	if endings := p.User.FoundWords(); endings != "" && session.Standing.IsFinished() {
		p.talkToPerson("%s", playwords.FoundSoFar(endings))
	}
}

func (p *player) tellTriesRule() {
	m, standing := p.Session.Machine, p.Session.Standing
	if p.triesTold || m.CountTries(standing) == 0 {
		return
	}
	p.triesTold = true
	rules := []string{playwords.MissRule}
	if rule := m.FreeTalk(standing); rule != "" {
		rules = append(rules, rule)
	}
	if !p.opts.Interactive {
		p.hint("%s. %s", conversation.Capitalize(m.FirstTriesWords(standing)), strings.Join(rules, " "))
		return
	}
	for _, rule := range rules {
		p.hint("%s", rule)
	}
}

func (p *player) tellEarlierParts() {
	if p.storyTold {
		return
	}
	p.storyTold = true
	for _, machine := range p.Machines {
		isStarted := machine.Status == conversation.MachineBegun || machine.Status == conversation.MachineEnded
		if isStarted && machine.ID != p.Session.Machine.ID {
			p.talkToPerson("Earlier part: %s, %s.", machine.Title, machine.StatusWords())
		}
	}
}

func lastSaid(messages []wire.HistoryMessage) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == wire.RoleAssistant {
			return m.Content
		}
	}
	return ""
}

func (p *player) speakText(text string) {
	if !p.opts.Interactive {
		p.writePlay("%s", spokenLines(p.User.Persona.CharacterName(), text))
		return
	}
	p.splitter = sentenceSplitter{say: p.writeSentence}
	p.finishSpeaking(text)
}

func spokenLines(name, text string) string {
	var lines []string
	for line := range strings.Lines(terminal.CleanLines(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return name + ": ..."
	}
	return name + ": " + strings.Join(lines, "\n  ")
}

func (p *player) playTurns() error {
	for {
		ended := p.Session.Standing.IsFinished()
		if ended && !p.opts.Interactive {
			if more, err := p.readAfterEnding(); err != nil || !more {
				return err
			}
			continue
		}
		if ended && p.toldEnding != p.Session {
			p.sayEnded()
		}
		line, err := p.askLine("You: ")
		if err != nil {
			return err
		}
		if err := p.handleLine(line); err != nil {
			return explainUnsent(p, line, err)
		}
	}
}

func (p *player) readAfterEnding() (more bool, err error) {
	ended, unsent, leaves := p.Session, 0, false
	defer func() {
		if unsent > 0 {
			p.writeTalk("%s sent: %s has ended.", unsentWords(unsent), ended.Machine.Title)
		}
	}()
	for unsent < maxUnsent {
		line, ok := p.nextWaiting()
		switch {
		case !ok:
			return false, nil
		case isMessage(line):
			unsent++
		case leaves || strings.TrimSpace(line.text) == "":
		default:
			err := p.handleLine(line)
			leaves = errors.Is(err, errLeave)
			if err != nil && !leaves {
				return false, err
			}
		}
		if p.Session != ended {
			return true, nil
		}
	}
	return false, nil
}

func unsentWords(n int) string {
	switch n {
	case 1:
		return "1 line was not"
	case maxUnsent:
		return fmt.Sprintf("%d lines or more were not", n)
	}
	return fmt.Sprintf("%d lines were not", n)
}

func (p *player) handleLine(line inputLine) error {
	if line.tooLong {
		prefix := "Not sent"
		if !p.opts.Interactive {
			prefix = fmt.Sprintf("Line %d was not sent", line.number)
		}
		p.writeTalk("%s: a message can have at most %d characters.", prefix, wire.MaxMessage)
		return nil
	}
	if strings.TrimSpace(line.text) == "" {
		if p.unsent.Text == "" {
			return nil
		}
		return p.reportUnsent(p.sendTurn(p.unsent))
	}
	cmd, arg, text, err := conversation.ParseLine(line.text)
	switch {
	case err != nil:
		return p.reportFailure("", err)
	case cmd != nil:
		p.resetAsked = p.resetAsked && cmd.Name == conversation.CommandReset
		return p.runCommand(cmd.Name, arg)
	case p.Session.Standing.IsFinished():
		return p.chooseStep(text)
	}
	p.resetAsked = false
	return p.reportUnsent(p.sendTurn(p.makeTurn(text)))
}

// makeTurn repeats a turn with a lost reply, because the message must count once.
func (p *player) makeTurn(text string) conversation.Turn {
	if p.answerUnseen && p.lost.Text == text {
		return p.lost
	}
	return p.requester.NewTurn(text)
}

func (p *player) reportUnsent(err error) error {
	switch {
	case errors.Is(err, errStopped):
		err = nil
		p.writeTalk("Stopped.")
	case wire.ErrorStatus(err) == http.StatusNotFound && p.opts.Interactive:
		err = nil
		p.writeTalk("Not sent: the service no longer has this session. Write /reset to start it again.")
	}
	if !p.opts.Interactive {
		return err
	}
	err = p.reportFailure("not sent", err)
	if p.unsent.Text != "" {
		p.writeTalk("An empty line sends your message again.")
	}
	return err
}

func (p *player) reportFailure(prefix string, err error) error {
	if err == nil || errors.Is(err, errLeave) || p.ctx.Err() != nil {
		return err
	}
	slip, isSlip := errors.AsType[conversation.Slip](err)
	switch {
	case isSlip:
		p.writeTalk("%s.", conversation.Capitalize(slip.Error()))
		return nil
	case !p.opts.Interactive:
		return fmt.Errorf("%s: %w", prefix, err)
	case errors.Is(err, errStopped):
		p.writeTalk("Stopped.")
		return nil
	}
	p.writeTalk("%s: %s", conversation.Capitalize(prefix), conversation.EndSentence(p.requester.ExplainError(err)))
	return nil
}

// Options configures line mode.
type Options struct {
	conversation.Options
	In  io.Reader
	Out io.Writer
	// Err receives questions, help and problems. nil discards the text.
	Err io.Writer
	// Interactive means that a person types the input.
	Interactive bool
	// Hints writes the number of tries and the model to Err, even if Interactive is false.
	Hints bool
	// Columns returns the width of the terminal. nil disables wrapping.
	Columns func() int
	// Files creates the files of commands.
	Files record.Files
}

var (
	// ErrNoPersona means that Options.Persona is empty and nobody can be asked.
	ErrNoPersona = errors.New("a persona is required if the input is not a terminal: run `parley chat PERSONA`")
	// ErrNoPersonas means that no persona is published on the server.
	ErrNoPersonas = errors.New("no persona is published on this server: publish one with `parley persona publish PERSONA`")
)

func (o Options) withDefaults() Options {
	o.FillDefaults()
	if o.Err == nil {
		o.Err = io.Discard
	}
	return o
}

func (p *player) talkToPerson(format string, args ...any) {
	if p.opts.Interactive {
		p.writeTalk(format, args...)
	}
}

func (p *player) hint(format string, args ...any) {
	if p.opts.Interactive || p.opts.Hints {
		p.writeTalk(format, args...)
	}
}

func (p *player) writeTalk(format string, args ...any) {
	fmt.Fprintln(p.opts.Err, p.wrapLines(fmt.Sprintf(format, args...)))
}

func (p *player) writePlay(format string, args ...any) {
	fmt.Fprintln(p.opts.Out, p.wrapLines(fmt.Sprintf(format, args...)))
}

func (p *player) wrapLines(text string) string {
	if p.opts.Columns == nil {
		return text
	}
	width := p.opts.Columns()
	if width <= 0 {
		return text
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapLine(line, width)...)
	}
	return strings.Join(lines, "\n")
}

func wrapLine(line string, width int) []string {
	const indent = "  "
	body := strings.TrimLeft(line, " ")
	margin := line[:len(line)-len(body)]
	wrapped := terminal.WrapText(body, max(width-len(margin)-len(indent), 16))
	for i := range wrapped {
		if i == 0 {
			wrapped[i] = margin + wrapped[i]
			continue
		}
		wrapped[i] = margin + indent + wrapped[i]
	}
	return wrapped
}
