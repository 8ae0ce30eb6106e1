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
	noColor  bool

	persona string
	shown   *Portrait
}

// NewPortraits returns Portraits for the terminal out. If noColor is true, portraits are not shown.
// help is the key or the command that shows the help.
func NewPortraits(out io.Writer, pictures PictureTerminal, st *Styles, theme Theme, noColor bool, help string) *Portraits {
	return &Portraits{Out: out, help: help, pictures: pictures, st: st, noColor: noColor, shown: &Portrait{Hidden: theme == ThemeNone}}
}

// currentWay returns how the terminal shows pictures, depending on the number of its colours. Half
// blocks need 256 colours. Kitty's placeholders need 24-bit colours.
func (p *Portraits) currentWay() PictureTerminal {
	at := p.pictures
	profile := p.st.Renderer.ColorProfile()
	at.ManyColours = profile == termenv.TrueColor
	switch {
	case p.noColor || profile == termenv.Ascii || profile == termenv.ANSI:
		at.Way = NoPictures
	case at.Way == Kitty && !at.ManyColours:
		at.Way = HalfBlocks
	}
	return at
}

// DrawPortrait returns a command that draws a persona's portrait. If the portrait cannot be
// decoded, the card shows the initial.
func (p *Portraits) DrawPortrait(persona *conversation.Persona) tea.Cmd {
	if p.persona == persona.ID {
		return nil
	}
	forget, at := p.forgetCommand(), p.currentWay()
	p.persona, p.shown = persona.ID, &Portrait{Hidden: p.shown.Hidden}
	if persona.Portrait == "" || at.Way == NoPictures {
		return forget
	}
	return tea.Batch(forget, drawCommand(p.Out, persona.ID, persona.Portrait, at))
}

func drawCommand(out io.Writer, persona, uri string, at PictureTerminal) tea.Cmd {
	return func() tea.Msg {
		decoded, err := portrait.DecodeURI(uri)
		if err != nil {
			return nil
		}
		frame := DrawFrame(portrait.ScaleSquare(decoded, MostPixels), at)
		if frame.Send != "" {
			if _, err := io.WriteString(out, frame.Send); err != nil {
				return nil
			}
		}
		return PortraitDrawnMsg{persona, frame}
	}
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

func (p *Portraits) forgetCommand() tea.Cmd {
	if p.shown.Frame == nil || p.shown.Frame.Forget == "" {
		return nil
	}
	return writeCommand(p.Out, p.shown.Frame.Forget)
}

// SendCommand returns a command that sends the picture again, after another program has used the
// screen. It returns nil if the terminal does not store pictures.
func (p *Portraits) SendCommand() tea.Cmd {
	if p.shown.Frame == nil || p.shown.Frame.Send == "" {
		return nil
	}
	return writeCommand(p.Out, p.shown.Frame.Send)
}

// writeCommand returns a command that writes text to out. It ignores errors, because the terminal
// may be closed.
func writeCommand(out io.Writer, text string) tea.Cmd {
	return func() tea.Msg {
		_, _ = io.WriteString(out, text)
		return nil
	}
}

// QuitCleanly deletes the picture from the terminal and quits.
func (p *Portraits) QuitCleanly() tea.Msg {
	if forget := p.forgetCommand(); forget != nil {
		forget()
	}
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
