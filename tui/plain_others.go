package tui

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// ChoosePersona lists whom one can talk to, or goes to the one that is named by its number.
func (a lineActions) ChoosePersona(arg string) error {
	return a.failing("you stay here", a.choosePersona(arg))
}

// choosePersona lists whom one can talk to, or goes to the one that is named by its
// number; words narrow the list.
func (a lineActions) choosePersona(arg string) error {
	items, err := a.desk.published(a.ctx)
	if err != nil {
		return err
	}
	if item, found := numbered(items, arg); found {
		return a.meet(item.ID)
	}
	a.put("%s", strings.Join(searched(items, arg), "\n"))
	return nil
}

// meet goes to a persona, as whom it knows the player, else as who plays now.
func (a lineActions) meet(persona string) error {
	v, err := a.desk.visit(a.ctx, persona, Known{}, false)
	if err != nil {
		return err
	}
	now := &a.visit.who
	v.who.PlayerName = cmp.Or(v.who.PlayerName, now.PlayerName)
	v.who.PlayerGender = cmp.Or(v.who.PlayerGender, now.PlayerGender)
	return a.turnTo(v)
}

// numbered is the item of a list that a number names.
func numbered(items []wire.PersonaItem, number string) (wire.PersonaItem, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || n < 1 || n > len(items) {
		return wire.PersonaItem{}, false
	}
	return items[n-1], true
}

// searched are the personas that have the words, and where there are none what to
// write instead.
func searched(items []wire.PersonaItem, words string) []string {
	if lines := personaLines(items, words); lines != nil {
		return lines
	}
	return []string{fmt.Sprintf("Nobody here has these words. Write a number from 1 to %d, or other words.", len(items))}
}

// personaLines are the personas that have the words, with their numbers among all.
func personaLines(items []wire.PersonaItem, words string) []string {
	var lines []string
	for i, item := range items {
		text := Clean(item.Name) + ": " + Clean(item.Description)
		if hasAll(strings.ToLower(text), strings.Fields(strings.ToLower(words))) {
			lines = append(lines, fmt.Sprintf("%d. %s", i+1, text))
		}
	}
	return lines
}
