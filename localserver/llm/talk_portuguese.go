package llm

import "github.com/parley-npc/parley/personas/nlu"

// portugueseTalk is englishTalk in Portuguese.
var portugueseTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"Idade que chegue.", "({name} já deixou de contar, e é isso que diz.)"},
	nlu.AskFamily:    {"É uma longa história, e é minha.", "({name} sorri um pouco e deixa a família fora disto.)"},
	nlu.AskOrigin:    {"Todos vêm de algum lugar.", "({name} faz um gesto vago.) De lá, há muito tempo."},
	nlu.AskWork:      {"Tem dias.", "Alguém tem de o fazer."},
	nlu.AskDay:       {"O costume.", "Nada de especial."},
	nlu.AskTaste:     {"Depende do dia.", "({name} pensa um pouco.) Pergunte de novo quando nos conhecermos melhor.", "Gosto do que conheço, {player}.", "({name} tem de pensar.) Não me ocorre nada."},
	nlu.AskOpinion:   {"({name} pensa um momento.) É difícil dizer.", "Isso tem dois lados.", "Pergunte a dez pessoas e ouvirá dez respostas, {player}.", "({name} pesa a questão.) Ainda não decidi."},
	nlu.AskFeeling:   {"Bastante bem. É gentil perguntar.", "Não pior do que ontem."},
	nlu.AskPersonal:  {"(Sem maldade.) Quantas perguntas.", "Isso eu guardo para mim.", "Quanta curiosidade, {player}.", "({name} deixa a pergunta onde está.)"},
	nlu.AskTime:      {"({name} olha para a luz.) Mais tarde do que antes.", "Ainda há tempo."},
	nlu.AskPrice:     {"Depende, e não só do dinheiro.", "De dinheiro falamos outro dia."},
	nlu.Weather:      {"({name} olha para cima.) O tempo faz o que quer.", "({name} acena com a cabeça.) Já vimos pior tempo.", "Tempo há sempre, {player}."},
	nlu.Compliment:   {"({name} não consegue esconder bem um sorriso.)", "Que gentileza.", "É gentil dizer isso, {player}.", "({name} faz de conta que não é nada.)"},
	nlu.BadNews:      {"({name} fica em silêncio um momento.) Sinto muito.", "(Em voz mais baixa.) Isso é duro."},
	nlu.GoodNews:     {"Isso é que é uma boa notícia.", "({name} alegra-se.) Parabéns."},
	nlu.Weariness:    {"Nota-se.", "Há dias assim."},
	nlu.AboutPlayer:  {"A sério?", "({name} ouve e acena com a cabeça.)", "Não me diga.", "Entendo, {player}.", "({name} toma nota disso.)"},
	nlu.KnockKnock:   {"Quem é?", "({name} suspira.) Quem é?"},
	nlu.JokeTold:     {"({name} quase sorri com o canto da boca.)", "({name} resmunga.) Essa é velha."},
	nlu.Laughter:     {"({name} quase sorri.)", "Ainda bem que alguém se diverte."},
	nlu.Agreement:    {"({name} acena com a cabeça.)", "Bem. ({name} espera.)", "Então estamos de acordo, {player}.", "({name} gosta de ouvir isso.)"},
	nlu.Disagreement: {"Como quiser.", "({name} deixa ficar assim.)"},
	nlu.Wonder:       {"Pois é.", "A gente habitua-se.", "({name} olha também.)"},
	nlu.Remark:       {"Pode ser.", "Se você diz, {player}.", "({name} pensa nisso.)", "É o que dizem."},
	nlu.Pondering:    {"Sem pressa.", "({name} espera.)"},
	nlu.Apology:      {"Não faz mal.", "({name} faz um gesto, como quem diz que não foi nada.)"},
	nlu.Complaint:    {"(Sem se abalar.) Ouço isso muitas vezes.", "({name} já ouviu outras queixas e deixa passar esta.)"},
	nlu.Swearing:     {"({name} levanta uma sobrancelha perante tal linguagem.)", "Essa língua."},
	nlu.SoundCheck:   {"Estou a ouvir.", "Alto e bom som."},
	nlu.Silence:      {"({name} respeita o silêncio.)", "({name} espera uma palavra.)", "(Por um momento ninguém diz nada.)"},
	nlu.Gesture:      {"({name} observa.)", "({name} toma nota sem dizer nada.)", "({name} vê isso e deixa acontecer.)"},
	nlu.SmallGesture: {"({name} observa.)", "({name} toma nota sem dizer nada.)", "({name} repara nisso.)"},
}
