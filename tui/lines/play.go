// Package lines plays a conversation as lines of text, for pipes and screen readers.
//
// Play reads one message per line and answers with lines of three shapes, in this order, on
// Options.Out:
//
//	Mira: The first line of what she says.
//	  Each further line of the same reply is indented by two spaces.
//	[At the gate] [score 2 of 3] [still going]
//	Unlocked: The cellar (cellar).
//
// The line in brackets always has three fields. The first is the state's title. The second is
// "score N of THRESHOLD", or "pass or fail" for a machine without points. The third is "still
// going", "ended: accepted", "ended: rejected" or "ended: kicked out". If the next machine starts
// automatically, the line "Continuing with NAME." precedes its opening. Everything else (questions,
// help, problems) goes to Options.Err.
//
// For a person (Options.Interactive) Play prints only the changes, one sentence per line, because
// that suits a screen reader: "Now: At the gate.", "Score 2 of 3, 1 more than before.", "1 redirect
// left.", "The gate ended: accepted."
//
// A line that begins with a slash is a command (conversation.Commands). A line that
// begins with two slashes is a message that begins with one slash. The package does not
// import a terminal UI library.
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

// Play runs line mode until the conversation ends, the input ends, or ctx is done. If the input is
// interactive, Play asks for what it needs. After a failure it then prints an error and continues.
// If the input is not interactive, Play returns ErrNoPersona if Options.Persona is empty, and uses
// the name "Player" if the name is unknown. It then returns the error of the first message that it
// cannot send.
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
	p := &player{opts: opts, lines: readLines(ctx, opts.In), requester: conversation.NewRequester(&opts.Options), keepingSaid: map[string]bool{}}
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
	defer p.keepPlace()
	defer func() {
		if p.Spent.HasTokens() { // the cost of the chat
			p.writeTalk("%s", p.Spent.TotalSentence())
		}
	}()
	if errors.Is(err, io.EOF) || p.ctx.Err() != nil {
		p.talkToPerson("") // The line of the last prompt is not ended yet.
	}
	if errors.Is(err, io.EOF) || errors.Is(err, errLeave) {
		return nil
	}
	return err
}

// keepPlace stores the player's place. It ignores errors, because an earlier failure to store was
// reported when the session was opened.
func (p *player) keepPlace() {
	if p.Session != nil {
		p.NotePlace()
		_ = p.requester.Memory.Remember(p.User.Saved)
	}
}

var errLeave = errors.New("the player leaves")

type player struct {
	ctx                  context.Context
	opts                 Options
	lines                <-chan inputLine
	ahead                *inputLine // the line that was typed during a wait, or nil
	requester            *conversation.Requester
	conversation.Current      // Machines is as of the beginning of the session
	resetAsked           bool // /reset was said once

	told         *conversation.Session // the session whose choices after the ending were printed
	unlocked     []string              // the machines that the ending has unlocked
	answerUnseen bool                  // the last turn's answer was not seen
	lost         conversation.Turn     // the turn that failed last
	unsent       conversation.Turn     // the turn that an empty line sends again
	splitter     sentenceSplitter
	// keepingSaid contains the ids of the personas for which the note about the stored data was
	// printed. triesTold means that the rule of tries was printed.
	keepingSaid map[string]bool
	triesTold   bool
	modelTold   bool // the hint about the built-in model was printed
	// latest is the last saved version of the persona file that can be played.
	latest    *conversation.Edit
	storyTold bool
}

