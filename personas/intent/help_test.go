package intent

import (
	"slices"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
)

// asking are, by language, ways to ask for help with courtesies and without.
var asking = map[string][]string{
	"en": {"Could you give me a clue please", "Hint?", "a hint please", "Can I get a small hint, please?", "I'm stuck", "I am a bit stuck here, sorry. Any hints?", "what now?", "ok, what now", "any idea what to say?",
		"I have no idea what to do", "Would you mind giving me a hint?", "Please help me out here", "Do you have any advice for me?", "I don't know what to say", "sorry, I don't understand what I should do", "what else can I try?",
		"Hello, could I please have another hint? Thank you!", "got any tips?", "I'm out of ideas, can you help me?", "give us a clue", "I could use some help here", "hm, no clue what to do now"},
	"de": {"Könntest du mir bitte einen Tipp geben?", "Tipp?", "Einen kleinen Hinweis bitte", "Ich komme nicht weiter", "Entschuldigung, ich komme hier gerade nicht weiter. Hilfe!", "Was nun?", "Und jetzt?", "Ich habe keine Ahnung, was ich sagen soll",
		"Ich weiß nicht, was ich tun soll", "Hätten Sie vielleicht einen Hinweis für mich?", "Kannst du mir bitte weiterhelfen?", "Irgendeine Idee?", "Was kann ich noch sagen?"},
	"fr": {"Pourriez-vous me donner un indice s'il vous plaît ?", "Un indice ?", "Je suis bloqué", "Pardon, je suis un peu coincée. Un petit conseil ?", "Et maintenant ?", "Je ne sais pas quoi dire", "Tu peux m'aider s'il te plaît ?",
		"Vous auriez une idée ?", "Je n'ai aucune idée de quoi dire", "J'ai besoin d'aide, merci", "Que dois-je faire maintenant ?"},
	"es": {"¿Me podrías dar una pista, por favor?", "¿Alguna pista?", "Estoy atascado", "Perdón, no sé qué decir. ¿Me ayudas con una pista?", "¿Y ahora qué?", "No tengo ni idea de qué decir", "Necesito ayuda, por favor", "¿Tienes algún consejo?", "¿Qué puedo hacer ahora?"},
	"pt": {"Você poderia me dar uma dica, por favor?", "Alguma dica?", "Estou travado", "Desculpe, não sei o que dizer. Pode me ajudar?", "E agora?", "Não faço ideia do que dizer", "Preciso de ajuda, por favor", "Tem alguma ideia?", "O que posso fazer agora?"},
	"it": {"Mi potresti dare un indizio, per favore?", "Qualche suggerimento?", "Sono bloccato", "Scusa, non so cosa dire. Mi puoi aiutare?", "E adesso?", "Non ho idea di cosa dire", "Ho bisogno di aiuto, per favore", "Hai un consiglio?", "Cosa posso fare adesso?"},
}

// onTheMatter asks for no help, though it has a word of it.
var onTheMatter = map[string][]string{
	"en": {"Help me carry this cheese", "I can help you with the rolls", "Here is a tip for you", "I have an idea: we share the room", "Keep the tip", "I'm stuck in the rain and need a room", "Lost", "I have a clue about the theft", "Give me a room", "what now shines is the sun",
		"Could you help the old lady over the bridge?", "I know what to do", "Have some fish", "No idea", "I have no idea", "I don't know"},
	"de": {"Hilf mir beim Tragen", "Ich habe eine Idee für das Brot", "Was ist das für ein Tor?"},
	"fr": {"Aidez la dame", "J'ai une idée de cadeau", "Un café"},
	"es": {"Ayuda a la señora", "Tengo una idea"}, "pt": {"Ajude a senhora", "Tenho uma ideia"}, "it": {"Aiuta la signora", "Ho un'idea"},
}

// Who asks for help is heard in each language, in a sentence and with courtesies; what only has a
// word of it is not taken for that.
func TestAskingForHelpIsHeard(t *testing.T) {
	r := NewReader()
	for language, messages := range asking {
		for _, message := range messages {
			if !r.bankOf(language).asksForHelp(message) {
				t.Errorf("%s: %q is not heard (%q)", language, message, r.bankOf(language).dropPolite(message))
			}
		}
		for _, message := range onTheMatter[language] {
			if r.bankOf(language).asksForHelp(message) {
				t.Errorf("%s: %q is taken for a request for help", language, message)
			}
		}
	}
}

// foreseen are the answers of which an author of a sample has said what they mean.
var foreseen = []string{"papers: I have no idea what to do", "corridor: I don't know what to say"}

// In each state of the samples a request for help is answered as one, costs nothing and moves
// nothing, unless the author has foreseen it.
func TestAskingForHelpIsFree(t *testing.T) {
	r := NewReader()
	for _, name := range []string{"starter", "gate", "merchant", "baker", "hotel", "cafe"} {
		source, err := examples.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		p, _, faults := personas.Parse(name+".yaml", source)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		for i := range p.Machines {
			m := &p.Machines[i]
			for k := range m.States {
				if m.States[k].IsTerminal {
					continue
				}
				at := Place{Persona: &p, Machine: m, State: &m.States[k], Outgoing: outgoingOf(m, m.States[k].Key), FollowUpAllowed: true}
				for _, message := range asking[Language(&p, m)] {
					got := r.Decide(at, message)
					if slices.Contains(foreseen, m.States[k].Key+": "+message) {
						continue
					}
					if r.prepare(&at).helpChoice() >= 0 { // The character asks back, which costs nothing either.
						if got.Decision != personas.FollowUpName && got.Decision != personas.AsideName {
							t.Errorf("%s, %s: %q is %s (%s)", name, m.States[k].Key, message, got.Decision, got.Why)
						}
						continue
					}
					if got.Decision != personas.AsideName || !slices.Contains([]personas.Intent{personas.IntentHelp, personas.IntentGoal}, got.Intent) && got.Answer == nil {
						t.Errorf("%s, %s: %q is %s %s (%s)", name, m.States[k].Key, message, got.Decision, got.Intent, got.Why)
					}
				}
			}
		}
	}
}
