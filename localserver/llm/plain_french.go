package llm

import "github.com/parley-npc/parley/personas"

// frenchPlain is englishPlain in French.
var frenchPlain = plainTexts{
	somebody: "Le personnage", listener: "la personne en face",
	opening: []string{
		"{who} lève les yeux et remarque {player}.",
		"{who} se tourne vers {player} et attend.",
		"{who} a vu {player} arriver et attend le premier mot.",
	},
	lines: personas.Lines{
		Pass: []string{
			"{who} hoche lentement la tête. C'est bien cela qu'il fallait : {what}.",
			"{who} s'en contente.",
			"« Très bien », dit {who}.",
		},
		Redirect: []string{
			"{who} réfléchit, puis secoue la tête : pas tout à fait. Il s'agit toujours de ceci : {what}.",
			"« Presque, dit {who}. Autrement, peut-être ? »",
			"{who} écoute jusqu'au bout, mais cela ne suffit pas.",
		},
		Reject: []string{
			"{who} secoue la tête. Cela ne va pas.",
			"« Non », dit {who}, et ce n'est pas une façon de parler.",
			"{who} se détourne ; ce n'était pas la bonne réponse.",
		},
		KickOut: []string{
			"{who} en a assez et met {player} à la porte.",
			"« Dehors ! » dit {who}.",
			"{who} montre la sortie et n'ajoute rien.",
		},
		FollowUp: []string{
			"{who} attend la suite : c'est à {player} de poursuivre.",
			"« Encore une fois, et clairement », dit {who}.",
			"{who} demande à {player} ce que cela veut dire.",
		},
		Unknown: []string{
			"{who} écoute, mais ne voit pas le rapport.",
			"{who} n'a rien à répondre à cela.",
			"{who} penche la tête et attend autre chose.",
		},
	},
	hint:     "(De quoi il s'agit : {goal})",
	endsWell: "Et cela finit bien.",
	ends:     "Et c'est fini.",
	now:      "Il s'agit maintenant de ceci : {what}.",
	talk:     frenchTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"{who} rend le salut.", "{who} salue {player} de la tête."},
		personas.IntentThanks:        {"{who} accepte le remerciement d'un signe de tête.", "« De rien », dit {who}."},
		personas.IntentGoodbye:       {"{who} regarde {player} s'apprêter à partir. Rien n'est encore réglé.", "« Déjà ? » demande {who}."},
		personas.IntentHelp:          {"(Vous parlez avec {who}. {about} Votre but : {goal} Dites-le avec vos propres mots.)"},
		personas.IntentWhoAreYou:     {"Voici {who}. {about}"},
		personas.IntentWhere:         {"Le lieu : {where}. {who} est là aussi."},
		personas.IntentGoal:          {"{who} laisse à {player} le temps d'en venir au fait. {goal}"},
		personas.IntentMyNameIs:      {"{who} s'en souviendra : {player}.", "« {player}, donc », dit {who}."},
		personas.IntentMyName:        {"« {player}, dit {who}. À moins que cela n'ait changé. »"},
		personas.IntentRepeat:        {"{who} le redit. {last}"},
		personas.IntentBot:           {"{who} ne sait pas ce que c'est. (Vous parlez avec le modèle intégré de Parley : il répond avec les mots qui ont été écrits pour ce personnage.)"},
		personas.IntentJoke:          {"{who} n'a pas le cœur à plaisanter.", "« J'en connais une, dit {who}, mais elle est longue. »"},
		personas.IntentNotUnderstood: {"{who} le dit autrement. {goal}", "« Autrement dit », commence {who}. {goal}"},
	},
}
