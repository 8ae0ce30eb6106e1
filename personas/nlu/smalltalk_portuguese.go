package nlu

// portugueseTalk is englishTalk in Portuguese.
var portugueseTalk = []talkRule{
	{talk: AskBot, words: `(\w+ )?(chatgpt|gpt|openai|claude|gemini|chatbot)( \w+){0,5}`},
	{talk: Farewell, words: `(adeus|tchau|ate logo|ate breve|ate amanha)( \w+){0,5}
((tenho que|preciso|tenho de) (ir|ir embora)|vou embora)( \w+){0,4}`},
	{talk: KnockKnock, words: `(toc toc|truz truz)( \w+)?`},
	{talk: JokeTold, words: `(era|e|foi) (so |uma )*(brincadeira|piada)( \w+){0,2}
estou (so )?(brincando|a brincar)`},
	{talk: SoundCheck, whole: true, words: `(teste|testando)( (teste|testando|um|dois|tres))*
(esta me ouvindo|me ouve|consegue me ouvir|tem alguem|ha alguem)( \w+){0,2}`},
	{talk: BadNews, words: `(meu|minha|nosso|nossa|o meu|a minha) (\w+ ){1,3}(morreu|esta (morto|morta|doente|no hospital)|faleceu|me deixou|fugiu)( \w+){0,4}
perdi (o |a |os |as )?(meu|minha|meus|minhas|emprego|chaves|carteira)( \w+){0,4}
(estou|me sinto|sinto me) (tao |muito |um pouco |realmente )*(triste|doente|mal|deprimido|deprimida|arrasado|arrasada)( \w+){0,4}
(mas noticias|ma noticia)
(tenho saudades|sinto falta|sinto saudades)( \w+){1,4}`},
	{talk: GoodNews, words: `(ganhei|passei|consegui|vou casar|vou me casar|casei|estou gravida|fui promovido|fui promovida|vou ser (pai|mae))( \w+){0,5}
estou (tao |muito |realmente )*(feliz|contente|apaixonado|apaixonada|orgulhoso|orgulhosa|animado|animada)( \w+){0,4}
(boas noticias|boa noticia|e meu aniversario|feliz aniversario|feliz natal|feliz ano)( \w+){0,2}`},
	{talk: AskAge, words: `(que idade|quantos anos) (voce )?(tem|tens)( \w+){0,2}
quando (e|voce) (o )?(seu aniversario|teu aniversario|nasceu|nasceste)( \w+){0,2}`},
	{talk: AskFamily, words: `(voce |o senhor |a senhora )?(tem|tens) (um |uma |muitos |muitas )?(filhos|filhas|filho|filha|familia|irmaos|irmas|irmao|irma|esposa|esposo|marido|mulher|namorado|namorada|animais|cachorro|cao|gato|amigos)( \w+){0,3}
(voce )?(e|es) (casado|casada|solteiro|solteira|divorciado|divorciada)( \w+){0,2}
(como|quem|onde) (esta|se chama|e) (a |o )?(sua|seu|tua|teu) (mulher|esposa|marido|mae|pai|irmao|irma|filho|filha|familia)( \w+){0,3}`},
	{talk: AskOrigin, words: `de onde (voce |o senhor |a senhora )?(e|es|vem|vens)( \w+){0,3}
onde (voce |o senhor |a senhora )?(mora|moras|vive|vives|nasceu|nasceste|cresceu|cresceste)( \w+){0,3}
(voce )?(e|es|mora) (daqui|aqui|longe|perto|sozinho|sozinha)( \w+){0,3}`},
	{talk: AskWork, words: `(voce )?(gosta|gostas) (do|deste|de) (seu |teu )?(trabalho|emprego|oficio|trabalhar)( \w+){0,3}
(ha quanto tempo|desde quando) (voce )?(trabalha|trabalhas|faz|esta|vive)( \w+){0,5}
e (duro|dificil|cansativo|chato|perigoso)( \w+){0,4}`},
	{talk: AskDay, words: `como (foi|esta|correu) (o |a )?(seu|sua|teu|tua|dia|noite|semana)( \w+){0,3}
(voce |ja )?(dormiu|comeu|almocou|jantou|dormiste|comeste) (bem|ja|hoje)?( \w+){0,3}
o que (voce )?(comeu|fez|bebeu|comeste|fizeste)( \w+){0,4}`},
	{talk: AskTaste, words: `(qual|quem|quais) (e|sao) (o |a |os |as )?(seu|sua|teu|tua|seus|suas) (\w+ )?(favorito|favorita|preferido|preferida|favoritos)( \w+){0,3}
(voce |tu )?(gosta|gostas|adora|prefere|preferes|odeia) (de |do |da )?(\w+)( \w+){0,5}
do que (voce )?(gosta|gostas)( \w+){0,3}`},
	{talk: AskOpinion, words: `o que (voce |o senhor |a senhora )?(acha|pensa|achas|pensas|diz)( \w+){0,8}
(voce |tu )?(acha|achas|acredita|acreditas) (que|em)( \w+){1,10}
qual (e )?(a )?(sua|tua) opiniao( \w+){0,5}`},
	{talk: AskFeeling, words: `(voce )?(esta|estas) (tao |muito |um pouco |sempre |ainda )*(triste|cansado|cansada|zangado|zangada|feliz|sozinho|sozinha|doente|nervoso|nervosa|bem|mal|ocupado|ocupada|bravo|brava)( \w+){0,3}
(voce )?(tem|tens|esta com) (fome|frio|sede|medo|sono|calor)( \w+){0,3}
(o que foi|tudo bem com voce|algum problema)( \w+){0,2}`},
	{talk: AskPersonal, words: `(voce )?(sabe|sabes|pode|podes) (cantar|dancar|nadar|cozinhar|ler|jogar|voar)( \w+){0,3}
(voce )?(ja|alguma vez) (foi|esteve|viu|amou|matou|leu)( \w+){1,8}
o que (voce )?(esta|estas) (lendo|fazendo|bebendo|comendo|a fazer|a ler)( \w+){0,5}`},
	{talk: AskTime, words: `que (horas|dia|data) (sao|e)( \w+){0,3}
(quanto tempo|a que horas|quanto falta)( \w+){0,5}`},
	{talk: AskPrice, words: `quanto (custa|custam|e|vale|ganha|ganhas|paga|pagam|devo)( \w+){0,5}
(e|esta) (\w+ )?(caro|barato|gratis|de graca)( \w+){0,3}
qual e o preco( \w+){0,4}`},
	{talk: Weather, words: `(esta|faz|fazia|que) (tanto |tao |muito |um |bastante )*(frio|calor|vento|sol|chovendo|nevando|nublado|a chover|bom tempo|mau tempo)( \w+){0,4}
(chove|neva|vai chover|vai nevar)( \w+){0,4}
(que|o|este|bom|mau) (tempo|clima) (lindo|horrivel|esta|bonito|feio|faz)?( \w+){0,5}`},
	{talk: Compliment, words: `(voce e|es|tu es|o senhor e|a senhora e) (tao |muito |um |uma |o |a |realmente )*(gentil|simpatico|simpatica|engracado|engracada|bonito|bonita|lindo|linda|bom|boa|inteligente|esperto|esperta|genial|encantador|encantadora|melhor|querido|querida|legal|amavel|divertido|divertida)( \w+){0,4}
(bonito|bonita|lindo|linda|belo|bela|que belo|que bela|que lindo|que linda|que bonito|que bonita) (chapeu|vestido|casaco|sapatos|voz|olhos|casa|loja|lugar|gato|bigode|avental)( \w+){0,3}
(gosto|adoro|gostei) (muito )?(do|da|de|dos|das|o|a) (seu|sua|teu|tua|voce|ti)( \w+){0,4}
(muito bem|bom trabalho|bravo|parabens)( \w+){0,2}`},
	{talk: Swearing, whole: true, words: `(oh |que |ai )*(merda|porra|caramba|droga|maldicao|raios|caralho|diabos|bolas)( (de novo|outra vez))*`},
	{talk: Complaint, words: `(isto|isso|e|nao e|esta) (e |nao e |tao |muito |demasiado |um pouco )*(chato|chata|bobo|estupido|injusto|justo|dificil|aborrecido|ridiculo|impossivel|lento|entediante)( \w+){0,3}
(voce e|es) (tao |muito |demasiado )*(chato|chata|impossivel|grosseiro|grosseira|antipatico|antipatica|lento|lenta)( \w+){0,3}
(voce )?ja (disse|falou|disseste) isso( \w+){0,3}
(anda logo|vamos logo|depressa|chega|basta|estou com pressa|tenho pressa|nao tenho tempo)( \w+){0,4}`},
	{talk: Apology, words: `(desculpe|desculpa|perdao|perdoe me|me perdoe|me desculpe|sinto muito|lamento|peco desculpa)( \w+){0,8}`},
	{talk: Weariness, words: `(estou|me sinto|sinto me) (tao |muito |um pouco |ja |realmente )*(cansado|cansada|exausto|exausta|entediado|entediada|sozinho|sozinha|perdido|perdida|nervoso|nervosa|molhado|molhada|bem|melhor|confuso|confusa|com (fome|sede|frio|calor|sono|medo))( \w+){0,4}
tenho (tanta |tanto |muita |muito |um pouco de )*(fome|sede|frio|calor|sono|medo|dor( \w+){1,3})( \w+){0,3}
doi me( \w+){0,4}`},
	{talk: Laughter, whole: true, words: `(oh )?(haha|hahaha|ha|hehe|kk+|kkk+|rsrs|rs|lol|xd)+( (haha|kkk|rsrs|que engracado|muito engracado))*
(que |muito |e |isso e )*(engracado|divertido)`},
	{talk: Agreement, whole: true, words: `(ah |oh |sim |muito |pois |ok |esta |tudo |ta )*(sim|ok|bem|bom|claro|claro que sim|com certeza|certo|exato|exatamente|verdade|e verdade|de acordo|entendido|perfeito|entendo|percebo|otimo|com prazer|tem razao|tens razao|combinado|isso|beleza|pois)( (sim|bem|entao|obrigado|obrigada|senhor|senhora))*`},
	{talk: Disagreement, whole: true, words: `(nao|oh |mas )*(nao|nunca|jamais|de jeito nenhum|claro que nao|mentira|falso|nao e verdade|acho que nao|nao concordo|de modo nenhum|bobagem)( (nao|obrigado|obrigada|senhor|senhora))*`},
	{talk: Wonder, whole: true, words: `(oh |ah |que |muito )*(wow|uau|oh|ah|nossa|interessante|verdade|serio|a serio|incrivel|estranho|curioso|fascinante|puxa|caramba)( (mesmo|serio|verdade))*`},
	{talk: Pondering, whole: true, words: `(hm+|eh+|bem|bom|entao|deixa ver|espera|espere|um momento|um segundo|deixe me pensar|deixa eu pensar|nao sei|talvez|depende|sei la|tanto faz)( (hm+|bem|por favor|ainda))*`},
	{talk: AboutPlayer, words: `(sou|eu sou|venho|vivo|moro|trabalho|estudo|tenho|cresci|nasci|falo|penso|acho|odeio|amo|adoro|gosto|jogo|toco|espero|estou)( \w+){1,14}
(o meu|a minha|meu|minha|nosso|nossa) (\w+ ){1,3}(e|esta|sao|tem|era|diz|mora|trabalha|se chama|quer)( \w+){1,12}`},
}
