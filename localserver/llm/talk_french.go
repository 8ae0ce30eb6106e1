package llm

import "github.com/parley-npc/parley/personas/nlu"

// frenchTalk is englishTalk in French.
var frenchTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"L'âge de raison, et un peu plus.", "({name} ne compte plus, et le dit.)"},
	nlu.AskFamily:    {"C'est une longue histoire, et c'est la mienne.", "({name} sourit un peu et laisse la famille en dehors de cela.)"},
	nlu.AskOrigin:    {"On vient tous de quelque part.", "({name} fait un geste vague.) De là-bas, autrefois."},
	nlu.AskWork:      {"Il y a des jours avec et des jours sans.", "Il faut bien que quelqu'un le fasse."},
	nlu.AskDay:       {"Comme d'habitude.", "Rien d'extraordinaire."},
	nlu.AskTaste:     {"Cela dépend des jours.", "({name} y réfléchit.) On en reparlera quand on se connaîtra mieux.", "Ce que je connais, je l'aime bien, {player}.", "({name} doit y penser.) Rien ne me vient."},
	nlu.AskOpinion:   {"({name} réfléchit un instant.) Difficile à dire.", "Il y a du pour et du contre.", "À dix personnes, dix réponses, {player}.", "({name} pèse la question.) Je n'ai pas encore d'avis."},
	nlu.AskFeeling:   {"Ça va. C'est gentil de demander.", "Pas plus mal qu'hier."},
	nlu.AskPersonal:  {"(Sans méchanceté.) Que de questions !", "Cela, je le garde pour moi.", "Quelle curiosité, {player}.", "({name} laisse la question où elle est.)"},
	nlu.AskTime:      {"({name} regarde la lumière.) Plus tard que tout à l'heure.", "On a encore le temps."},
	nlu.AskPrice:     {"Cela dépend, et pas seulement de l'argent.", "On parlera d'argent une autre fois."},
	nlu.Weather:      {"({name} lève les yeux.) Le temps fait ce qu'il veut.", "({name} hoche la tête.) On a vu pire comme temps.", "Du temps, il y en a toujours, {player}."},
	nlu.Compliment:   {"({name} a du mal à cacher un sourire.)", "C'est trop aimable.", "C'est gentil de le dire, {player}.", "({name} fait comme si de rien n'était.)"},
	nlu.BadNews:      {"({name} se tait un instant.) Voilà qui est triste, et je compatis.", "(Plus doucement.) C'est dur."},
	nlu.GoodNews:     {"Voilà une bonne nouvelle.", "({name} sourit.) Tant mieux !"},
	nlu.Weariness:    {"Cela se voit.", "Il y a des jours comme ça."},
	nlu.AboutPlayer:  {"Ah bon ?", "({name} écoute et hoche la tête.)", "Tiens donc.", "Je vois, {player}.", "({name} en prend bonne note.)"},
	nlu.KnockKnock:   {"Qui est là ?", "({name} soupire.) Qui est là ?"},
	nlu.JokeTold:     {"({name} sourit du coin des lèvres.)", "({name} lève les yeux au ciel.) Elle est vieille, celle-là."},
	nlu.Laughter:     {"({name} sourit presque.)", "Au moins, cela amuse quelqu'un."},
	nlu.Agreement:    {"({name} hoche la tête.)", "Bien. ({name} attend la suite.)", "Alors nous sommes d'accord, {player}.", "({name} aime entendre cela.)"},
	nlu.Disagreement: {"Comme il vous plaira.", "({name} n'insiste pas.)"},
	nlu.Wonder:       {"Eh oui.", "On s'y habitue.", "({name} regarde aussi.)"},
	nlu.Remark:       {"Cela se peut.", "Si tu le dis, {player}.", "({name} y réfléchit.)", "C'est ce qu'on dit."},
	nlu.Pondering:    {"Prenez votre temps.", "({name} attend.)"},
	nlu.Apology:      {"Il n'y a pas de mal.", "({name} balaie cela d'un geste.)"},
	nlu.Complaint:    {"(Sans s'émouvoir.) On me le dit souvent.", "({name} a entendu d'autres plaintes, et laisse passer celle-ci.)"},
	nlu.Swearing:     {"({name} hausse un sourcil devant ce langage.)", "Allons, allons."},
	nlu.SoundCheck:   {"J'entends très bien.", "Cinq sur cinq."},
	nlu.Silence:      {"({name} respecte le silence.)", "({name} attend un mot.)", "(Un instant, personne ne dit rien.)"},
	nlu.Gesture:      {"({name} regarde faire.)", "({name} en prend note sans un mot.)", "({name} voit cela et laisse faire.)"},
	nlu.SmallGesture: {"({name} regarde faire.)", "({name} en prend note sans un mot.)", "({name} le remarque.)"},
}
