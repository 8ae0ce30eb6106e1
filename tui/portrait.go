package tui

import (
	"io"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/opening"
	"github.com/parley-npc/parley/tui/picture"
	"github.com/parley-npc/parley/tui/styles"
)

// portraitDrawnMsg: a persona's portrait is ready to be shown.
type portraitDrawnMsg struct {
	persona string
	frame   *picture.Frame
}

// shownPortrait is the portrait of the persona that is on the screen, of which the terminal
// may keep the picture.
type shownPortrait struct {
	*opening.Portrait
	persona string
}

// picturesHere is how this terminal shows pictures in its present colours. Half blocks need
// 256 of them, the placeholders of Kitty all.
func (e *env) picturesHere() picture.Terminal {
	at := e.opts.Pictures
	profile := e.st.Renderer.ColorProfile()
	at.ManyColours = profile == termenv.TrueColor
	switch {
	case e.opts.NoColor || profile == termenv.Ascii || profile == termenv.ANSI:
		at.Way = picture.NoWay
	case at.Way == picture.Kitty && !at.ManyColours:
		at.Way = picture.HalfBlocks
	}
	return at
}

// drawPortrait draws a persona's portrait beside the screen's own loop. One that cannot be
// decoded is none: the card has the initial then.
func (e *env) drawPortrait(p *conversation.Persona) tea.Cmd {
	before, at := e.portrait, e.picturesHere()
	if before.persona == p.ID {
		return nil
	}
	e.portrait = shownPortrait{&opening.Portrait{Hidden: e.currentTheme() == styles.ThemeNone}, p.ID}
	if p.Portrait == "" || at.Way == picture.NoWay {
		return before.forgetCommand(e.opts.Out)
	}
	return tea.Batch(before.forgetCommand(e.opts.Out), e.drawCommand(p.ID, p.Portrait, at))
}

func (e *env) drawCommand(persona, uri string, at picture.Terminal) tea.Cmd {
	return func() tea.Msg {
		decoded, err := portrait.DecodeURI(uri)
		if err != nil {
			return nil
		}
		frame := picture.DrawFrame(portrait.ScaleSquare(decoded, picture.MostPixels), at)
		if _, err := io.WriteString(e.opts.Out, frame.Send); err != nil {
			return nil
		}
		return portraitDrawnMsg{persona, frame}
	}
}

// takePortrait keeps a portrait that is drawn, unless the player has gone to another persona
// meanwhile.
func (e *env) takePortrait(msg portraitDrawnMsg) {
	if e.portrait.persona == msg.persona {
		e.portrait.Frame = msg.frame
	}
}

// forgetCommand has the terminal forget the picture, nil where it keeps none.
func (s shownPortrait) forgetCommand(out io.Writer) tea.Cmd {
	if s.Portrait == nil || s.Frame == nil || s.Frame.Forget == "" {
		return nil
	}
	forget := s.Frame.Forget
	return func() tea.Msg {
		_, _ = io.WriteString(out, forget) // A terminal that is gone keeps nothing.
		return nil
	}
}

// sendPortrait gives the terminal the picture again, which it has lost where another program
// had the screen; nil where it keeps none.
func (e *env) sendPortrait() tea.Cmd {
	if e.portrait.Portrait == nil || e.portrait.Frame == nil || e.portrait.Frame.Send == "" {
		return nil
	}
	picture := e.portrait.Frame.Send
	return func() tea.Msg {
		_, _ = io.WriteString(e.opts.Out, picture) // The card has its words anyway.
		return nil
	}
}

// quit leaves the screen, and nothing of a picture behind.
func (e *env) quit() tea.Msg {
	if forget := e.portrait.forgetCommand(e.opts.Out); forget != nil {
		forget()
	}
	return tea.Quit()
}

// openingCard is the card of a player's machine; m is nil while it is not known.
func (e *env) openingCard(u *conversation.UserSession, m *conversation.Machine) *opening.Card {
	p := u.Persona
	card := &opening.Card{Name: p.CharacterName(), About: p.About, Found: u.FoundWords()}
	if e.portrait.persona == p.ID {
		card.Portrait = e.portrait.Portrait
	}
	if m != nil {
		card.Goal = m.Goal
		card.Tries = m.CountTries(conversation.Standing{State: m.InitialState()})
	}
	return card
}
