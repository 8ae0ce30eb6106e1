package prompt

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/plaintext"
)

var playerWords = []string{
	"Player", "User", "Human", "The player",
	"Spieler", "Spielerin", "Benutzer", "Joueur", "Joueuse", "Utilisateur", "Jugador", "Jugadora", "Usuario",
	"Giocatore", "Giocatrice", "Utente", "Jogador", "Jogadora", "Usuário",
}

// maxLabel is the maximum length of a name in a label, in characters.
const maxLabel = 60

// CharacterLabels returns the names that may stand before the character's words in a model's text. They are
// the full name and its first word.
func CharacterLabels(input llm.Input) []string {
	if input.Persona == nil {
		return nil
	}
	return nameAndFirst(input.Persona.Name)
}

// PlayerLabels returns the names that may stand before a line that a model writes for the player.
// They are the player's own name and general words for a player, without names of the character.
func PlayerLabels(input llm.Input) []string {
	own := CharacterLabels(input)
	var labels []string
	for _, name := range append(nameAndFirst(input.Player.Name), playerWords...) {
		if !containsFold(own, name) && !containsFold(labels, name) {
			labels = append(labels, name)
		}
	}
	return labels
}

func nameAndFirst(name string) []string {
	name = strings.TrimSpace(plaintext.ClipWithin(joinLines(name), maxLabel))
	if name == "" {
		return nil
	}
	if first, _, more := strings.Cut(name, " "); more {
		return []string{name, first}
	}
	return []string{name}
}

func containsFold(list []string, name string) bool {
	return slices.ContainsFunc(list, func(one string) bool { return strings.EqualFold(one, name) })
}
