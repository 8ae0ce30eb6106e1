package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

type personaPicker struct {
	env           *env
	items         []wire.PersonaItem
	menu          *views.List
	trouble       string
	left          string
	busy          *busyNotice
	width, height int
}

func (p *personaPicker) load() tea.Cmd {
	p.menu, p.trouble = nil, ""
	busy, ctx := p.env.hearWaits(p.env.ctx)
	p.busy = busy
	return tea.Batch(p.tickLater(), runAsync(p, func() func() tea.Cmd {
		items, err := p.env.requester.ListPersonas(ctx)
		tags := p.listTags(items)
		return func() tea.Cmd {
			if err != nil {
				p.trouble = p.env.requester.ExplainError(err)
				return nil
			}
			p.fill(items, tags)
			return nil
		}
	}))
}

// tickLater redraws the screen each second, because a wait notice counts down.
func (p *personaPicker) tickLater() tea.Cmd {
	busy := p.busy
	return p.env.after(time.Second, screenMsg{p, func() tea.Cmd {
		if busy == p.busy && p.menu == nil && p.trouble == "" {
			return p.tickLater()
		}
		return nil
	}})
}

func (p *personaPicker) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screenMsg:
		return msg.show()
	case tea.KeyMsg:
		return p.handleKey(msg)
	}
	return nil
}

func (p *personaPicker) listTags(items []wire.PersonaItem) []string {
	tags := make([]string, len(items))
	for i, item := range items {
		var parts []string
		saved, ok := p.env.requester.Memory.Recall(item.ID)
		if ok && saved.UserSessionID != "" && !p.env.opts.NewSession {
			parts = append(parts, saved.TagWords())
		}
		tags[i] = joinParts(append(parts, p.env.requester.Endings.RecallEndings(item.ID).Words()))
	}
	return tags
}

func (p *personaPicker) fill(items []wire.PersonaItem, tags []string) {
	choices := make([]views.Choice, len(items))
	for i, item := range items {
		title, about := terminal.Clean(item.Name), terminal.Clean(item.Description)
		choices[i] = views.Choice{Title: title, About: about, Tag: tags[i]}
	}
	p.items, p.menu = items, views.NewList(p.env.st, p.env.keys, choices, "search")
	p.menu.MoveCursorTo(slices.IndexFunc(p.items, func(item wire.PersonaItem) bool { return item.ID == p.left }))
	p.Resize(p.width, p.height)
}

func (p *personaPicker) handleKey(msg tea.KeyMsg) tea.Cmd {
	chosen := key.Matches(msg, p.env.keys.Send)
	switch {
	case p.trouble != "" && chosen:
		return p.load()
	case p.menu == nil:
		return nil
	case len(p.items) == 0 && chosen:
		return p.load()
	case key.Matches(msg, p.env.keys.Cancel):
		if p.menu.ClearSearch() || p.left == "" {
			return nil
		}
		return func() tea.Msg { return personaChosenMsg{p.left} }
	case msg.String() == "?" && p.menu.Search.Value() == "":
		return func() tea.Msg { return helpAskedMsg{} }
	case chosen:
		return p.submit()
	}
	return p.menu.Update(msg)
}

func (p *personaPicker) submit() tea.Cmd {
	i, ok := p.menu.ChosenIndex()
	if !ok {
		return nil
	}
	persona := p.items[i].ID
	return func() tea.Msg { return personaChosenMsg{persona} }
}

func (p *personaPicker) Resize(width, height int) {
	p.width, p.height = width, height
	if p.menu != nil {
		p.menu.Resize(width, height-4)
	}
}

func (p *personaPicker) DrawLines() []string {
	lines := []string{views.HeaderLine(p.env.st, "Whom do you want to talk to?", "parley", p.width), ""}
	enter := "Enter talks"
	switch {
	case p.trouble != "":
		lines = append(lines, views.WrapStyled(p.env.st.Bad, "The personas could not be read: "+p.trouble, p.width)...)
		enter = "Enter tries again"
	case p.menu == nil:
		words := cmp.Or(p.busy.text(p.env.opts.Now()), "Reading the personas …")
		lines = append(lines, views.WrapStyled(p.env.st.Faint, words, p.width)...)
	case len(p.items) == 0:
		lines = append(lines, p.emptyLines()...)
		enter = "Enter looks again"
	default:
		lines = append(lines, p.menu.DrawLines()...)
	}
	footer := views.FooterLine(p.env.st, p.footWords(enter), p.width)
	return append(terminal.FitLines(lines, p.width, p.height-1), footer)
}

func (p *personaPicker) footWords(enter string) string {
	keys, leaves := p.env.keys.FootKey("help", "keys"), p.env.keys.FootKey("leave", "leaves")
	foot := enter + ", " + leaves
	if p.menu != nil && len(p.items) > 0 {
		back := ""
		if p.left != "" {
			back = "Esc goes back, "
		}
		foot = p.menu.FootWords(enter + ", letters search, " + back + keys + leaves)
	}
	return strings.TrimSuffix(foot, ", ")
}

func (p *personaPicker) emptyLines() []string {
	const none = "No persona is published on this server. Write one and publish it:"
	const samples = "Or play the samples without a server: parley chat --local"
	st := p.env.st
	lines := append(views.WrapStyled(st.Title, "There are no personas yet.", p.width), "")
	lines = append(lines, views.WrapStyled(st.Text, none, p.width)...)
	lines = append(lines, "", "   "+st.Code.Render("parley persona save FILE"),
		"   "+st.Code.Render("parley persona publish PERSONA"), "")
	return append(lines, views.WrapStyled(st.Faint, samples, p.width)...)
}

func (p *personaPicker) ApplyStyles() {
	if p.menu != nil {
		p.menu.ApplyStyles()
	}
}
