package llm

import "github.com/parley-npc/parley/personas"

// italianPlain is englishPlain in Italian.
var italianPlain = plainTexts{
	somebody: "Il personaggio", listener: "la persona di fronte",
	opening: []string{
		"{who} alza lo sguardo e nota {player}.",
		"{who} si volta verso {player} e aspetta.",
		"{who} ha visto arrivare {player} e aspetta la prima parola.",
	},
	lines: personas.Lines{
		Pass: []string{
			"{who} annuisce lentamente. Era proprio questo il punto: {what}.",
			"{who} se ne accontenta.",
			"«Va bene», dice {who}.",
		},
		Redirect: []string{
			"{who} ci pensa e scuote la testa: non proprio. Si tratta ancora di questo: {what}.",
			"«Quasi», dice {who}. «Magari in un altro modo».",
			"{who} ascolta fino in fondo, ma non basta.",
		},
		Reject: []string{
			"{who} scuote la testa. Così non va.",
			"«No», dice {who}, e fa sul serio.",
			"{who} distoglie lo sguardo: era la risposta sbagliata.",
		},
		KickOut: []string{
			"{who} ne ha abbastanza e manda via {player}.",
			"«Fuori», dice {who}.",
			"{who} indica l'uscita e non aggiunge altro.",
		},
		FollowUp: []string{
			"{who} aspetta che {player} continui.",
			"«Ancora una volta, e con chiarezza», dice {who}.",
			"{who} chiede che cosa intenda {player}.",
		},
		Unknown: []string{
			"{who} ascolta, ma non vede che cosa c'entri.",
			"{who} non ha niente da dire al riguardo.",
			"{who} inclina la testa e aspetta qualcos'altro.",
		},
	},
	hint:     "(Di che cosa si tratta: {goal})",
	endsWell: "E così finisce bene.",
	ends:     "E così finisce.",
	now:      "Ora si tratta di questo: {what}.",
	talk:     italianTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"{who} ricambia il saluto.", "{who} saluta {player} con un cenno del capo."},
		personas.IntentThanks:        {"{who} accetta il ringraziamento con un cenno.", "«Di niente», dice {who}."},
		personas.IntentGoodbye:       {"{who} vede che {player} sta per andarsene. Non c'è ancora niente di deciso.", "«Di già?» chiede {who}."},
		personas.IntentHelp:          {"(Stai parlando con {who}. {about} Il tuo obiettivo: {goal} Dillo con parole tue.)"},
		personas.IntentWhoAreYou:     {"Ecco {who}. {about}"},
		personas.IntentWhere:         {"Il luogo: {where}. C'è anche {who}."},
		personas.IntentGoal:          {"{who} aspetta che {player} venga al punto. {goal}"},
		personas.IntentMyNameIs:      {"{who} se ne ricorderà: {player}.", "«{player}, dunque», dice {who}."},
		personas.IntentMyName:        {"«{player}», dice {who}. «A meno che non sia cambiato»."},
		personas.IntentRepeat:        {"{who} lo ripete. {last}"},
		personas.IntentBot:           {"{who} non sa che cosa sia. (Stai parlando con il modello integrato di Parley: risponde con le parole scritte per questo personaggio.)"},
		personas.IntentJoke:          {"{who} non ha voglia di scherzare.", "«Ne so una», dice {who}, «ma è lunga»."},
		personas.IntentNotUnderstood: {"{who} lo dice in un altro modo. {goal}", "«In altre parole», comincia {who}. {goal}"},
	},
}