func (p *player) playPersona() error {
	persona, err := p.pickPersona()
	if err != nil {
		return err
	}
	given := conversation.SavedSession{PlayerName: p.opts.PlayerName, PlayerGender: p.opts.PlayerGender}
	if p.User, err = p.requester.OpenPersona(p.ctx, persona, given, p.opts.NewSession); err != nil {
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

func (p *player) pickPersona() (string, error) {
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
	item, _, err := p.askItem(items, "Whom do you want to talk to? Write a number, or words to search for: ", func(string) bool { return false })
	return item.ID, err
}

// showSession makes a session the present one and prints its facts and the character's last message.
// It prints the player's aim if tellsAim is true.
func (p *player) showSession(session *conversation.Session, tellsAim bool) {
	p.Session, p.answerUnseen, p.resetAsked, p.unsent, p.unlocked = session, false, false, conversation.Turn{}, nil
	p.Spent.AddTokens(session.Tokens)
	if session.Warning != "" {
		p.writeTalk("%s", session.Warning)
	}
	if session.Resumed {
		p.talkToPerson("Continuing where you left off, after %s; /history prints the conversation.", conversation.CountWords(len(session.Messages), "message"))
	}
	if tellsAim && !session.Standing.IsFinished() {
		p.tellAim(session.Machine)
	}
	if rule := session.Machine.ScoreRule(); rule != "" && !session.Resumed {
		p.talkToPerson("%s", rule)
	}
	if words := p.opts.KeepingWords(); words != "" && !p.keepingSaid[p.User.Persona.ID] {
		p.keepingSaid[p.User.Persona.ID] = true
		p.talkToPerson("%s", words)
	}
	if words := p.opts.ModelWords(); words != "" && !p.modelTold {
		p.modelTold = true
		p.hint("%s %s", words, conversation.ListModels)
	}
	p.showCarried()
	p.tellEarlierParts()
	if said := lastSaid(session.Messages); said != "" {
		p.speakText(said)
	}
	p.reportStanding(conversation.Standing{Redirects: -1, Score: session.Standing.Score})
	p.tellTriesRule()
	if found := p.User.FoundWords(); found != "" && session.Standing.IsFinished() {
		p.talkToPerson("%s", playwords.FoundSoFar(found))
	}
}

// tellTriesRule explains once which turns use a try. If the input is not interactive, it also
// prints the number of tries, because the status line for programs does not contain this number.
func (p *player) tellTriesRule() {
	m, at := p.Session.Machine, p.Session.Standing
	if p.triesTold || m.CountTries(at) == 0 {
		return
	}
	p.triesTold = true
	rules := []string{playwords.MissRule}
	if rule := m.FreeTalk(at); rule != "" {
		rules = append(rules, rule)
	}
	if !p.opts.Interactive {
		p.hint("%s. %s", conversation.Capitalize(m.FirstTriesWords(at)), strings.Join(rules, " "))
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
	for _, at := range p.Machines {
		if at.ID != p.Session.Machine.ID && (at.Status == conversation.MachineBegun || at.Status == conversation.MachineEnded) {
			p.talkToPerson("Earlier part: %s, %s.", at.Title, at.StatusWords())
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
	var said []string
	for line := range strings.Lines(terminal.CleanLines(text)) {
		if line = strings.TrimSpace(line); line != "" {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return name + ": ..."
	}
	return name + ": " + strings.Join(said, "\n  ")
}

func (p *player) playTurns() error {
	for {
		ended := p.Session.Standing.IsFinished()
		if ended && !p.opts.Interactive {
			if more, err := p.readBehindEnding(); err != nil || !more {
				return err
			}
			continue
		}
		if ended && p.told != p.Session {
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

// readBehindEnding reads the lines after an ending. It runs the commands. It counts the messages,
// because they cannot be sent. more is true if a command has opened another session.
func (p *player) readBehindEnding() (more bool, err error) {
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
			if leaves = errors.Is(err, errLeave); err != nil && !leaves {
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
		said := "Not sent"
		if !p.opts.Interactive {
			said = fmt.Sprintf("Line %d was not sent", line.number)
		}
		p.writeTalk("%s: a message can have at most %d characters.", said, wire.MaxMessage)
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

// makeTurn returns the turn for a text. If the answer to the same text was lost, it returns that
// turn again, because the message must not count twice.
func (p *player) makeTurn(text string) conversation.Turn {
	if p.answerUnseen && p.lost.Text == text {
		return p.lost
	}
	return p.requester.NewTurn(text)
}

// reportUnsent prints why a message was not sent, and that an empty line sends the message again.
// If the input is not interactive, it prints nothing and returns err.
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
		return err // explainUnsent adds the number of the line.
	}
	err = p.reportFailure("not sent", err)
	if p.unsent.Text != "" {
		p.writeTalk("An empty line sends your message again.")
	}
	return err
}

// reportFailure prints err if the input is interactive. Otherwise it returns err with the prefix
// what. It always prints a conversation.Slip. It returns err unchanged if err is errLeave or p.ctx
// is done.
func (p *player) reportFailure(what string, err error) error {
	if err == nil || errors.Is(err, errLeave) || p.ctx.Err() != nil {
		return err
	}
	slip, isSlip := errors.AsType[conversation.Slip](err)
	switch {
	case isSlip:
		p.writeTalk("%s.", conversation.Capitalize(slip.Error()))
		return nil
	case !p.opts.Interactive:
		return fmt.Errorf("%s: %w", what, err)
	case errors.Is(err, errStopped):
		p.writeTalk("Stopped.")
		return nil
	}
	p.writeTalk("%s: %s", conversation.Capitalize(what), conversation.EndSentence(p.requester.ExplainError(err)))
	return nil
}

// Options configures line mode.
type Options struct {
	conversation.Options
	In  io.Reader
	Out io.Writer
	// Err receives everything that is not part of the conversation: questions, help and problems.
	// nil discards it.
	Err io.Writer
	// Interactive means that a person types the input and can answer questions.
	Interactive bool
	// Hints enables hints on Err even if Interactive is false: the number of tries at the
	// beginning, and the model that plays.
	Hints bool
	// Columns returns the terminal's width. nil disables wrapping.
	Columns func() int
	// Files creates the files that commands write.
	Files record.Files
}

var (
	// ErrNoPersona means that Options.Persona is empty and the input is not interactive.
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
