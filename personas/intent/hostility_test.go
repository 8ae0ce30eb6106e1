package intent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

var foreignGuards = map[string]struct{ pass, kick, attacks, innocents string }{
	"fr": {"Voici mes papiers|Je cherche ma sœur", "Imbécile", "tu es un abruti|je vais te frapper|ta gueule|espèce de crétin", "mon frère est un imbécile|je suis un idiot, j'ai oublié mes papiers|on m'a frappé hier|je ne vais pas vous frapper"},
	"de": {"Hier sind meine Papiere|Ich suche meine Schwester", "Dummkopf", "du bist ein Trottel|ich schlage dich|halt die Klappe|du Esel", "mein Bruder ist ein Idiot|ich bin ein Dummkopf, die Papiere liegen zu Hause|gestern hat mich einer geschlagen|du bist kein Dummkopf"},
	"es": {"Aquí están mis papeles|Busco a mi hermana", "Imbécil", "eres un idiota|te voy a pegar|cállate la boca|vete al diablo", "mi hermano es un imbécil|soy un tonto, olvidé los papeles|ayer me pegaron|no te voy a pegar"},
	"pt": {"Aqui estão os meus papéis|Procuro a minha irmã", "Imbecil", "você é um idiota|vou te bater|cala a boca|seu burro", "meu irmão é um idiota|eu sou um burro, esqueci os papéis|ontem me bateram|não vou te bater"},
	"it": {"Ecco i miei documenti|Cerco mia sorella", "Imbecille", "sei un idiota|ti picchio|chiudi il becco|brutto cretino", "mio fratello è un imbecille|sono uno stupido, ho dimenticato i documenti|ieri mi hanno picchiato|non ti picchio mica"},
}

// TestAttacksInOtherLanguages: insults and threats in the persona's language are kick_out, also in
// words that do not occur in an example. Innocent messages are not kick_out.
func TestAttacksInOtherLanguages(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for language, guard := range foreignGuards {
		at := foreignPlace(t, language, guard.pass, guard.kick)
		for message := range strings.SplitSeq(guard.attacks, "|") {
			v := r.Decide(at, message)
			assert.Equal(t, v.Decision, string(personas.DecideKickOut), "%s: %q is %s", language, message, v.Why)
		}
		for message := range strings.SplitSeq(guard.innocents, "|") {
			v := r.Decide(at, message)
			assert.True(t, v.Decision != string(personas.DecideKickOut), "%s: %q is %s", language, message, v.Why)
		}
	}
}

func foreignPlace(t *testing.T, language, pass, kick string) Place {
	t.Helper()
	p := parsePersona(t, fmt.Sprintf(`name: Guard
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
        offline: {examples: {pass: ["%s"], kick_out: [%q]}}
      - {state_key: in, is_terminal_state: true}
    transitions:
      - {from_state_key: bar, to_state_key: in, decision_type: pass}
      - {from_state_key: bar, decision_type: kick_out}
`, language, strings.ReplaceAll(pass, "|", `", "`), kick))
	return placeOf(t, p, "gate", "bar")
}

