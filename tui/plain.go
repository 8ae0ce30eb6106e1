package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Plain plays in line mode (see the package's description) until an ending, the
// end of the input or ctx. Where nobody can be asked it returns ErrNoPersona
// without a persona, plays as "Player" (non-binary) when it is not told who
// plays, and returns the first message's error that could not be sent; where
// somebody can, it asks, and says one line about a failure and goes on.
func Plain(ctx context.Context, opts LineOptions) error {
	opts = opts.withDefaults()
	if err := opts.checkPlayer(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return newPlayer(ctx, opts).playToEnd()
}

func newPlayer(ctx context.Context, opts LineOptions) *player {
	out := &output{opts}
	in := &lineInput{output: out, ctx: ctx, lines: readLines(ctx, opts.In)}
	return &player{output: out, lineInput: in, ctx: ctx, requester: newRequester(&opts.TalkOptions), after: opts.After}
}

// playToEnd plays, and ends as Plain says.
func (p *player) playToEnd() error {
	err := p.playPersona()
	defer p.reportTokens()
	if errors.Is(err, io.EOF) || p.ctx.Err() != nil {
		p.talkToPerson("") // The last prompt still stands on its line.
	}
	if errors.Is(err, io.EOF) || errors.Is(err, errLeave) {
		return nil
	}
	return err
}

// errLeave ends the play because the player wants it.
var errLeave = errors.New("the player leaves")

// Who plays when nobody can be asked.
const (
	defaultName   = "Player"
	defaultGender = "non-binary"
)

// player is one play in line mode.
type player struct {
	*output
	*lineInput
	ctx       context.Context
	requester *requester
	current        // its machines as they stood when the session began
	sure      bool // /reset was said once

	told     *session // the ended one whose ending was said
	unsure   bool     // the last turn's answer was not seen
	lost     turn     // the turn that failed last
	unsent   turn     // what was not sent, to be sent again
	splitter sentenceSplitter
	// after gives the time when some has passed.
	after func(time.Duration) <-chan time.Time
}

// reportTokens says at the end what the chat has cost, where it has cost anything.
func (p *player) reportTokens() {
	if p.spent.hasTokens() {
		p.writeTalk("%s", p.spent.totalSentence())
	}
}

func (p *player) playPersona() error {
	persona, err := p.pickPersona()
	if err != nil {
		return err
	}
	given := SavedSession{PlayerName: p.opts.PlayerName, PlayerGender: p.opts.PlayerGender}
	if p.user, err = p.requester.openPersona(p.ctx, persona, given, p.opts.NewSession); err != nil {
		return err
	}
	if err := p.askPlayer(); err != nil {
		return err
	}
	sc, err := p.requester.enterMachine(p.ctx, p.user, p.opts.Machine)
	if err != nil {
		return err
	}
	p.talkToPerson("Talking to %s in %s as %s. /help lists the commands.", p.user.persona.characterName(), sc.machine.title, Clean(p.user.saved.PlayerName))
	p.showSession(sc)
	return p.playTurns()
}

func (p *player) pickPersona() (string, error) {
	if p.opts.Persona != "" {
		return p.opts.Persona, nil
	}
	if !p.opts.Interactive {
		return "", ErrNoPersona
	}
	items, err := p.requester.listPersonas(p.ctx)
	if err != nil {
		return "", err
	}
	if len(items) == 0 {
		return "", ErrNoPersonas
	}
	p.writeTalk("%s", strings.Join(personaLines(items, ""), "\n"))
	for {
		line, err := p.askLine("Whom do you want to talk to? Number, or words to search for: ")
		if err != nil {
			return "", err
		}
		if item, found := findNumbered(items, line.text); found {
			return item.ID, nil
		}
		p.writeTalk("%s", strings.Join(searchPersonas(items, line.text), "\n"))
	}
}

// askPlayer learns who plays.
func (p *player) askPlayer() error {
	who := &p.user.saved
	if !p.opts.Interactive {
		if who.PlayerName == "" {
			who.PlayerName = defaultName
		}
		if who.PlayerGender == "" {
			who.PlayerGender = defaultGender
		}
		return nil
	}
	for who.PlayerName == "" {
		line, err := p.askLine("Your name: ")
		if err != nil {
			return err
		}
		if who.PlayerName = strings.TrimSpace(line.text); countCharacters(who.PlayerName) > wire.MaxPlayerName {
			p.writeTalk("A name may have %d characters.", wire.MaxPlayerName)
			who.PlayerName = ""
		}
	}
	if isGender(who.PlayerGender) {
		return nil
	}
	p.writeTalk("1. female  2. male  3. non-binary")
	i, err := p.askNumber("You are, by number: ", len(wire.Genders))
	if err == nil {
		who.PlayerGender = wire.Genders[i]
	}
	return err
}

// showSession makes a scene the present one and says where it stands.
func (p *player) showSession(sc *session) {
	p.session, p.unsure, p.sure, p.unsent = sc, false, false, turn{}
	p.spent.addTokens(sc.tokens)
	if sc.warning != "" {
		p.writeTalk("%s", sc.warning)
	}
	if sc.resumed {
		p.talkToPerson("Going on where you were, after %s; /history reads them.", countWords(len(sc.messages), "message"))
	}
	p.showCarried()
	if said := lastSaid(sc.messages); said != "" {
		p.speakText(said)
	}
	p.reportStanding(standing{redirects: -1, score: sc.standing.score})
}

func lastSaid(messages []wire.HistoryMessage) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == wire.RoleAssistant {
			return m.Content
		}
	}
	return ""
}

