package lines

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// ChoosePersona switches to the persona that arg selects, or lists the personas.
func (a actions) ChoosePersona(arg string) error {
	return a.reportFailure("the persona was not changed", a.choosePersona(arg))
}

func (a actions) choosePersona(arg string) error {
	items, err := a.requester.ListPersonas(a.ctx)
	if err != nil {
		return err
	}
	if item, found := findMeant(items, arg); found {
		return a.meetPersona(item.ID)
	}
	a.writePlay("%s", strings.Join(searchPersonas(items, arg, a.foundWords), "\n"))
	return nil
}

func (a actions) askPersona() error {
	if !a.opts.Interactive {
		return a.choosePersona("")
	}
	items, err := a.requester.ListPersonas(a.ctx)
	if err != nil {
		return err
	}
	a.writeTalk("%s", strings.Join(personaLines(items, "", a.foundWords), "\n"))
	for {
		line, err := a.askLine("Whom do you want to talk to? Write a number, or words to search for; an empty line changes nothing: ")
		item, found := findMeant(items, line.text)
		switch text := strings.TrimSpace(line.text); {
		case err != nil:
			return err
		case text == "":
			a.sayEnded()
			return nil
		case strings.HasPrefix(text, "/"):
			a.ahead = &line
			return nil
		case found:
			return a.meetPersona(item.ID)
		}
		a.writeTalk("%s", strings.Join(searchPersonas(items, line.text, a.foundWords), "\n"))
	}
}

// meetPersona switches to a persona. The player keeps the present name and gender unless others are
// stored for that persona.
func (a actions) meetPersona(persona string) error {
	a.requester.UsualName, a.requester.UsualGender = a.User.Saved.PlayerName, a.User.Saved.PlayerGender
	v, err := a.requester.OpenPersona(a.ctx, persona, conversation.SavedSession{}, false)
	if err != nil {
		return err
	}
	return a.switchTo(v)
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
