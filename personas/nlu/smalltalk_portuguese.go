package nlu

// portugueseTalk is englishTalk in Portuguese.
var portugueseTalk = []talkRule{
	{talk: AskBot, words: `(chatgpt|gpt|openai|claude|gemini|chatbot)`},
	{talk: Farewell, words: `(adeus|tchau|ate logo|ate breve|ate amanha)
((tenho que|preciso|tenho de) (ir|ir embora)|vou embora)`},
	{talk: KnockKnock, words: `(toc toc|truz truz)`},
	{talk: JokeTold, words: `(era|e|foi) (so |uma )*(brincadeira|piada)
estou (so )?(brincando|a brincar)`},
	{talk: SoundCheck, whole: true, words: `(teste|testando)( (teste|testando|um|dois|tres))*
(esta me ouvindo|me ouve|consegue me ouvir|tem alguem|ha alguem)( \w+){0,2}`},
	{talk: BadNews, words: `(meu|minha|nosso|nossa|o meu|a minha) (\w+ ){1,3}(morreu|esta (morto|morta|doente|no hospital)|faleceu|me deixou|fugiu)
perdi (o |a |os |as )?(meu|minha|meus|minhas|emprego|chaves|carteira)
(estou|me sinto|sinto me) (tao |muito |um pouco |realmente )*(triste|doente|mal|deprimido|deprimida|arrasado|arrasada)
(mas noticias|ma noticia)
(tenho saudades|sinto falta|sinto saudades) \w+`},
	{talk: GoodNews, words: `(ganhei|passei|consegui|vou casar|vou me casar|casei|estou gravida|fui promovido|fui promovida|vou ser (pai|mae))
estou (tao |muito |realmente )*(feliz|contente|apaixonado|apaixonada|orgulhoso|orgulhosa|animado|animada)
(boas noticias|boa noticia|e meu aniversario|feliz aniversario|feliz natal|feliz ano)`},
	{talk: AskAge, words: `(que idade|quantos anos) (voce )?(tem|tens)
quando (e|voce) (o )?(seu aniversario|teu aniversario|nasceu|nasceste)`},
	{talk: AskFamily, words: `(voce |o senhor |a senhora )?(tem|tens) (um |uma |muitos |muitas )?(filhos|filhas|filho|filha|familia|irmaos|irmas|irmao|irma|esposa|esposo|marido|mulher|namorado|namorada|animais|cachorro|cao|gato|amigos)
(voce )?(e|es) (casado|casada|solteiro|solteira|divorciado|divorciada)
(como|quem|onde) (esta|se chama|e) (a |o )?(sua|seu|tua|teu) (mulher|esposa|marido|mae|pai|irmao|irma|filho|filha|familia)`},
	{talk: AskOrigin, words: `de onde (voce |o senhor |a senhora )?(e|es|vem|vens)
onde (voce |o senhor |a senhora )?(mora|moras|vive|vives|nasceu|nasceste|cresceu|cresceste)
(voce )?(e|es|mora) (daqui|aqui|longe|perto|sozinho|sozinha)`},
	{talk: AskWork, words: `(voce )?(gosta|gostas) (do|deste|de) (seu |teu )?(trabalho|emprego|oficio|trabalhar)
(ha quanto tempo|desde quando) (voce )?(trabalha|trabalhas|faz|esta|vive)
e (duro|dificil|cansativo|chato|perigoso)`},
	{talk: AskDay, words: `como (foi|esta|correu) (o |a )?(seu|sua|teu|tua|dia|noite|semana)
(voce |ja )?(dormiu|comeu|almocou|jantou|dormiste|comeste) (bem|ja|hoje)?
o que (voce )?(comeu|fez|bebeu|comeste|fizeste)`},
	{talk: AskTaste, words: `(qual|quem|quais) (e|sao) (o |a |os |as )?(seu|sua|teu|tua|seus|suas) (\w+ )?(favorito|favorita|preferido|preferida|favoritos)
(voce |tu )?(gosta|gostas|adora|prefere|preferes|odeia) (de |do |da )?(\w+)
do que (voce )?(gosta|gostas)`},
	{talk: AskOpinion, words: `o que (voce |o senhor |a senhora )?(acha|pensa|achas|pensas|diz)
(voce |tu )?(acha|achas|acredita|acreditas) (que|em) \w+
qual (e )?(a )?(sua|tua) opiniao`},
	{talk: AskFeeling, words: `(voce )?(esta|estas) (tao |muito |um pouco |sempre |ainda )*(triste|cansado|cansada|zangado|zangada|feliz|sozinho|sozinha|doente|nervoso|nervosa|bem|mal|ocupado|ocupada|bravo|brava)
(voce )?(tem|tens|esta com) (fome|frio|sede|medo|sono|calor)
(o que foi|tudo bem com voce|algum problema)`},
	{talk: AskPersonal, words: `(voce )?(sabe|sabes|pode|podes) (cantar|dancar|nadar|cozinhar|ler|jogar|voar)
(voce )?(ja|alguma vez) (foi|esteve|viu|amou|matou|leu) \w+
o que (voce )?(esta|estas) (lendo|fazendo|bebendo|comendo|a fazer|a ler)`},
	{talk: AskTime, words: `que (horas|dia|data) (sao|e)
(quanto tempo|a que horas|quanto falta)`},
	{talk: AskPrice, words: `quanto (custa|custam|e|vale|ganha|ganhas|paga|pagam|devo)
(e|esta) (\w+ )?(caro|barato|gratis|de graca)
qual e o preco`},
	{talk: Weather, words: `(esta|faz|fazia|que) (tanto |tao |muito |um |bastante )*(frio|calor|vento|sol|chovendo|nevando|nublado|a chover|bom tempo|mau tempo)
(chove|neva|vai chover|vai nevar)
(que|o|este|bom|mau) (tempo|clima) (lindo|horrivel|esta|bonito|feio|faz)?`},
	{talk: Compliment, words: `(voce e|es|tu es|o senhor e|a senhora e) (tao |muito |um |uma |o |a |realmente )*(gentil|simpatico|simpatica|engracado|engracada|bonito|bonita|lindo|linda|bom|boa|inteligente|esperto|esperta|genial|encantador|encantadora|melhor|querido|querida|legal|amavel|divertido|divertida)
(bonito|bonita|lindo|linda|belo|bela|que belo|que bela|que lindo|que linda|que bonito|que bonita) (chapeu|vestido|casaco|sapatos|voz|olhos|casa|loja|lugar|gato|bigode|avental)
(gosto|adoro|gostei) (muito )?(do|da|de|dos|das|o|a) (seu|sua|teu|tua|voce|ti)
(muito bem|bom trabalho|bravo|parabens)`},
	{talk: Swearing, whole: true, words: `(oh |que |ai )*(merda|porra|caramba|droga|maldicao|raios|caralho|diabos|bolas)( (de novo|outra vez))*`},
	{talk: Complaint, words: `(isto|isso|e|nao e|esta) (e |nao e |tao |muito |demasiado |um pouco )*(chato|chata|bobo|estupido|injusto|justo|dificil|aborrecido|ridiculo|impossivel|lento|entediante)
(voce e|es) (tao |muito |demasiado )*(chato|chata|impossivel|grosseiro|grosseira|antipatico|antipatica|lento|lenta)
(voce )?ja (disse|falou|disseste) isso
(anda logo|vamos logo|depressa|chega|basta|estou com pressa|tenho pressa|nao tenho tempo)`},
	{talk: Apology, words: `(desculpe|desculpa|perdao|perdoe me|me perdoe|me desculpe|sinto muito|lamento|peco desculpa)`},
	{talk: Weariness, words: `(estou|me sinto|sinto me) (tao |muito |um pouco |ja |realmente )*(cansado|cansada|exausto|exausta|entediado|entediada|sozinho|sozinha|perdido|perdida|nervoso|nervosa|molhado|molhada|bem|melhor|confuso|confusa|com (fome|sede|frio|calor|sono|medo))
tenho (tanta |tanto |muita |muito |um pouco de )*(fome|sede|frio|calor|sono|medo|dor( \w+){1,3})
doi me`},
	{talk: Laughter, whole: true, words: `(oh )?(haha|hahaha|ha|hehe|kk+|kkk+|rsrs|rs|lol|xd)+( (haha|kkk|rsrs|que engracado|muito engracado))*
(que |muito |e |isso e )*(engracado|divertido)`},
	{talk: Agreement, whole: true, words: `(ah |oh |sim |muito |pois |ok |esta |tudo |ta )*(sim|ok|bem|bom|claro|claro que sim|com certeza|certo|exato|exatamente|verdade|e verdade|de acordo|entendido|perfeito|entendo|percebo|otimo|com prazer|tem razao|tens razao|combinado|isso|beleza|pois)( (sim|bem|entao|obrigado|obrigada|senhor|senhora))*`},
	{talk: Disagreement, whole: true, words: `(nao|oh |mas )*(nao|nunca|jamais|de jeito nenhum|claro que nao|mentira|falso|nao e verdade|acho que nao|nao concordo|de modo nenhum|bobagem)( (nao|obrigado|obrigada|senhor|senhora))*`},
	{talk: Wonder, whole: true, words: `(oh |ah |que |muito )*(wow|uau|oh|ah|nossa|interessante|verdade|serio|a serio|incrivel|estranho|curioso|fascinante|puxa|caramba)( (mesmo|serio|verdade))*`},
	{talk: Pondering, whole: true, words: `(hm+|eh+|bem|bom|entao|deixa ver|espera|espere|um momento|um segundo|deixe me pensar|deixa eu pensar|nao sei|talvez|depende|sei la|tanto faz)( (hm+|bem|por favor|ainda))*`},
	{talk: AboutPlayer, words: `(sou|eu sou|venho|vivo|moro|trabalho|estudo|tenho|cresci|nasci|falo|penso|acho|odeio|amo|adoro|gosto|jogo|toco|espero|estou) \w+
(o meu|a minha|meu|minha|nosso|nossa) (\w+ ){1,3}(e|esta|sao|tem|era|diz|mora|trabalha|se chama|quer) \w+`},
}

