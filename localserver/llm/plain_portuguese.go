package llm

import "github.com/parley-npc/parley/personas"

// portuguesePlain is englishPlain in Portuguese.
var portuguesePlain = plainTexts{
	somebody: "A personagem", listener: "você",
	opening: []string{
		"{who} ergue os olhos e repara em {player}.",
		"{who} se volta para {player} e espera.",
		"{who} viu {player} chegar e espera a primeira palavra.",
	},
	lines: personas.Lines{
		Pass: []string{
			"{who} faz que sim, devagar. Era disso que se tratava: {what}.",
			"{who} se dá por contente com isso.",
			"“Muito bem”, diz {who}.",
		},
		Redirect: []string{
			"{who} pensa um pouco e faz que não com a cabeça: ainda não é isso. A questão continua a mesma: {what}.",
			"“Quase”, diz {who}. “Talvez de outro jeito.”",
			"{who} escuta até o fim, mas não é o bastante.",
		},
		Reject: []string{
			"{who} faz que não com a cabeça. Assim não dá.",
			"“Não”, diz {who}, e está falando sério.",
			"{who} dá as costas; essa foi a resposta errada.",
		},
		KickOut: []string{
			"{who} perde a paciência e manda {player} embora.",
			"“Fora”, diz {who}.",
			"{who} aponta a saída e não diz mais nada.",
		},
		FollowUp: []string{
			"{who} espera que {player} continue.",
			"“Mais uma vez, e com clareza”, diz {who}.",
			"{who} pergunta o que {player} quer dizer com isso.",
		},
		Unknown: []string{
			"{who} escuta, mas não vê o que isso tem a ver com a conversa.",
			"{who} não tem nada a dizer sobre isso.",
			"{who} inclina a cabeça e espera outra coisa.",
		},
	},
	hint:     "(Do que se trata: {goal})",
	endsWell: "E assim tudo acaba bem.",
	ends:     "E assim acaba.",
	now:      "Agora se trata disto: {what}.",
	talk:     portugueseTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"{who} retribui o cumprimento.", "{who} cumprimenta {player} com a cabeça."},
		personas.IntentThanks:        {"{who} aceita o agradecimento com um aceno de cabeça.", "“Não há de quê”, diz {who}."},
		personas.IntentGoodbye:       {"{who} vê {player} se virar para ir embora. Nada está resolvido ainda.", "“Já?”, pergunta {who}."},
		personas.IntentHelp:          {"(Você está falando com {who}. {about} Seu objetivo: {goal} Diga com as suas próprias palavras.)"},
		personas.IntentWhoAreYou:     {"Quem está aqui é {who}. {about}"},
		personas.IntentWhere:         {"O lugar: {where}. {who} também está aqui."},
		personas.IntentGoal:          {"{who} espera que {player} vá direto ao ponto. {goal}"},
		personas.IntentMyNameIs:      {"{who} vai se lembrar disso: {player}.", "“{player}, então”, diz {who}."},
		personas.IntentMyName:        {"“{player}”, diz {who}. “A não ser que isso tenha mudado.”"},
		personas.IntentRepeat:        {"{who} diz de novo. {last}"},
		personas.IntentBot:           {"{who} não sabe o que é isso. (Você está falando com o modelo embutido do Parley: ele responde com as palavras que foram escritas para a personagem.)"},
		personas.IntentJoke:          {"{who} não está para brincadeiras.", "“Eu sei uma”, diz {who}, “mas é comprida.”"},
		personas.IntentNotUnderstood: {"{who} diz de outra forma. {goal}", "“Por outras palavras”, começa {who}. {goal}"},
	},
}
