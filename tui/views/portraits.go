package views

import (
	"io"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/tui/conversation"
)

// PortraitDrawnMsg reports that a portrait is ready.
type PortraitDrawnMsg struct {
	persona string
	frame   *Frame
}

// Portraits shows the portrait of the present persona on a terminal.
type Portraits struct {
	help     string
	Out      io.Writer
	pictures PictureTerminal
	st       *Styles

	persona string
	shown   *Portrait
}

// NewPortraits returns Portraits for a terminal. help is the key or command for the help.
func NewPortraits(out io.Writer, pictures PictureTerminal, st *Styles, theme Theme, help string) *Portraits {
	return &Portraits{Out: out, help: help, pictures: pictures, st: st, shown: &Portrait{Hidden: theme == ThemeNone}}
}

// DrawPortrait returns a command that draws a persona's portrait. Invalid portraits and terminals
// with few colours show the initial.
func (p *Portraits) DrawPortrait(persona *conversation.Persona) tea.Cmd {
	if p.persona == persona.ID {
		return nil
	}
	forget, profile := p.write(p.shown.forget()), p.st.Renderer.ColorProfile()
	p.persona, p.shown = persona.ID, &Portrait{Hidden: p.shown.Hidden}
	if persona.Portrait == "" || p.pictures.Way == NoPictures || profile == termenv.Ascii || profile == termenv.ANSI {
		return forget
	}
	return tea.Batch(forget, func() tea.Msg {
		decoded, err := portrait.DecodeURI(persona.Portrait)
		if err != nil {
			return nil
		}
		frame := drawFrame(portrait.ScaleSquare(decoded, maxPictureSide), p.pictures, profile)
		if _, err := io.WriteString(p.Out, frame.Send); err != nil {
			return nil
		}
		return PortraitDrawnMsg{persona.ID, frame}
	})
}

// TakePortrait stores the portrait if the persona is still present.
func (p *Portraits) TakePortrait(msg PortraitDrawnMsg) {
	if p.persona == msg.persona {
		p.shown.Frame = msg.frame
	}
}

// HideInTheme hides the portrait in a theme without colours.
func (p *Portraits) HideInTheme(t Theme) { p.shown.Hidden = t == ThemeNone }

// SendCommand returns a command that sends the picture to the terminal again. Another program, such
// as an editor, may have deleted it.
func (p *Portraits) SendCommand() tea.Cmd {
	if p.shown.Frame == nil {
		return nil
	}
	return p.write(p.shown.Frame.Send)
}

func (p *Portraits) write(sequence string) tea.Cmd {
	if sequence == "" {
		return nil
	}
	return func() tea.Msg {
		_, _ = io.WriteString(p.Out, sequence)
		return nil
	}
}

// QuitCleanly deletes the picture from the terminal and quits.
func (p *Portraits) QuitCleanly() tea.Msg {
	_, _ = io.WriteString(p.Out, p.shown.forget()) // The terminal may be closed.
	return tea.Quit()
}

// OpeningCard returns the card for a machine. m is nil for an unknown machine.
func (p *Portraits) OpeningCard(user *conversation.UserSession, m *conversation.Machine) *OpeningCard {
	persona := user.Persona
	card := &OpeningCard{Name: persona.CharacterName(), About: persona.About, Found: user.FoundWords(), Help: p.help}
	if p.persona == persona.ID {
		card.Portrait = p.shown
	}
	if m != nil {
		card.Goal = m.Goal
		card.Score = m.ScoreRule()
		card.Tries = m.TriesRule()
	}
	return card
}
