package llm

import "github.com/parley-npc/parley/personas"

// portuguesePlain is englishPlain in Portuguese.
var portuguesePlain = plainTexts{
	somebody: "A personagem", listener: "você",
	opening: []string{
		"({name} ergue os olhos e repara em {player}.)",
		"({name} se volta para {player} e espera.)",
		"({name} viu {player} chegar e espera a primeira palavra.)",
	},
	lines: personas.Lines{
		Pass: []string{
			"({name} faz que sim, devagar. Era disso que se tratava: {what}.)",
			"({name} se dá por contente com isso.)",
			"Muito bem.",
		},
		Redirect: []string{
			"({name} pensa um pouco e faz que não com a cabeça: ainda não é isso. A questão continua a mesma: {what}.)",
			"Quase. Talvez de outro jeito.",
			"({name} escuta até o fim, mas não é o bastante.)",
		},
		Reject: []string{
			"({name} faz que não com a cabeça. Assim não dá.)",
			"Não. ({name} está falando sério.)",
			"({name} dá as costas; essa foi a resposta errada.)",
		},
		KickOut: []string{
			"({name} perde a paciência e manda {player} embora.)",
			"Fora.",
			"({name} aponta a saída e não diz mais nada.)",
		},
		FollowUp: []string{
			"({name} espera que {player} continue.)",
			"Mais uma vez, e com clareza.",
			"({name} pergunta o que {player} quer dizer com isso.)",
		},
		Unknown: []string{
			"({name} escuta, mas não vê o que isso tem a ver com a conversa.)",
			"({name} não tem nada a dizer sobre isso.)",
			"({name} inclina a cabeça e espera outra coisa.)",
		},
	},
	hint:     "(Ainda por fazer: {goal})",
	endsWell: "(E assim tudo acaba bem.)",
	ends:     "(E assim acaba.)",
	now:      "(Agora se trata disto: {what}.)",
	talk:     portugueseTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"({name} retribui o cumprimento.)", "({name} cumprimenta {player} com a cabeça.)"},
		personas.IntentThanks:        {"({name} aceita o agradecimento com um aceno de cabeça.)", "Não há de quê."},
		personas.IntentGoodbye:       {"({name} vê {player} se virar para ir embora. Nada está resolvido ainda.)", "Já?"},
		personas.IntentHelp:          {"(Você está falando com {who}. {about} Seu objetivo: {goal} Diga com as suas próprias palavras.)", "(O que se pede aqui: {goal} De preferência com as suas próprias palavras.)"},
		personas.IntentWhoAreYou:     {"(Quem está aqui é {who}. {about})"},
		personas.IntentWhere:         {"(O lugar: {where}. {who} também está aqui.)"},
		personas.IntentGoal:          {"({name} espera que {player} vá direto ao ponto. {goal})", "(O que {name} espera: {goal})"},
		personas.IntentMyNameIs:      {"({name} vai se lembrar disso: {player}.)", "{player}, então."},
		personas.IntentMyName:        {"{player}. A não ser que isso tenha mudado."},
		personas.IntentRepeat:        {"({name} diz de novo.) {last}"},
		personas.IntentBot:           {"({name} não sabe o que é isso. Você está falando com o modelo embutido do Parley: ele responde com as palavras que foram escritas para a personagem.)"},
		personas.IntentJoke:          {"({name} não está para brincadeiras.)", "Eu sei uma, mas é comprida."},
		personas.IntentNotUnderstood: {"({name} diz de outra forma. {goal})", "(Por outras palavras: {goal})"},
	},
}
