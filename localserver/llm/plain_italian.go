package llm

import "github.com/parley-npc/parley/personas"

// italianPlain is englishPlain in Italian.
var italianPlain = plainTexts{
	somebody: "Il personaggio", listener: "la persona di fronte",
	opening: []string{
		"({name} alza lo sguardo e nota {player}.)",
		"({name} si volta verso {player} e aspetta.)",
		"({name} ha visto arrivare {player} e aspetta la prima parola.)",
	},
	lines: personas.Lines{
		Pass: []string{
			"({name} annuisce lentamente. Era proprio questo il punto: {what}.)",
			"({name} se ne accontenta.)",
			"Va bene.",
		},
		Redirect: []string{
			"({name} ci pensa e scuote la testa: non proprio. Si tratta ancora di questo: {what}.)",
			"Quasi. Magari in un altro modo.",
			"({name} ascolta fino in fondo, ma non basta.)",
		},
		Reject: []string{
			"({name} scuote la testa. Così non va.)",
			"No. ({name} fa sul serio.)",
			"({name} distoglie lo sguardo: era la risposta sbagliata.)",
		},
		KickOut: []string{
			"({name} ne ha abbastanza e manda via {player}.)",
			"Fuori.",
			"({name} indica l'uscita e non aggiunge altro.)",
		},
		FollowUp: []string{
			"({name} aspetta che {player} continui.)",
			"Ancora una volta, e con chiarezza.",
			"({name} chiede che cosa intenda {player}.)",
		},
		Unknown: []string{
			"({name} ascolta, ma non vede che cosa c'entri.)",
			"({name} non ha niente da dire al riguardo.)",
			"({name} inclina la testa e aspetta qualcos'altro.)",
		},
	},
	hint:     "(Resta da fare: {goal})",
	endsWell: "(E così finisce bene.)",
	ends:     "(E così finisce.)",
	now:      "(Ora si tratta di questo: {what}.)",
	talk:     italianTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"({name} ricambia il saluto.)", "({name} saluta {player} con un cenno del capo.)"},
		personas.IntentThanks:        {"({name} accetta il ringraziamento con un cenno.)", "Di niente."},
		personas.IntentGoodbye:       {"({name} vede che {player} sta per andarsene. Non c'è ancora niente di deciso.)", "Di già?"},
		personas.IntentHelp:          {"(Stai parlando con {who}. {about} Il tuo obiettivo: {goal} Dillo con parole tue.)", "(Che cosa serve qui: {goal} Meglio con parole tue.)"},
		personas.IntentWhoAreYou:     {"(Ecco {who}. {about})"},
		personas.IntentWhere:         {"(Il luogo: {where}. C'è anche {who}.)"},
		personas.IntentGoal:          {"({name} aspetta che {player} venga al punto. {goal})", "(Che cosa aspetta {name}: {goal})"},
		personas.IntentMyNameIs:      {"({name} se ne ricorderà: {player}.)", "{player}, dunque."},
		personas.IntentMyName:        {"{player}. A meno che non sia cambiato."},
		personas.IntentRepeat:        {"({name} lo ripete.) {last}"},
		personas.IntentBot:           {"({name} non sa che cosa sia. Stai parlando con il modello integrato di Parley: risponde con le parole scritte per questo personaggio.)"},
		personas.IntentJoke:          {"({name} non ha voglia di scherzare.)", "Ne so una, ma è lunga."},
		personas.IntentNotUnderstood: {"({name} lo dice in un altro modo. {goal})", "(In altre parole: {goal})"},
	},
}