// portugueseInsults are what somebody is called who is insulted.
const portugueseInsults = `idiota|idiotas|imbecil|estupido|estupida|burro|burra|otario|otaria|babaca|palhaco|palhaca|lixo|porco|porca|filho da puta|filha da puta|puta|vaca|bastardo|bastarda|canalla|canalha|desgracado|desgracada|inutil|cretino|cretina|nojento|nojenta|verme|rato|ladrao|mentiroso|mentirosa|escoria|parvo|parva|cabrao|ze ninguem`

// portugueseHostility are the words of attacks, and portugueseOwn those with which somebody speaks of himself,
// denies or tells; see hostileRules.
var portugueseHostility = []talkRule{
	{talk: Threatening, words: `(eu )?(vou|quero) (te |lhe |o |a )?(matar|bater|quebrar|socar|esfaquear|queimar|degolar|arrebentar|machucar|espancar|estrangular)(te|lo|la| voce| tua| sua| a tua| a sua)?( \w+){0,3}
(eu )?(te|lhe) (mato|bato|soco|esfaqueio|cuspo|estrangulo|arrebento|chuto|empurro|ataco|quebro)( \w+){0,4}
(voce |tu )?(vai|vais) (morrer|se arrepender|arrepender te|pagar|sangrar|sofrer)( \w+){0,2}
(me da|da me|me de|passa) (\w+ ){1,5}(ou|senao) (eu|te|vou|morre|leva)
maos ao alto
(eu )?(roubo|vou roubar) (o|a|teu|tua|seu|sua) (\w+ ){0,2}(caixa|dinheiro|carteira|ouro|bolsa)
(eu )?(puxo|saco) (a|o|uma|um|minha|meu) (faca|arma|espada|pistola|punhal)
(eu )?(atiro|jogo|lanco) (\w+ ){1,4}(na cara|na tua cara|na sua cara|na cabeca)
(eu )?(ponho|boto|vou por) fogo`},
	{talk: Insulting, words: `(voce e|tu es|vc e|seu|sua|que|maldito|maldita|velho|velha) (um |uma |o |muito |tao |mesmo |um grande |uma grande |velho |velha |maldito |pior |maior |grande )*(` + portugueseInsults + `)
(voce e|tu es|vc e) (muito |tao |mesmo |um |uma )*(merda|feio|feia|estupido|estupida|nojento|nojenta|ridiculo|ridicula|patetico|patetica|burro|burra|incompetente|inutil)
(cala|cale|fecha|feche) (a boca|essa boca|a matraca|o bico)( \w+){0,2}
(vai|va|vao) (a merda|para o inferno|pro inferno|se foder|te foder|tomar no cu|para o diabo|pro diabo|se ferrar)
(eu )?(te odeio|odeio voce|odeio te|te desprezo)
(foda se voce|filho da puta|filha da puta|vai te foder)
(voce|tu) (fede|fedes)`},
	{talk: Insulting, whole: true, words: `(seu |sua |velho |velha |maldito |maldita )*(` + portugueseInsults + `)`},
}

var portugueseOwn = []string{"sou ", "nao e ", "nao es ", "nao vou", "nao te ", "me disse", "me chamou", "nunca "}
