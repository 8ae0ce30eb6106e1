package views

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/tui/conversation"
)

// PortraitDrawnMsg reports that a persona's portrait is ready to be shown.
type PortraitDrawnMsg struct {
	persona string
	lines   []string
}

// Portraits draws the portrait of the present persona in coloured half blocks.
type Portraits struct {
	help     string // the key or the command that shows help
	disabled bool
	st       *Styles

	persona string
	shown   *Portrait
}

// NewPortraits returns Portraits in the colours of st. If disabled is true, portraits are not shown.
// help is the key or the command that shows the help.
func NewPortraits(st *Styles, theme Theme, disabled bool, help string) *Portraits {
	return &Portraits{help: help, disabled: disabled, st: st, shown: &Portrait{Hidden: theme == ThemeNone}}
}

// DrawPortrait returns a command that draws a persona's portrait. If the portrait cannot be
// decoded, or if the terminal has fewer than 256 colours, the card shows the initial.
func (p *Portraits) DrawPortrait(persona *conversation.Persona) tea.Cmd {
	profile := p.st.Renderer.ColorProfile()
	if p.persona == persona.ID {
		return nil
	}
	p.persona, p.shown = persona.ID, &Portrait{Hidden: p.shown.Hidden}
	if persona.Portrait == "" || p.disabled || profile == termenv.Ascii || profile == termenv.ANSI {
		return nil
	}
	return func() tea.Msg {
		decoded, err := portrait.DecodeURI(persona.Portrait)
		if err != nil {
			return nil
		}
		return PortraitDrawnMsg{persona.ID, drawBlocks(portrait.ScaleSquare(decoded, mostPixels), profile)}
	}
}

// TakePortrait stores a drawn portrait, unless the player has switched to another persona
// meanwhile.
func (p *Portraits) TakePortrait(msg PortraitDrawnMsg) {
	if p.persona == msg.persona {
		p.shown.Lines = msg.lines
	}
}

// HideInTheme hides the portrait if a theme has no colours. The card then shows the initial.
func (p *Portraits) HideInTheme(t Theme) { p.shown.Hidden = t == ThemeNone }

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
