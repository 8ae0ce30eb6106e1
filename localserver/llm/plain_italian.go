package llm

import "github.com/parley-npc/parley/personas"

// italianPlain is englishPlain in Italian.
var italianPlain = plainTexts{
	somebody: "Il personaggio", listener: "la persona di fronte",
	opening: []string{
		"*alza lo sguardo e nota {player}.*",
		"*si volta verso {player} e aspetta.*",
		"*ha visto arrivare {player} e aspetta la prima parola.*",
	},
	lines: personas.Lines{
		Pass: []string{
			"*annuisce lentamente.* Era proprio questo il punto: {what}.",
			"*se ne accontenta.*",
			"«Va bene.»",
		},
		Redirect: []string{
			"*ci pensa e scuote la testa: non proprio.* Si tratta ancora di questo: {what}.",
			"«Quasi. Magari in un altro modo.»",
			"*ascolta fino in fondo, ma non basta.*",
		},
		Reject: []string{
			"*scuote la testa.* Così non va.",
			"«No.» *fa sul serio.*",
			"*distoglie lo sguardo: era la risposta sbagliata.*",
		},
		KickOut: []string{
			"*ne ha abbastanza e manda via {player}.*",
			"«Fuori.»",
			"*indica l'uscita e non aggiunge altro.*",
		},
		FollowUp: []string{
			"*aspetta che {player} continui.*",
			"«Ancora una volta, e con chiarezza.»",
			"*chiede che cosa intenda {player}.*",
		},
		Unknown: []string{
			"*ascolta, ma non vede che cosa c'entri.*",
			"*non ha niente da dire al riguardo.*",
			"*inclina la testa e aspetta qualcos'altro.*",
		},
	},
	hint:     "(Di che cosa si tratta: {goal})",
	endsWell: "E così finisce bene.",
	ends:     "E così finisce.",
	now:      "Ora si tratta di questo: {what}.",
	talk:     italianTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"*ricambia il saluto.*", "*saluta {player} con un cenno del capo.*"},
		personas.IntentThanks:        {"*accetta il ringraziamento con un cenno.*", "«Di niente.»"},
		personas.IntentGoodbye:       {"*vede che {player} sta per andarsene.* Non c'è ancora niente di deciso.", "«Di già?»"},
		personas.IntentHelp:          {"(Stai parlando con {who}. {about} Il tuo obiettivo: {goal} Dillo con parole tue.)"},
		personas.IntentWhoAreYou:     {"Ecco {who}. {about}"},
		personas.IntentWhere:         {"Il luogo: {where}. C'è anche {who}."},
		personas.IntentGoal:          {"*aspetta che {player} venga al punto.* {goal}"},
		personas.IntentMyNameIs:      {"*se ne ricorderà: {player}.*", "«{player}, dunque.»"},
		personas.IntentMyName:        {"«{player}. A meno che non sia cambiato.»"},
		personas.IntentRepeat:        {"*lo ripete.* {last}"},
		personas.IntentBot:           {"*non sa che cosa sia.* (Stai parlando con il modello integrato di Parley: risponde con le parole scritte per questo personaggio.)"},
		personas.IntentJoke:          {"*non ha voglia di scherzare.*", "«Ne so una, ma è lunga.»"},
		personas.IntentNotUnderstood: {"*lo dice in un altro modo.* {goal}", "«In altre parole:» {goal}"},
	},
}
