package lines

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

func (p *player) choosePersona(arg string) error {
	items, err := p.requester.ListPersonas(p.ctx)
	if err != nil {
		return err
	}
	if item, found := findMeant(items, arg); found {
		return p.meetPersona(item.ID)
	}
	p.writePlay("%s", strings.Join(searchPersonas(items, arg, p.foundWords), "\n"))
	return nil
}

func (p *player) askPersona() error {
	if !p.opts.Interactive {
		return p.choosePersona("")
	}
	items, err := p.requester.ListPersonas(p.ctx)
	if err != nil {
		return err
	}
	p.writeTalk("%s", strings.Join(personaLines(items, "", p.foundWords), "\n"))
	for {
		line, err := p.askLine("Whom do you want to talk to? Write a number, or words to search for; an empty line changes nothing: ")
		item, found := findMeant(items, line.text)
		switch text := strings.TrimSpace(line.text); {
		case err != nil:
			return err
		case text == "":
			p.sayEnded()
			return nil
		case strings.HasPrefix(text, "/"):
			p.ahead = &line
			return nil
		case found:
			return p.meetPersona(item.ID)
		}
		p.writeTalk("%s", strings.Join(searchPersonas(items, line.text, p.foundWords), "\n"))
	}
}

func (p *player) meetPersona(persona string) error {
	p.requester.UsualName, p.requester.UsualGender = p.User.Saved.PlayerName, p.User.Saved.PlayerGender
	v, err := p.requester.OpenPersona(p.ctx, persona, conversation.SavedSession{}, false)
	if err != nil {
		return err
	}
	return p.switchTo(v)
}

// findMeant returns the item that a text selects: a number in the list, or words that one item
// contains.
func findMeant(items []wire.PersonaItem, text string) (wire.PersonaItem, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(items) {
		return items[n-1], true
	}
	if text == "" {
		return wire.PersonaItem{}, false
	}
	var meant []wire.PersonaItem
	for _, item := range items {
		if hasWords(item, text) {
			meant = append(meant, item)
		}
	}
	if len(meant) != 1 {
		return wire.PersonaItem{}, false
	}
	return meant[0], true
}

func searchPersonas(items []wire.PersonaItem, words string, found func(wire.PersonaItem) string) []string {
	if lines := personaLines(items, words, found); lines != nil {
		return lines
	}
	return []string{fmt.Sprintf("No persona matches these words. Write a number from 1 to %d, or other words.", len(items))}
}

func personaLines(items []wire.PersonaItem, words string, describe func(wire.PersonaItem) string) []string {
	var lines []string
	for i, item := range items {
		if hasWords(item, words) {
			lines = append(lines, fmt.Sprintf("%d. %s%s", i+1, describePersona(item), describe(item)))
		}
	}
	return lines
}

func (p *player) foundWords(item wire.PersonaItem) string {
	found := p.requester.Endings.RecallEndings(item.ID).Words()
	if found == "" || !p.opts.Interactive {
		return ""
	}
	return " (" + found + " found)"
}

func hasWords(item wire.PersonaItem, words string) bool {
	return conversation.HasAllWords(strings.ToLower(describePersona(item)), strings.Fields(strings.ToLower(words)))
}

func describePersona(item wire.PersonaItem) string {
	return terminal.Clean(item.Name) + ": " + terminal.Clean(item.Description)
}