// speakText says a whole text of the character.
func (p *player) speakText(text string) {
	if !p.opts.Interactive {
		p.writePlay("%s", spokenLines(p.user.persona.characterName(), text))
		return
	}
	p.splitter = sentenceSplitter{say: p.writeSentence}
	p.finishSpeaking(text)
}

// spokenLines is a turn as lines: "NAME: text", further lines indented.
func spokenLines(name, text string) string {
	var said []string
	for line := range strings.Lines(CleanLines(text)) {
		if line = strings.TrimSpace(line); line != "" {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return name + ": ..."
	}
	return name + ": " + strings.Join(said, "\n  ")
}

// playTurns plays until it is over. A finished machine stays open to somebody who
// can choose what comes next.
func (p *player) playTurns() error {
	for !p.session.standing.isFinished() || p.offerNext() {
		line, err := p.askLine("You: ")
		if err != nil {
			return err
		}
		if err := p.handleLine(line); err != nil {
			return err
		}
	}
	return nil
}

// offerNext tells whether somebody can choose what comes next, and says it once.
func (p *player) offerNext() bool {
	if p.opts.Interactive && p.told != p.session {
		p.sayEnded()
	}
	return p.opts.Interactive
}

func (p *player) sayEnded() {
	p.told = p.session
	p.writeTalk("%s has ended: /machines goes on, /reset plays it again, /quit leaves.", p.session.machine.title)
}

func (p *player) handleLine(line inputLine) error {
	if line.tooLong {
		p.writeTalk("Not sent: a message may have %d characters.", wire.MaxMessage)
		return nil
	}
	if strings.TrimSpace(line.text) == "" {
		return p.resendUnsent()
	}
	cmd, arg, text, err := ParseLine[error](line.text)
	switch {
	case err != nil:
		p.writeTalk("%s.", capitalize(err.Error()))
		return nil
	case cmd != nil:
		return p.runCommand(cmd, arg)
	case p.session.standing.isFinished():
		p.sayEnded()
		return nil
	}
	p.sure = false
	return p.reportUnsent(p.sendTurn(p.makeTurn(text)))
}

// makeTurn is the turn that a text makes. The words of a turn that may have counted
// are that turn again.
func (p *player) makeTurn(text string) turn {
	if p.unsure && p.lost.text == text {
		return p.lost
	}
	return p.requester.newTurn(text)
}

// resendUnsent sends what was not sent; nothing else is meant by an empty line.
func (p *player) resendUnsent() error {
	if p.unsent.text == "" {
		return nil
	}
	return p.reportUnsent(p.sendTurn(p.unsent))
}

// reportUnsent says why a turn was not made, and what becomes of its words.
func (p *player) reportUnsent(err error) error {
	switch {
	case errors.Is(err, errStopped):
		err = nil
		p.writeTalk("Stopped.")
	case isMissing(err) && p.opts.Interactive:
		err = nil
		p.writeTalk("Not sent: the service does not know this session any more. Write /reset to begin it again.")
	}
	err = p.reportFailure("not sent", err)
	if p.unsent.text != "" && p.opts.Interactive {
		p.writeTalk("Your words are kept: an empty line sends them again.")
	}
	return err
}

// reportFailure says a failure to somebody who sits there, and returns it otherwise.
func (p *player) reportFailure(what string, err error) error {
	if err == nil || errors.Is(err, errLeave) || p.ctx.Err() != nil {
		return err
	}
	if !p.opts.Interactive {
		return fmt.Errorf("%s: %w", what, err)
	}
	p.writeTalk("%s: %s", capitalize(what), endSentence(p.requester.explainError(err)))
	return nil
}
