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
	if item, found := findChosen(items, arg); found {
		return p.switchToPersona(item.ID)
	}
	p.writePlay("%s", strings.Join(p.searchPersonas(items, arg), "\n"))
	return nil
}

func (p *player) askPersona() error {
	items, err := p.requester.ListPersonas(p.ctx)
	if err != nil {
		return err
	}
	const prompt = "Whom do you want to talk to? Write a number, or words to search for; " +
		"an empty line changes nothing: "
	item, line, err := p.askItem(items, prompt, func(text string) bool {
		return text == "" || strings.HasPrefix(text, "/")
	})
	switch {
	case err != nil:
		return err
	case item.ID != "":
		return p.switchToPersona(item.ID)
	case strings.TrimSpace(line.text) == "":
		p.sayEnded()
	default:
		p.ahead = &line
	}
	return nil
}

func (p *player) askItem(
	items []wire.PersonaItem, prompt string, ends func(text string) bool,
) (wire.PersonaItem, inputLine, error) {
	p.writeTalk("%s", strings.Join(p.searchPersonas(items, ""), "\n"))
	for {
		line, err := p.askLine(prompt)
		if err != nil || ends(strings.TrimSpace(line.text)) {
			return wire.PersonaItem{}, line, err
		}
		if item, found := findChosen(items, line.text); found {
			return item, line, nil
		}
		p.writeTalk("%s", strings.Join(p.searchPersonas(items, line.text), "\n"))
	}
}

func (p *player) switchToPersona(persona string) error {
	p.requester.SetPlayer(p.User, p.User.Saved.PlayerName, p.User.Saved.PlayerGender)
	user, err := p.requester.OpenPersona(p.ctx, persona, conversation.SavedSession{}, false)
	if err != nil {
		return err
	}
	return p.switchTo(user)
}

func findChosen(items []wire.PersonaItem, text string) (wire.PersonaItem, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(items) {
		return items[n-1], true
	}
	if text == "" {
		return wire.PersonaItem{}, false
	}
	var matches []wire.PersonaItem
	for _, item := range items {
		if hasWords(item, text) {
			matches = append(matches, item)
		}
	}
	if len(matches) != 1 {
		return wire.PersonaItem{}, false
	}
	return matches[0], true
}

func (p *player) searchPersonas(items []wire.PersonaItem, words string) []string {
	var lines []string
	for i, item := range items {
		if !hasWords(item, words) {
			continue
		}
		line := fmt.Sprintf("%d. %s", i+1, describePersona(item))
		if endings := p.requester.Endings.RecallEndings(item.ID).Words(); endings != "" && p.opts.Interactive {
			line += " (" + endings + " found)"
		}
		lines = append(lines, line)
	}
	if lines == nil {
		return []string{fmt.Sprintf(
			"No persona matches these words. Write a number from 1 to %d, or other words.", len(items))}
	}
	return lines
}

func hasWords(item wire.PersonaItem, words string) bool {
	return conversation.HasAllWords(strings.ToLower(describePersona(item)), strings.Fields(strings.ToLower(words)))
}

func describePersona(item wire.PersonaItem) string {
	return terminal.Clean(item.Name) + ": " + terminal.Clean(item.Description)
}
