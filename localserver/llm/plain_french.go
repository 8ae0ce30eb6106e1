package llm

import "github.com/parley-npc/parley/personas"

// frenchPlain is englishPlain in French.
var frenchPlain = plainTexts{
	somebody: "Le personnage", listener: "la personne en face",
	opening: []string{
		"({name} lève les yeux et remarque {player}.)",
		"({name} se tourne vers {player} et attend.)",
		"({name} a vu {player} arriver et attend le premier mot.)",
	},
	lines: personas.Lines{
		Pass: []string{
			"({name} hoche lentement la tête. C'est bien cela qu'il fallait : {what}.)",
			"({name} s'en contente.)",
			"Très bien.",
		},
		Redirect: []string{
			"({name} réfléchit, puis secoue la tête : pas tout à fait. Il s'agit toujours de ceci : {what}.)",
			"Presque. Autrement, peut-être ?",
			"({name} écoute jusqu'au bout, mais cela ne suffit pas.)",
		},
		Reject: []string{
			"({name} secoue la tête. Cela ne va pas.)",
			"Non. ({name} ne plaisante pas.)",
			"({name} se détourne ; ce n'était pas la bonne réponse.)",
		},
		KickOut: []string{
			"({name} en a assez et met {player} à la porte.)",
			"Dehors !",
			"({name} montre la sortie et n'ajoute rien.)",
		},
		FollowUp: []string{
			"({name} attend la suite : c'est à {player} de poursuivre.)",
			"Encore une fois, et clairement.",
			"({name} demande à {player} ce que cela veut dire.)",
		},
		Unknown: []string{
			"({name} écoute, mais ne voit pas le rapport.)",
			"({name} n'a rien à répondre à cela.)",
			"({name} penche la tête et attend autre chose.)",
		},
	},
	hint:     "(Reste à faire : {goal})",
	endsWell: "(Et cela finit bien.)",
	ends:     "(Et c'est fini.)",
	now:      "(Il s'agit maintenant de ceci : {what}.)",
	talk:     frenchTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"({name} rend le salut.)", "({name} salue {player} de la tête.)"},
		personas.IntentThanks:        {"({name} accepte le remerciement d'un signe de tête.)", "De rien."},
		personas.IntentGoodbye:       {"({name} regarde {player} s'apprêter à partir. Rien n'est encore réglé.)", "Déjà ?"},
		personas.IntentHelp:          {"(Vous parlez avec {who}. {about} Votre but : {goal} Dites-le avec vos propres mots.)", "(Ce qui est demandé ici : {goal} Le mieux, c'est avec vos propres mots.)"},
		personas.IntentWhoAreYou:     {"(Voici {who}. {about})"},
		personas.IntentWhere:         {"(Le lieu : {where}. {who} est là aussi.)"},
		personas.IntentGoal:          {"({name} laisse à {player} le temps d'en venir au fait. {goal})", "(Ce que {name} attend : {goal})"},
		personas.IntentMyNameIs:      {"({name} s'en souviendra : {player}.)", "{player}, donc."},
		personas.IntentMyName:        {"{player}. À moins que cela n'ait changé."},
		personas.IntentRepeat:        {"({name} le redit.) {last}"},
		personas.IntentBot:           {"({name} ne sait pas ce que c'est. Vous parlez avec le modèle intégré de Parley : il répond avec les mots qui ont été écrits pour ce personnage.)"},
		personas.IntentJoke:          {"({name} n'a pas le cœur à plaisanter.)", "J'en connais une, mais elle est longue."},
		personas.IntentNotUnderstood: {"({name} le dit autrement. {goal})", "(Autrement dit : {goal})"},
	},
}
