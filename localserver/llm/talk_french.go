package llm

import "github.com/parley-npc/parley/personas/nlu"

// frenchTalk is englishTalk in French.
var frenchTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"« L'âge de raison, et un peu plus », dit {who}.", "{who} ne compte plus, et le dit."},
	nlu.AskFamily:    {"« C'est une longue histoire, dit {who}, et c'est la mienne. »", "{who} sourit un peu et laisse la famille en dehors de cela."},
	nlu.AskOrigin:    {"« On vient tous de quelque part », dit {who}.", "{who} fait un geste vague. « De là-bas, autrefois. »"},
	nlu.AskWork:      {"« Il y a des jours avec et des jours sans », dit {who}.", "« Il faut bien que quelqu'un le fasse », dit {who}."},
	nlu.AskDay:       {"« Comme d'habitude », dit {who}.", "« Rien d'extraordinaire », dit {who}."},
	nlu.AskTaste:     {"« Cela dépend des jours », dit {who}.", "{who} y réfléchit. « On en reparlera quand on se connaîtra mieux. »"},
	nlu.AskOpinion:   {"« Difficile à dire », dit {who} après un instant.", "« Il y a du pour et du contre », dit {who}."},
	nlu.AskFeeling:   {"« Ça va, dit {who}. C'est gentil de demander. »", "« Pas plus mal qu'hier », dit {who}."},
	nlu.AskPersonal:  {"« Que de questions », dit {who}, sans méchanceté.", "« Cela, je le garde pour moi », dit {who}."},
	nlu.AskTime:      {"{who} regarde la lumière. « Plus tard que tout à l'heure. »", "« On a encore le temps », dit {who}."},
	nlu.AskPrice:     {"« Cela dépend, dit {who}, et pas seulement de l'argent. »", "« On parlera d'argent une autre fois », dit {who}."},
	nlu.Weather:      {"« Le temps fait ce qu'il veut », dit {who} en levant les yeux.", "{who} hoche la tête. « On a vu pire comme temps. »"},
	nlu.Compliment:   {"{who} a du mal à cacher un sourire.", "« C'est trop aimable », dit {who}."},
	nlu.BadNews:      {"{who} se tait un instant. « Voilà qui est triste, et je compatis. »", "« C'est dur », dit {who}, plus doucement."},
	nlu.GoodNews:     {"« Voilà une bonne nouvelle », dit {who}.", "{who} sourit. « Tant mieux ! »"},
	nlu.Weariness:    {"« Cela se voit », dit {who}.", "« Il y a des jours comme ça », dit {who}."},
	nlu.AboutPlayer:  {"« Ah bon ? » dit {who}.", "{who} écoute et hoche la tête.", "« Tiens donc », dit {who}."},
	nlu.KnockKnock:   {"« Qui est là ? » demande {who}.", "{who} soupire. « Qui est là ? »"},
	nlu.JokeTold:     {"{who} sourit du coin des lèvres.", "{who} lève les yeux au ciel. « Elle est vieille, celle-là. »"},
	nlu.Laughter:     {"{who} sourit presque.", "« Au moins, cela amuse quelqu'un », dit {who}."},
	nlu.Agreement:    {"{who} hoche la tête.", "« Bien », dit {who}, qui attend la suite."},
	nlu.Disagreement: {"« Comme il vous plaira », dit {who}.", "{who} n'insiste pas."},
	nlu.Wonder:       {"« Eh oui », dit {who}.", "« On s'y habitue », dit {who}."},
	nlu.Pondering:    {"« Prenez votre temps », dit {who}.", "{who} attend."},
	nlu.Apology:      {"« Il n'y a pas de mal », dit {who}.", "{who} balaie cela d'un geste."},
	nlu.Complaint:    {"« On me le dit souvent », dit {who}, sans s'émouvoir.", "{who} a entendu d'autres plaintes, et laisse passer celle-ci."},
	nlu.Swearing:     {"{who} hausse un sourcil devant ce langage.", "« Allons, allons », dit {who}."},
	nlu.SoundCheck:   {"« J'entends très bien », dit {who}.", "« Cinq sur cinq », dit {who}."},
	nlu.Silence:      {"{who} respecte le silence.", "{who} attend un mot."},
	nlu.Gesture:      {"{who} regarde faire.", "{who} en prend note sans un mot."},
	nlu.SmallGesture: {"{who} regarde faire.", "{who} en prend note sans un mot."},
}
