package llm

import "github.com/parley-npc/parley/personas"

// germanPlain is englishPlain in German.
var germanPlain = plainTexts{
	somebody: "Die Figur", listener: "die Person gegenüber",
	opening: []string{
		"{who} blickt auf und bemerkt {player}.",
		"{who} sieht {player} an und wartet.",
		"{who} hat {player} kommen sehen und wartet auf das erste Wort.",
	},
	lines: personas.Lines{
		Pass: []string{
			"{who} nickt langsam. Genau darum ging es: {what}.",
			"{who} gibt sich damit zufrieden.",
			"„Nun gut“, sagt {who}.",
		},
		Redirect: []string{
			"{who} überlegt und schüttelt den Kopf: nicht ganz. Es geht noch immer darum: {what}.",
			"„Beinahe“, sagt {who}. „Noch einmal, aber anders.“",
			"{who} hört sich das an, doch es reicht nicht.",
		},
		Reject: []string{
			"{who} schüttelt den Kopf. So geht das nicht.",
			"„Nein“, sagt {who}, und das ist ernst gemeint.",
			"{who} wendet sich ab; das war die falsche Antwort.",
		},
		KickOut: []string{
			"{who} hat genug und schickt {player} fort.",
			"„Hinaus!“, sagt {who}.",
			"{who} zeigt zum Ausgang und sagt nichts mehr.",
		},
		FollowUp: []string{
			"{who} wartet darauf, dass {player} weiterspricht.",
			"„Noch einmal, und zwar deutlich“, sagt {who}.",
			"{who} fragt, was {player} damit meint.",
		},
		Unknown: []string{
			"{who} hört zu, sieht aber nicht, was das mit irgendetwas zu tun hat.",
			"{who} weiß darauf nichts zu sagen.",
			"{who} legt den Kopf schief und wartet auf etwas anderes.",
		},
	},
	hint:     "(Worum es geht: {goal})",
	endsWell: "Damit nimmt es ein gutes Ende.",
	ends:     "Damit ist es vorbei.",
	now:      "Jetzt geht es darum: {what}.",
	talk:     germanTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"{who} erwidert den Gruß.", "{who} grüßt {player} mit einem Nicken."},
		personas.IntentThanks:        {"{who} nimmt den Dank mit einem Nicken an.", "„Keine Ursache“, sagt {who}."},
		personas.IntentGoodbye:       {"{who} sieht, wie {player} sich zum Gehen wendet. Noch ist nichts entschieden.", "„Schon so eilig?“, fragt {who}."},
		personas.IntentHelp:          {"(Dein Gegenüber: {who}. {about} Dein Ziel: {goal} Sag es mit eigenen Worten.)"},
		personas.IntentWhoAreYou:     {"Das ist {who}. {about}"},
		personas.IntentWhere:         {"Der Ort: {where}. {who} ist auch hier."},
		personas.IntentGoal:          {"{who} wartet, dass {player} zur Sache kommt. {goal}"},
		personas.IntentMyNameIs:      {"{who} wird sich das merken: {player}.", "„{player} also“, sagt {who}."},
		personas.IntentMyName:        {"„{player}“, sagt {who}. „Wenn sich daran nichts geändert hat.“"},
		personas.IntentRepeat:        {"{who} sagt es noch einmal. {last}"},
		personas.IntentBot:           {"{who} weiß nicht, was das sein soll. (Hier antwortet das eingebaute Modell von Parley, mit den Worten, die für diese Figur geschrieben wurden.)"},
		personas.IntentJoke:          {"{who} ist nicht in der Stimmung für Scherze.", "„Einen kenne ich“, sagt {who}, „aber der ist lang.“"},
		personas.IntentNotUnderstood: {"{who} sagt es anders. {goal}", "„Anders gesagt“, beginnt {who}. {goal}"},
	},
}
