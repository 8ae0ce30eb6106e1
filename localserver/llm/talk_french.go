package llm

import "github.com/parley-npc/parley/personas/nlu"

// frenchTalk is englishTalk in French.
var frenchTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"« L'âge de raison, et un peu plus. »", "*ne compte plus, et le dit.*"},
	nlu.AskFamily:    {"« C'est une longue histoire, et c'est la mienne. »", "*sourit un peu et laisse la famille en dehors de cela.*"},
	nlu.AskOrigin:    {"« On vient tous de quelque part. »", "*fait un geste vague.* « De là-bas, autrefois. »"},
	nlu.AskWork:      {"« Il y a des jours avec et des jours sans. »", "« Il faut bien que quelqu'un le fasse. »"},
	nlu.AskDay:       {"« Comme d'habitude. »", "« Rien d'extraordinaire. »"},
	nlu.AskTaste:     {"« Cela dépend des jours. »", "*y réfléchit.* « On en reparlera quand on se connaîtra mieux. »"},
	nlu.AskOpinion:   {"*réfléchit un instant.* « Difficile à dire. »", "« Il y a du pour et du contre. »"},
	nlu.AskFeeling:   {"« Ça va. C'est gentil de demander. »", "« Pas plus mal qu'hier. »"},
	nlu.AskPersonal:  {"*sans méchanceté* « Que de questions ! »", "« Cela, je le garde pour moi. »"},
	nlu.AskTime:      {"*regarde la lumière.* « Plus tard que tout à l'heure. »", "« On a encore le temps. »"},
	nlu.AskPrice:     {"« Cela dépend, et pas seulement de l'argent. »", "« On parlera d'argent une autre fois. »"},
	nlu.Weather:      {"*lève les yeux.* « Le temps fait ce qu'il veut. »", "*hoche la tête.* « On a vu pire comme temps. »"},
	nlu.Compliment:   {"*a du mal à cacher un sourire.*", "« C'est trop aimable. »"},
	nlu.BadNews:      {"*se tait un instant.* « Voilà qui est triste, et je compatis. »", "*plus doucement* « C'est dur. »"},
	nlu.GoodNews:     {"« Voilà une bonne nouvelle. »", "*sourit.* « Tant mieux ! »"},
	nlu.Weariness:    {"« Cela se voit. »", "« Il y a des jours comme ça. »"},
	nlu.AboutPlayer:  {"« Ah bon ? »", "*écoute et hoche la tête.*", "« Tiens donc. »"},
	nlu.KnockKnock:   {"« Qui est là ? »", "*soupire.* « Qui est là ? »"},
	nlu.JokeTold:     {"*sourit du coin des lèvres.*", "*lève les yeux au ciel.* « Elle est vieille, celle-là. »"},
	nlu.Laughter:     {"*sourit presque.*", "« Au moins, cela amuse quelqu'un. »"},
	nlu.Agreement:    {"*hoche la tête.*", "« Bien. » *attend la suite.*"},
	nlu.Disagreement: {"« Comme il vous plaira. »", "*n'insiste pas.*"},
	nlu.Wonder:       {"« Eh oui. »", "« On s'y habitue. »"},
	nlu.Pondering:    {"« Prenez votre temps. »", "*attend.*"},
	nlu.Apology:      {"« Il n'y a pas de mal. »", "*balaie cela d'un geste.*"},
	nlu.Complaint:    {"*sans s'émouvoir* « On me le dit souvent. »", "*a entendu d'autres plaintes, et laisse passer celle-ci.*"},
	nlu.Swearing:     {"*hausse un sourcil devant ce langage.*", "« Allons, allons. »"},
	nlu.SoundCheck:   {"« J'entends très bien. »", "« Cinq sur cinq. »"},
	nlu.Silence:      {"*respecte le silence.*", "*attend un mot.*"},
	nlu.Gesture:      {"*regarde faire.*", "*en prend note sans un mot.*"},
	nlu.SmallGesture: {"*regarde faire.*", "*en prend note sans un mot.*"},
}
