package views

import (
	"io"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/tui/conversation"
)

// PortraitDrawnMsg reports that a persona's portrait is ready to be shown.
type PortraitDrawnMsg struct {
	persona string
	frame   *Frame
}

// Portraits shows the portrait of the present persona on a terminal.
type Portraits struct {
	help     string // the key or the command that shows help
	Out      io.Writer
	pictures PictureTerminal
	st       *Styles

	persona string
	shown   *Portrait
}

// NewPortraits returns Portraits for the terminal out, in the colours of st. help is the key or the
// command that shows the help.
func NewPortraits(out io.Writer, pictures PictureTerminal, st *Styles, theme Theme, help string) *Portraits {
	return &Portraits{Out: out, help: help, pictures: pictures, st: st, shown: &Portrait{Hidden: theme == ThemeNone}}
}

// DrawPortrait returns a command that draws a persona's portrait. If the portrait cannot be
// decoded, or if the terminal has fewer than 256 colours, the card shows the initial.
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
		frame := drawFrame(portrait.ScaleSquare(decoded, mostPixels), p.pictures, profile)
		if _, err := io.WriteString(p.Out, frame.Send); err != nil {
			return nil
		}
		return PortraitDrawnMsg{persona.ID, frame}
	})
}

// TakePortrait stores a drawn portrait, unless the player has switched to another persona
// meanwhile.
func (p *Portraits) TakePortrait(msg PortraitDrawnMsg) {
	if p.persona == msg.persona {
		p.shown.Frame = msg.frame
	}
}

// HideInTheme hides the portrait if a theme has no colours. The card then shows the initial.
func (p *Portraits) HideInTheme(t Theme) { p.shown.Hidden = t == ThemeNone }

// SendCommand returns a command that sends the picture again, after another program has used the
// screen.
func (p *Portraits) SendCommand() tea.Cmd {
	if p.shown.Frame == nil {
		return nil
	}
	return p.write(p.shown.Frame.Send)
}

// write returns a command that writes a sequence to the terminal, or nil for "". The command
// ignores errors, because the terminal may be closed.
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

// OpeningCard returns the card for a machine. m is nil if the machine is not known yet.
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
