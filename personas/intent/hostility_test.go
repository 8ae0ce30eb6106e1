package intent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
)

// foreignGuards are a guard in each language: what he asks, what passes, what is thrown out, and
// messages by what they are.
var foreignGuards = map[string]struct{ pass, kick, attacks, innocents string }{
	"fr": {"Voici mes papiers|Je cherche ma sœur", "Imbécile", "tu es un abruti|je vais te frapper|ta gueule|espèce de crétin", "mon frère est un imbécile|je suis un idiot, j'ai oublié mes papiers|on m'a frappé hier|je ne vais pas vous frapper"},
	"de": {"Hier sind meine Papiere|Ich suche meine Schwester", "Dummkopf", "du bist ein Trottel|ich schlage dich|halt die Klappe|du Esel", "mein Bruder ist ein Idiot|ich bin ein Dummkopf, die Papiere liegen zu Hause|gestern hat mich einer geschlagen|du bist kein Dummkopf"},
	"es": {"Aquí están mis papeles|Busco a mi hermana", "Imbécil", "eres un idiota|te voy a pegar|cállate la boca|vete al diablo", "mi hermano es un imbécil|soy un tonto, olvidé los papeles|ayer me pegaron|no te voy a pegar"},
	"pt": {"Aqui estão os meus papéis|Procuro a minha irmã", "Imbecil", "você é um idiota|vou te bater|cala a boca|seu burro", "meu irmão é um idiota|eu sou um burro, esqueci os papéis|ontem me bateram|não vou te bater"},
	"it": {"Ecco i miei documenti|Cerco mia sorella", "Imbecille", "sei un idiota|ti picchio|chiudi il becco|brutto cretino", "mio fratello è un imbecille|sono uno stupido, ho dimenticato i documenti|ieri mi hanno picchiato|non ti picchio mica"},
}

// TestAttacksInOtherLanguages: who insults or threatens in the persona's language is thrown out,
// also in words of which the author did not think, and nobody else is.
func TestAttacksInOtherLanguages(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for language, guard := range foreignGuards {
		at := foreignPlace(t, language, guard.pass, guard.kick)
		for message := range strings.SplitSeq(guard.attacks, "|") {
			if v := r.Decide(at, message); v.Decision != string(personas.DecideKickOut) {
				t.Errorf("%s: %q is %s", language, message, v.Why)
			}
		}
		for message := range strings.SplitSeq(guard.innocents, "|") {
			if v := r.Decide(at, message); v.Decision == string(personas.DecideKickOut) {
				t.Errorf("%s: %q is %s", language, message, v.Why)
			}
		}
	}
}

// TestAttacksWinNothing: where nobody is thrown out an insult is no pass either.
func TestAttacksWinNothing(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for language, guard := range foreignGuards {
		at := foreignPlace(t, language, guard.pass, "")
		for message := range strings.SplitSeq(guard.attacks, "|") {
			if v := r.Decide(at, message); v.Decision == string(personas.DecidePass) {
				t.Errorf("%s: %q is %s", language, message, v.Why)
			}
		}
	}
}

// TestUnnamedAttacks: what only looks like an attack, without a word of one and near to no
// example, throws nobody out before the character has asked what was meant.
func TestUnnamedAttacks(t *testing.T) {
	at := placeOf(t, corpusPersona(t, "sample-starter"), "the-book", "on-the-book")
	r := NewReader()
	for _, c := range []struct {
		message       string
		mayAsk, kicks bool
	}{{"lmaooo 'guarding'", true, false}, {"Stupid animal, I will kick you", true, true}, {"Stupid animal, I will kick you", false, true}} {
		at.FollowUpAllowed = c.mayAsk
		if v := r.Decide(at, c.message); (v.Decision == string(personas.DecideKickOut)) != c.kicks {
			t.Errorf("%q, may ask %t: %s", c.message, c.mayAsk, v.Why)
		}
	}
}

// foreignPlace is the state of a guard who throws out for the example kick; for none if it is empty.
func foreignPlace(t *testing.T, language, pass, kick string) Place {
	t.Helper()
	kicks := ""
	if kick != "" {
		kicks = fmt.Sprintf(", kick_out: [%q]", kick)
	}
	text := fmt.Sprintf(`name: Guard
description: A guard.
persona_identity_prompt: You are a guard.
language: %s
machines:
  - machine_key: gate
    name: Gate
    scoring_mode: pass_fail
    states:
      - state_key: bar
        is_initial_state: true
        evaluation_criteria: {pass: The traveller shows papers or looks for somebody.}
        offline: {examples: {pass: ["%s"]%s}}
      - {state_key: in, is_terminal_state: true}
    transitions:
      - {from_state_key: bar, to_state_key: in, decision_type: pass}
`, language, strings.ReplaceAll(pass, "|", `", "`), kicks)
	if kick != "" {
		text += "      - {from_state_key: bar, decision_type: kick_out}\n"
	}
	p, _, faults := personas.Parse("guard.yaml", []byte(text))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return placeOf(t, &p, "gate", "bar")
}

// TestHarmlessDeedsEndNothing: a deed that is done to nobody throws nobody out.
func TestHarmlessDeedsEndNothing(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, c := range []struct{ persona, state, text, first, again string }{
		{"sample-baker", "mistake", "*burns fingers* ow ow ow", "aside", ""},
		{"sample-starter", "on-the-book", "*pulls out a knife and stabs the cat*", "kick_out", "kick_out"},
		{"sample-starter", "on-the-book", "*kicks the cat*", "kick_out", "kick_out"},
		{"sample-starter", "on-the-book", "*throws a book at you*", "kick_out", "kick_out"},
		{"sample-gate", "bar", "*punches Hobb in the face*", "kick_out", "kick_out"},
		{"badger-landlady", "at-the-door", "do you eat worms", "aside", "aside"},
	} {
		at := placeOf(t, corpusPersona(t, c.persona), "", c.state)
		for _, mayAsk := range []bool{true, false} {
			want := c.again
			if at.FollowUpAllowed = mayAsk; mayAsk {
				want = c.first
			}
			if v := r.Decide(at, c.text); want != "" && v.Decision != want {
				t.Errorf("%s, %q, may ask %t: %s, want %s: %s", c.persona, c.text, mayAsk, v.Decision, want, v.Why)
			}
		}
	}
}

// TestStatementBeforeAQuestion: what is said before a question counts as it would without it.
func TestStatementBeforeAQuestion(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, c := range []struct{ persona, state, text, want string }{
		{"sample-hotel", "rules", "I will keep your rules. What happens after twelve?", "pass"},
		{"sample-hotel", "rules", "I promise not to whistle! Who made these rules?", "pass"},
		{"sample-hotel", "rules", "What happens after twelve?", "aside"},
		{"sample-hotel", "rules", "Nice lobby. What happens after twelve?", "aside"},
		{"sample-gate", "bar", "Really? Why is that?", "aside"},
	} {
		at := placeOf(t, corpusPersona(t, c.persona), "", c.state)
		at.FollowUpAllowed = true
		if v := r.Decide(at, c.text); v.Decision != c.want {
			t.Errorf("%s, %q: %s, want %s: %s", c.persona, c.text, v.Decision, c.want, v.Why)
		}
	}
}
