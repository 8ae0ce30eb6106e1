package prompt

import (
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/plaintext"
)

// playerWords are labels that models use for the player in a script of their own, in the languages
// of the built-in model.
var playerWords = []string{
	"Player", "User", "Human", "The player",
	"Spieler", "Spielerin", "Benutzer", "Joueur", "Joueuse", "Utilisateur", "Jugador", "Jugadora", "Usuario",
	"Giocatore", "Giocatrice", "Utente", "Jogador", "Jogadora", "Usuário",
}

const (
	// maxStops is how many stop sequences all providers take, maxLabel the longest name in one.
	maxStops = 4
	maxLabel = 60
)

// CharacterLabels returns the names that a model may put in front of the character's words: the
// whole name and its first word.
func CharacterLabels(input llm.Input) []string {
	if input.Persona == nil {
		return nil
	}
	return nameAndFirst(input.Persona.Name)
}

// PlayerLabels returns the names in front of a line that speaks for the player: the player's own,
// and words for any player. It leaves out names of the character.
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

// stopSequences end an answer that continues as the player.
func stopSequences(input llm.Input) []string {
	var stops []string
	for _, name := range PlayerLabels(input) {
		if len(stops) < maxStops {
			stops = append(stops, "\n"+name+":")
		}
	}
	return stops
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
	for _, one := range list {
		if strings.EqualFold(one, name) {
			return true
		}
	}
	return false
}
