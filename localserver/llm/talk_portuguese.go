package llm

import "github.com/parley-npc/parley/personas/nlu"

// portugueseTalk is englishTalk in Portuguese.
var portugueseTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"“Idade que chegue.”", "*já deixou de contar, e é isso que diz.*"},
	nlu.AskFamily:    {"“É uma longa história, e é minha.”", "*sorri um pouco e deixa a família fora disto.*"},
	nlu.AskOrigin:    {"“Todos vêm de algum lugar.”", "*faz um gesto vago.* “De lá, há muito tempo.”"},
	nlu.AskWork:      {"“Tem dias.”", "“Alguém tem de o fazer.”"},
	nlu.AskDay:       {"“O costume.”", "“Nada de especial.”"},
	nlu.AskTaste:     {"“Depende do dia.”", "*pensa um pouco.* “Pergunte de novo quando nos conhecermos melhor.”"},
	nlu.AskOpinion:   {"*pensa um momento.* “É difícil dizer.”", "“Isso tem dois lados.”"},
	nlu.AskFeeling:   {"“Bastante bem. É gentil perguntar.”", "“Não pior do que ontem.”"},
	nlu.AskPersonal:  {"*sem maldade* “Quantas perguntas.”", "“Isso eu guardo para mim.”"},
	nlu.AskTime:      {"*olha para a luz.* “Mais tarde do que antes.”", "“Ainda há tempo.”"},
	nlu.AskPrice:     {"“Depende, e não só do dinheiro.”", "“De dinheiro falamos outro dia.”"},
	nlu.Weather:      {"*olha para cima.* “O tempo faz o que quer.”", "*acena com a cabeça.* “Já vimos pior tempo.”"},
	nlu.Compliment:   {"*não consegue esconder bem um sorriso.*", "“Que gentileza.”"},
	nlu.BadNews:      {"*fica em silêncio um momento.* “Sinto muito.”", "*em voz mais baixa* “Isso é duro.”"},
	nlu.GoodNews:     {"“Isso é que é uma boa notícia.”", "*alegra-se.* “Parabéns.”"},
	nlu.Weariness:    {"“Nota-se.”", "“Há dias assim.”"},
	nlu.AboutPlayer:  {"“A sério?”", "*ouve e acena com a cabeça.*", "“Não me diga.”"},
	nlu.KnockKnock:   {"“Quem é?”", "*suspira.* “Quem é?”"},
	nlu.JokeTold:     {"*quase sorri com o canto da boca.*", "*resmunga.* “Essa é velha.”"},
	nlu.Laughter:     {"*quase sorri.*", "“Ainda bem que alguém se diverte.”"},
	nlu.Agreement:    {"*acena com a cabeça.*", "“Bem.” *espera.*"},
	nlu.Disagreement: {"“Como quiser.”", "*deixa ficar assim.*"},
	nlu.Wonder:       {"“Pois é.”", "“A gente habitua-se.”"},
	nlu.Pondering:    {"“Sem pressa.”", "*espera.*"},
	nlu.Apology:      {"“Não faz mal.”", "*faz um gesto, como quem diz que não foi nada.*"},
	nlu.Complaint:    {"*sem se abalar* “Ouço isso muitas vezes.”", "*já ouviu outras queixas e deixa passar esta.*"},
	nlu.Swearing:     {"*levanta uma sobrancelha perante tal linguagem.*", "“Essa língua.”"},
	nlu.SoundCheck:   {"“Estou a ouvir.”", "“Alto e bom som.”"},
	nlu.Silence:      {"*respeita o silêncio.*", "*espera uma palavra.*"},
	nlu.Gesture:      {"*observa.*", "*toma nota sem dizer nada.*"},
	nlu.SmallGesture: {"*observa.*", "*toma nota sem dizer nada.*"},
}
