package llm

import "github.com/parley-npc/parley/personas"

// germanPlain is englishPlain in German.
var germanPlain = plainTexts{
	somebody: "Die Figur", listener: "die Person gegenüber",
	opening: []string{
		"*blickt auf und bemerkt {player}.*",
		"*sieht {player} an und wartet.*",
		"*hat {player} kommen sehen und wartet auf das erste Wort.*",
	},
	lines: personas.Lines{
		Pass: []string{
			"*nickt langsam.* Genau darum ging es: {what}.",
			"*gibt sich damit zufrieden.*",
			"„Nun gut.“",
		},
		Redirect: []string{
			"*überlegt und schüttelt den Kopf: nicht ganz.* Es geht noch immer darum: {what}.",
			"„Beinahe. Noch einmal, aber anders.“",
			"*hört sich das an, doch es reicht nicht.*",
		},
		Reject: []string{
			"*schüttelt den Kopf.* So geht das nicht.",
			"„Nein.“ *meint es ernst.*",
			"*wendet sich ab; das war die falsche Antwort.*",
		},
		KickOut: []string{
			"*hat genug und schickt {player} fort.*",
			"„Hinaus!“",
			"*zeigt zum Ausgang und sagt nichts mehr.*",
		},
		FollowUp: []string{
			"*wartet darauf, dass {player} weiterspricht.*",
			"„Noch einmal, und zwar deutlich.“",
			"*fragt, was {player} damit meint.*",
		},
		Unknown: []string{
			"*hört zu, sieht aber nicht, was das mit irgendetwas zu tun hat.*",
			"*weiß darauf nichts zu sagen.*",
			"*legt den Kopf schief und wartet auf etwas anderes.*",
		},
	},
	hint:     "(Worum es geht: {goal})",
	endsWell: "Damit nimmt es ein gutes Ende.",
	ends:     "Damit ist es vorbei.",
	now:      "Jetzt geht es darum: {what}.",
	talk:     germanTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"*erwidert den Gruß.*", "*grüßt {player} mit einem Nicken.*"},
		personas.IntentThanks:        {"*nimmt den Dank mit einem Nicken an.*", "„Keine Ursache.“"},
		personas.IntentGoodbye:       {"*sieht, wie {player} sich zum Gehen wendet.* Noch ist nichts entschieden.", "„Schon so eilig?“"},
		personas.IntentHelp:          {"(Dein Gegenüber: {who}. {about} Dein Ziel: {goal} Sag es mit eigenen Worten.)"},
		personas.IntentWhoAreYou:     {"Das ist {who}. {about}"},
		personas.IntentWhere:         {"Der Ort: {where}. {who} ist auch hier."},
		personas.IntentGoal:          {"*wartet, dass {player} zur Sache kommt.* {goal}"},
		personas.IntentMyNameIs:      {"*wird sich das merken: {player}.*", "„{player} also.“"},
		personas.IntentMyName:        {"„{player}. Wenn sich daran nichts geändert hat.“"},
		personas.IntentRepeat:        {"*sagt es noch einmal.* {last}"},
		personas.IntentBot:           {"*weiß nicht, was das sein soll.* (Hier antwortet das eingebaute Modell von Parley, mit den Worten, die für diese Figur geschrieben wurden.)"},
		personas.IntentJoke:          {"*ist nicht in der Stimmung für Scherze.*", "„Einen kenne ich, aber der ist lang.“"},
		personas.IntentNotUnderstood: {"*sagt es anders.* {goal}", "„Anders gesagt:“ {goal}"},
	},
}
