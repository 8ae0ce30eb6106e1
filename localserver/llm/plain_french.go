package llm

import "github.com/parley-npc/parley/personas"

// frenchPlain is englishPlain in French.
var frenchPlain = plainTexts{
	somebody: "Le personnage", listener: "la personne en face",
	opening: []string{
		"*lève les yeux et remarque {player}.*",
		"*se tourne vers {player} et attend.*",
		"*a vu {player} arriver et attend le premier mot.*",
	},
	lines: personas.Lines{
		Pass: []string{
			"*hoche lentement la tête.* C'est bien cela qu'il fallait : {what}.",
			"*s'en contente.*",
			"« Très bien. »",
		},
		Redirect: []string{
			"*réfléchit, puis secoue la tête : pas tout à fait.* Il s'agit toujours de ceci : {what}.",
			"« Presque. Autrement, peut-être ? »",
			"*écoute jusqu'au bout, mais cela ne suffit pas.*",
		},
		Reject: []string{
			"*secoue la tête.* Cela ne va pas.",
			"« Non. » *ne plaisante pas.*",
			"*se détourne ; ce n'était pas la bonne réponse.*",
		},
		KickOut: []string{
			"*en a assez et met {player} à la porte.*",
			"« Dehors ! »",
			"*montre la sortie et n'ajoute rien.*",
		},
		FollowUp: []string{
			"*attend la suite : c'est à {player} de poursuivre.*",
			"« Encore une fois, et clairement. »",
			"*demande à {player} ce que cela veut dire.*",
		},
		Unknown: []string{
			"*écoute, mais ne voit pas le rapport.*",
			"*n'a rien à répondre à cela.*",
			"*penche la tête et attend autre chose.*",
		},
	},
	hint:     "(De quoi il s'agit : {goal})",
	endsWell: "Et cela finit bien.",
	ends:     "Et c'est fini.",
	now:      "Il s'agit maintenant de ceci : {what}.",
	talk:     frenchTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"*rend le salut.*", "*salue {player} de la tête.*"},
		personas.IntentThanks:        {"*accepte le remerciement d'un signe de tête.*", "« De rien. »"},
		personas.IntentGoodbye:       {"*regarde {player} s'apprêter à partir.* Rien n'est encore réglé.", "« Déjà ? »"},
		personas.IntentHelp:          {"(Vous parlez avec {who}. {about} Votre but : {goal} Dites-le avec vos propres mots.)"},
		personas.IntentWhoAreYou:     {"Voici {who}. {about}"},
		personas.IntentWhere:         {"Le lieu : {where}. {who} est là aussi."},
		personas.IntentGoal:          {"*laisse à {player} le temps d'en venir au fait.* {goal}"},
		personas.IntentMyNameIs:      {"*s'en souviendra : {player}.*", "« {player}, donc. »"},
		personas.IntentMyName:        {"« {player}. À moins que cela n'ait changé. »"},
		personas.IntentRepeat:        {"*le redit.* {last}"},
		personas.IntentBot:           {"*ne sait pas ce que c'est.* (Vous parlez avec le modèle intégré de Parley : il répond avec les mots qui ont été écrits pour ce personnage.)"},
		personas.IntentJoke:          {"*n'a pas le cœur à plaisanter.*", "« J'en connais une, mais elle est longue. »"},
		personas.IntentNotUnderstood: {"*le dit autrement.* {goal}", "« Autrement dit : » {goal}"},
	},
}
