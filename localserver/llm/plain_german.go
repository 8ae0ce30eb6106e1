package llm

import "github.com/parley-npc/parley/personas"

// germanPlain is englishPlain in German.
var germanPlain = plainTexts{
	somebody: "Die Figur", listener: "die Person gegenüber",
	opening: []string{
		"({name} blickt auf und bemerkt {player}.)",
		"({name} sieht {player} an und wartet.)",
		"({name} hat {player} kommen sehen und wartet auf das erste Wort.)",
	},
	lines: personas.Lines{
		Pass: []string{
			"({name} nickt langsam. Genau darum ging es: {what}.)",
			"({name} gibt sich damit zufrieden.)",
			"Nun gut.",
		},
		Redirect: []string{
			"({name} überlegt und schüttelt den Kopf: nicht ganz. Es geht noch immer darum: {what}.)",
			"Beinahe. Noch einmal, aber anders.",
			"({name} hört sich das an, doch es reicht nicht.)",
		},
		Reject: []string{
			"({name} schüttelt den Kopf. So geht das nicht.)",
			"Nein. ({name} meint es ernst.)",
			"({name} wendet sich ab; das war die falsche Antwort.)",
		},
		KickOut: []string{
			"({name} hat genug und schickt {player} fort.)",
			"Hinaus!",
			"({name} zeigt zum Ausgang und sagt nichts mehr.)",
		},
		FollowUp: []string{
			"({name} wartet darauf, dass {player} weiterspricht.)",
			"Noch einmal, und zwar deutlich.",
			"({name} fragt, was {player} damit meint.)",
		},
		Unknown: []string{
			"({name} hört zu, sieht aber nicht, was das mit irgendetwas zu tun hat.)",
			"({name} weiß darauf nichts zu sagen.)",
			"({name} legt den Kopf schief und wartet auf etwas anderes.)",
		},
	},
	hint:     "(Noch zu tun: {goal})",
	endsWell: "(Damit nimmt es ein gutes Ende.)",
	ends:     "(Damit ist es vorbei.)",
	now:      "(Jetzt geht es darum: {what}.)",
	talk:     germanTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"({name} erwidert den Gruß.)", "({name} grüßt {player} mit einem Nicken.)"},
		personas.IntentThanks:        {"({name} nimmt den Dank mit einem Nicken an.)", "Keine Ursache."},
		personas.IntentGoodbye:       {"({name} sieht, wie {player} sich zum Gehen wendet. Noch ist nichts entschieden.)", "Schon so eilig?"},
		personas.IntentHelp:          {"(Dein Gegenüber: {who}. {about} Dein Ziel: {goal} Sag es mit eigenen Worten.)", "(Worum es hier geht: {goal} Am besten in deinen eigenen Worten.)"},
		personas.IntentWhoAreYou:     {"(Das ist {who}. {about})"},
		personas.IntentWhere:         {"(Der Ort: {where}. {who} ist auch hier.)"},
		personas.IntentGoal:          {"({name} wartet, dass {player} zur Sache kommt. {goal})", "(Worauf {name} wartet: {goal})"},
		personas.IntentMyNameIs:      {"({name} wird sich das merken: {player}.)", "{player} also."},
		personas.IntentMyName:        {"{player}. Wenn sich daran nichts geändert hat."},
		personas.IntentRepeat:        {"({name} sagt es noch einmal.) {last}"},
		personas.IntentBot:           {"({name} weiß nicht, was das sein soll. Hier antwortet das eingebaute Modell von Parley, mit den Worten, die für diese Figur geschrieben wurden.)"},
		personas.IntentJoke:          {"({name} ist nicht in der Stimmung für Scherze.)", "Einen kenne ich, aber der ist lang."},
		personas.IntentNotUnderstood: {"({name} sagt es anders. {goal})", "(Anders gesagt: {goal})"},
	},
}
