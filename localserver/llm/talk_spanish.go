package llm

import "github.com/parley-npc/parley/personas/nlu"

// spanishTalk is englishTalk in Spanish.
var spanishTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"«Edad suficiente», dice {who}.", "{who} ya no lleva la cuenta, y así lo dice."},
	nlu.AskFamily:    {"«Es una larga historia —dice {who}—, y es mía.»", "{who} sonríe un poco y deja a la familia fuera de esto."},
	nlu.AskOrigin:    {"«Todo el mundo es de alguna parte», dice {who}.", "{who} hace un gesto vago. «De por allí, hace tiempo.»"},
	nlu.AskWork:      {"«Tiene sus días», dice {who}.", "«Alguien tiene que hacerlo», dice {who}."},
	nlu.AskDay:       {"«Lo de siempre», dice {who}.", "«Nada del otro mundo», dice {who}."},
	nlu.AskTaste:     {"«Depende del día», dice {who}.", "{who} lo piensa. «Pregúntamelo cuando nos conozcamos mejor.»"},
	nlu.AskOpinion:   {"«Es difícil decirlo», dice {who} tras un momento.", "«Eso tiene dos caras», dice {who}."},
	nlu.AskFeeling:   {"«Bastante bien —dice {who}—. Gracias por preguntar.»", "«No peor que ayer», dice {who}."},
	nlu.AskPersonal:  {"«Cuántas preguntas», dice {who}, sin mala intención.", "«Eso me lo guardo», dice {who}."},
	nlu.AskTime:      {"{who} mira la luz. «Más tarde que antes.»", "«Todavía hay tiempo», dice {who}."},
	nlu.AskPrice:     {"«Depende —dice {who}—, y no solo del dinero.»", "«De dinero hablamos otro día», dice {who}."},
	nlu.Weather:      {"«El tiempo hace lo que quiere», dice {who} mirando hacia arriba.", "{who} asiente. «Lo hemos visto peor.»"},
	nlu.Compliment:   {"{who} no consigue ocultar del todo una sonrisa.", "«Qué amabilidad», dice {who}."},
	nlu.BadNews:      {"{who} calla un momento. «Lo siento mucho.»", "«Eso es duro», dice {who}, en voz más baja."},
	nlu.GoodNews:     {"«Eso sí que es una buena noticia», dice {who}.", "{who} se alegra. «Enhorabuena.»"},
	nlu.Weariness:    {"«Se nota», dice {who}.", "«Hay días así», dice {who}."},
	nlu.AboutPlayer:  {"«¿De veras?», dice {who}.", "{who} escucha y asiente.", "«No me digas», dice {who}."},
	nlu.KnockKnock:   {"«¿Quién es?», pregunta {who}.", "{who} suspira. «¿Quién es?»"},
	nlu.JokeTold:     {"{who} tuerce un poco la boca, casi una sonrisa.", "{who} resopla. «Ese es viejo.»"},
	nlu.Laughter:     {"{who} casi sonríe.", "«Me alegra que alguien se divierta», dice {who}."},
	nlu.Agreement:    {"{who} asiente.", "«Bien», dice {who}, y espera."},
	nlu.Disagreement: {"«Como quieras», dice {who}.", "{who} lo deja estar."},
	nlu.Wonder:       {"«Así es», dice {who}.", "«Uno se acostumbra», dice {who}."},
	nlu.Pondering:    {"«Sin prisa», dice {who}.", "{who} espera."},
	nlu.Apology:      {"«No pasa nada», dice {who}.", "{who} le quita importancia con un gesto."},
	nlu.Complaint:    {"«Eso me lo dicen mucho», dice {who} sin inmutarse.", "{who} ha oído otras quejas y deja pasar esta."},
	nlu.Swearing:     {"{who} levanta una ceja ante ese lenguaje.", "«Esa boca», dice {who}."},
	nlu.SoundCheck:   {"«Te oigo», dice {who}.", "«Alto y claro», dice {who}."},
	nlu.Silence:      {"{who} respeta el silencio.", "{who} espera una palabra."},
	nlu.Gesture:      {"{who} observa.", "{who} toma nota sin decir nada."},
	nlu.SmallGesture: {"{who} observa.", "{who} toma nota sin decir nada."},
}
