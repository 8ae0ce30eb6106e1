package llm

import "github.com/parley-npc/parley/personas"

// portuguesePlain is englishPlain in Portuguese.
var portuguesePlain = plainTexts{
	somebody: "A personagem", listener: "você",
	opening: []string{
		"*ergue os olhos e repara em {player}.*",
		"*se volta para {player} e espera.*",
		"*viu {player} chegar e espera a primeira palavra.*",
	},
	lines: personas.Lines{
		Pass: []string{
			"*faz que sim, devagar.* Era disso que se tratava: {what}.",
			"*se dá por contente com isso.*",
			"“Muito bem.”",
		},
		Redirect: []string{
			"*pensa um pouco e faz que não com a cabeça: ainda não é isso.* A questão continua a mesma: {what}.",
			"“Quase. Talvez de outro jeito.”",
			"*escuta até o fim, mas não é o bastante.*",
		},
		Reject: []string{
			"*faz que não com a cabeça.* Assim não dá.",
			"“Não.” *está falando sério.*",
			"*dá as costas; essa foi a resposta errada.*",
		},
		KickOut: []string{
			"*perde a paciência e manda {player} embora.*",
			"“Fora.”",
			"*aponta a saída e não diz mais nada.*",
		},
		FollowUp: []string{
			"*espera que {player} continue.*",
			"“Mais uma vez, e com clareza.”",
			"*pergunta o que {player} quer dizer com isso.*",
		},
		Unknown: []string{
			"*escuta, mas não vê o que isso tem a ver com a conversa.*",
			"*não tem nada a dizer sobre isso.*",
			"*inclina a cabeça e espera outra coisa.*",
		},
	},
	hint:     "(Do que se trata: {goal})",
	endsWell: "E assim tudo acaba bem.",
	ends:     "E assim acaba.",
	now:      "Agora se trata disto: {what}.",
	talk:     portugueseTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"*retribui o cumprimento.*", "*cumprimenta {player} com a cabeça.*"},
		personas.IntentThanks:        {"*aceita o agradecimento com um aceno de cabeça.*", "“Não há de quê.”"},
		personas.IntentGoodbye:       {"*vê {player} se virar para ir embora.* Nada está resolvido ainda.", "“Já?”"},
		personas.IntentHelp:          {"(Você está falando com {who}. {about} Seu objetivo: {goal} Diga com as suas próprias palavras.)"},
		personas.IntentWhoAreYou:     {"Quem está aqui é {who}. {about}"},
		personas.IntentWhere:         {"O lugar: {where}. {who} também está aqui."},
		personas.IntentGoal:          {"*espera que {player} vá direto ao ponto.* {goal}"},
		personas.IntentMyNameIs:      {"*vai se lembrar disso: {player}.*", "“{player}, então.”"},
		personas.IntentMyName:        {"“{player}. A não ser que isso tenha mudado.”"},
		personas.IntentRepeat:        {"*diz de novo.* {last}"},
		personas.IntentBot:           {"*não sabe o que é isso.* (Você está falando com o modelo embutido do Parley: ele responde com as palavras que foram escritas para a personagem.)"},
		personas.IntentJoke:          {"*não está para brincadeiras.*", "“Eu sei uma, mas é comprida.”"},
		personas.IntentNotUnderstood: {"*diz de outra forma.* {goal}", "“Por outras palavras:” {goal}"},
	},
}