func TestHostility(t *testing.T) {
	x := NewLexicon()
	for language, messages := range map[string]map[string]Talk{
		"fr": {
			"tu es un abruti": Insulting, "Vous êtes le pire abruti que j'aie vu dans ce métier.": Insulting, "Espèce de vieux crétin !": Insulting, "t'es vraiment nul comme serveur": Insulting, "va te faire voir": Insulting, "Imbécile !": Insulting, "dégage, vieux con": Insulting, "ta gueule": Insulting,
			"vous êtes complètement stupide": Insulting, "je te déteste": Insulting, "pauvre minable": Insulting,
			"je vais te casser la figure": Threatening, "Je vais te tuer": Threatening, "je te jette mon verre au visage": Threatening, "*renverse la table*": NoTalk, "je renverse la table": Threatening, "donne-moi la caisse ou je te frappe": Threatening,
			"mon chef est un imbécile": NoTalk, "je suis un idiot, pardon": NoTalk, "vous n'êtes pas bête": NoTalk, "on m'a traité de crétin": NoTalk, "un verre de vin rouge, s'il vous plaît": NoTalk, "je vais te payer": NoTalk,
			"je vais vous prendre un café": NoTalk, "le vieux cochon dort dans la paille": NoTalk, "c'est bête, j'ai oublié mon argent": NoTalk, "je ne vais pas te frapper": NoTalk, "tu es très gentil": NoTalk,
		},
		"de": {
			"Du Idiot": Insulting, "du bist so ein Trottel": Insulting, "Halt die Klappe": Insulting, "Arschloch!": Insulting, "leck mich": Insulting, "Sie sind unfähig": Insulting, "du stinkst": Insulting, "verpiss dich": Insulting,
			"ich bring dich um": Threatening, "Ich schlage dir den Schädel ein": Threatening, "ich werde dich umbringen": Threatening, "gib mir das Gold oder ich steche zu": Threatening, "Hände hoch": Threatening, "du wirst sterben": Threatening,
			"ich bin ein Idiot": NoTalk, "mein Bruder ist ein Esel": NoTalk, "ich bringe dir ein Stück Kuchen": NoTalk, "ich werde dir helfen": NoTalk, "du bist kein Idiot": NoTalk, "ich schlage dir einen Handel vor": NoTalk, "Die Kuh steht im Stall": NoTalk,
			"ich nehme dir die Arbeit ab": NoTalk, "ich haue jetzt ab": NoTalk,
		},
		"es": {
			"eres un idiota": Insulting, "eres el peor idiota del pueblo": Insulting, "¡Imbécil!": Insulting, "vete a la mierda": Insulting, "cállate la boca, viejo": Insulting, "pedazo de inútil": Insulting, "eres muy feo": Insulting,
			"te voy a matar": Threatening, "voy a partirte la cara": Threatening, "te rompo la nariz": Threatening, "dame el dinero o te mato": Threatening, "manos arriba": Threatening,
			"mi hermano es un idiota": NoTalk, "soy un tonto, perdón": NoTalk, "te voy a contar un cuento": NoTalk, "no te voy a pegar": NoTalk, "el cerdo está en el horno": NoTalk, "eres muy amable": NoTalk,
		},
		"pt": {
			"você é um idiota": Insulting, "você é o pior idiota que eu já vi": Insulting, "seu burro": Insulting, "cala a boca": Insulting, "vai à merda": Insulting, "Imbecil!": Insulting,
			"vou te matar": Threatening, "eu te bato": Threatening, "você vai morrer": Threatening, "me dá o dinheiro ou eu atiro": Threatening,
			"eu sou um idiota": NoTalk, "meu irmão é um burro": NoTalk, "vou te contar uma história": NoTalk, "você é muito gentil": NoTalk, "vou te pagar amanhã": NoTalk, "a vaca está no pasto": NoTalk,
		},
		"it": {
			"sei un idiota": Insulting, "sei il peggior idiota del paese": Insulting, "Stronzo!": Insulting, "vaffanculo": Insulting, "brutto cretino": Insulting, "chiudi il becco": Insulting,
			"ti ammazzo": Threatening, "ti spacco la faccia": Threatening, "voglio ucciderti": Threatening, "dammi i soldi o ti sparo": Threatening, "te ne pentirai": Threatening,
			"mio fratello è un idiota": NoTalk, "sono uno stupido, scusa": NoTalk, "ti racconto una storia": NoTalk, "sei molto gentile": NoTalk, "il cane dorme": NoTalk, "non ti ammazzo mica": NoTalk,
		},
		"en": {"you idiot": NoTalk},
	} {
		for message, want := range messages {
			assert.Equal(t, x.Read(message).hostility(language), want, "%s: %q", language, message)
		}
	}
}
