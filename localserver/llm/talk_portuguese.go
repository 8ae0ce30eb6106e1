package llm

import "github.com/parley-npc/parley/personas/nlu"

// portugueseTalk is englishTalk in Portuguese.
var portugueseTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"“Idade que chegue”, diz {who}.", "{who} já deixou de contar, e é isso que diz."},
	nlu.AskFamily:    {"“É uma longa história”, diz {who}, “e é minha.”", "{who} sorri um pouco e deixa a família fora disto."},
	nlu.AskOrigin:    {"“Todos vêm de algum lugar”, diz {who}.", "{who} faz um gesto vago. “De lá, há muito tempo.”"},
	nlu.AskWork:      {"“Tem dias”, diz {who}.", "“Alguém tem de o fazer”, diz {who}."},
	nlu.AskDay:       {"“O costume”, diz {who}.", "“Nada de especial”, diz {who}."},
	nlu.AskTaste:     {"“Depende do dia”, diz {who}.", "{who} pensa um pouco. “Pergunte de novo quando nos conhecermos melhor.”"},
	nlu.AskOpinion:   {"“É difícil dizer”, diz {who} depois de um momento.", "“Isso tem dois lados”, diz {who}."},
	nlu.AskFeeling:   {"“Bastante bem”, diz {who}. “É gentil perguntar.”", "“Não pior do que ontem”, diz {who}."},
	nlu.AskPersonal:  {"“Quantas perguntas”, diz {who}, sem maldade.", "“Isso eu guardo para mim”, diz {who}."},
	nlu.AskTime:      {"{who} olha para a luz. “Mais tarde do que antes.”", "“Ainda há tempo”, diz {who}."},
	nlu.AskPrice:     {"“Depende”, diz {who}, “e não só do dinheiro.”", "“De dinheiro falamos outro dia”, diz {who}."},
	nlu.Weather:      {"“O tempo faz o que quer”, diz {who}, olhando para cima.", "{who} acena com a cabeça. “Já vimos pior tempo.”"},
	nlu.Compliment:   {"{who} não consegue esconder bem um sorriso.", "“Que gentileza”, diz {who}."},
	nlu.BadNews:      {"{who} fica em silêncio um momento. “Sinto muito.”", "“Isso é duro”, diz {who}, em voz mais baixa."},
	nlu.GoodNews:     {"“Isso é que é uma boa notícia”, diz {who}.", "{who} alegra-se. “Parabéns.”"},
	nlu.Weariness:    {"“Nota-se”, diz {who}.", "“Há dias assim”, diz {who}."},
	nlu.AboutPlayer:  {"“A sério?”, diz {who}.", "{who} ouve e acena com a cabeça.", "“Não me diga”, diz {who}."},
	nlu.KnockKnock:   {"“Quem é?”, pergunta {who}.", "{who} suspira. “Quem é?”"},
	nlu.JokeTold:     {"{who} quase sorri com o canto da boca.", "{who} resmunga. “Essa é velha.”"},
	nlu.Laughter:     {"{who} quase sorri.", "“Ainda bem que alguém se diverte”, diz {who}."},
	nlu.Agreement:    {"{who} acena com a cabeça.", "“Bem”, diz {who}, e espera."},
	nlu.Disagreement: {"“Como quiser”, diz {who}.", "{who} deixa ficar assim."},
	nlu.Wonder:       {"“Pois é”, diz {who}.", "“A gente habitua-se”, diz {who}."},
	nlu.Pondering:    {"“Sem pressa”, diz {who}.", "{who} espera."},
	nlu.Apology:      {"“Não faz mal”, diz {who}.", "{who} faz um gesto, como quem diz que não foi nada."},
	nlu.Complaint:    {"“Ouço isso muitas vezes”, diz {who}, sem se abalar.", "{who} já ouviu outras queixas e deixa passar esta."},
	nlu.Swearing:     {"{who} levanta uma sobrancelha perante tal linguagem.", "“Essa língua”, diz {who}."},
	nlu.SoundCheck:   {"“Estou a ouvir”, diz {who}.", "“Alto e bom som”, diz {who}."},
	nlu.Silence:      {"{who} respeita o silêncio.", "{who} espera uma palavra."},
	nlu.Gesture:      {"{who} observa.", "{who} toma nota sem dizer nada."},
	nlu.SmallGesture: {"{who} observa.", "{who} toma nota sem dizer nada."},
}
