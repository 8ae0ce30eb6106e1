package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// picker lists the published personas to choose one.
type picker struct {
	*env
	items         []wire.PersonaItem
	menu          *menu  // nil while the list is on its way
	trouble       string // why there is no list
	width, height int
}

func newPicker(e *env) *picker { return &picker{env: e} }

func (p *picker) load() tea.Cmd {
	p.menu, p.trouble = nil, ""
	return func() tea.Msg {
		items, err := p.desk.published(p.ctx)
		if err != nil {
			return listFailedMsg{err}
		}
		return personasListedMsg{items, p.begun(items)}
	}
}

func (p *picker) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case personasListedMsg:
		p.fill(msg)
	case listFailedMsg:
		p.trouble = p.desk.explain(msg.err)
	case tea.KeyMsg:
		return p.key(msg)
	}
	return nil
}

// begun tells for each persona whether the player has been with it before.
func (p *picker) begun(items []wire.PersonaItem) []bool {
	begun := make([]bool, len(items))
	for i, item := range items {
		known, ok := p.desk.memory.Recall(item.ID)
		begun[i] = ok && known.UserSessionID != "" && !p.opts.NewSession
	}
	return begun
}

func (p *picker) fill(listed personasListedMsg) {
	choices := make([]choice, len(listed.items))
	for i, item := range listed.items {
		choices[i] = choice{title: Clean(item.Name), about: Clean(item.Description)}
		if listed.begun[i] {
			choices[i].tag = "goes on"
		}
	}
	p.items, p.menu = listed.items, newMenu(p.st, p.keys, choices, "search")
	p.resize(p.width, p.height)
}

func (p *picker) key(msg tea.KeyMsg) tea.Cmd {
	chosen := key.Matches(msg, p.keys.Send)
	switch {
	case p.trouble != "" && chosen:
		return p.load()
	case p.menu == nil:
		return nil
	case len(p.items) == 0 && chosen:
		return p.load()
	case key.Matches(msg, p.keys.Cancel):
		p.menu.clear()
		return nil
	case chosen:
		return p.choose()
	}
	return p.menu.Update(msg)
}

func (p *picker) choose() tea.Cmd {
	i, ok := p.menu.chosen()
	if !ok {
		return nil
	}
	persona := p.items[i].ID
	return func() tea.Msg { return personaChosenMsg{persona} }
}

func (p *picker) resize(width, height int) {
	p.width, p.height = width, height
	if p.menu != nil {
		p.menu.resize(width, height-4)
	}
}

const pickerFoot = "Enter talks, letters search, F1 keys, Ctrl+D leaves"

func (p *picker) view() []string {
	lines := []string{header(p.st, "Whom do you want to talk to?", "parley", p.width), ""}
	foot := pickerFoot
	switch {
	case p.trouble != "":
		lines = append(lines, paragraph(p.st.bad, "The personas could not be read: "+p.trouble, p.width)...)
		foot = "Enter tries again, Ctrl+D leaves"
	case p.menu == nil:
		lines = append(lines, paragraph(p.st.faint, "Reading the personas …", p.width)...)
	case len(p.items) == 0:
		lines = append(lines, p.empty()...)
		foot = "Enter looks again, Ctrl+D leaves"
	default:
		lines = append(lines, p.menu.view()...)
	}
	return append(fit(lines, p.width, p.height-1), footer(p.st, foot, p.width))
}

func (p *picker) empty() []string {
	lines := paragraph(p.st.title, "Nobody is here yet.", p.width)
	lines = append(lines, "")
	lines = append(lines, paragraph(p.st.text, "This server has no published persona. Write one and publish it:", p.width)...)
	lines = append(lines, "", "   "+p.st.code.Render("parley persona save FILE"), "   "+p.st.code.Render("parley persona publish PERSONA"), "")
	return append(lines, paragraph(p.st.faint, "Or play the samples without a server: parley chat --local", p.width)...)
}
