package llm

import "github.com/parley-npc/parley/personas/nlu"

// spanishTalk is englishTalk in Spanish.
var spanishTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"«Edad suficiente.»", "*ya no lleva la cuenta, y así lo dice.*"},
	nlu.AskFamily:    {"«Es una larga historia, y es mía.»", "*sonríe un poco y deja a la familia fuera de esto.*"},
	nlu.AskOrigin:    {"«Todo el mundo es de alguna parte.»", "*hace un gesto vago.* «De por allí, hace tiempo.»"},
	nlu.AskWork:      {"«Tiene sus días.»", "«Alguien tiene que hacerlo.»"},
	nlu.AskDay:       {"«Lo de siempre.»", "«Nada del otro mundo.»"},
	nlu.AskTaste:     {"«Depende del día.»", "*lo piensa.* «Pregúntamelo cuando nos conozcamos mejor.»"},
	nlu.AskOpinion:   {"*lo piensa un momento.* «Es difícil decirlo.»", "«Eso tiene dos caras.»"},
	nlu.AskFeeling:   {"«Bastante bien. Gracias por preguntar.»", "«No peor que ayer.»"},
	nlu.AskPersonal:  {"*sin mala intención* «Cuántas preguntas.»", "«Eso me lo guardo.»"},
	nlu.AskTime:      {"*mira la luz.* «Más tarde que antes.»", "«Todavía hay tiempo.»"},
	nlu.AskPrice:     {"«Depende, y no solo del dinero.»", "«De dinero hablamos otro día.»"},
	nlu.Weather:      {"*mira hacia arriba.* «El tiempo hace lo que quiere.»", "*asiente.* «Lo hemos visto peor.»"},
	nlu.Compliment:   {"*no consigue ocultar del todo una sonrisa.*", "«Qué amabilidad.»"},
	nlu.BadNews:      {"*calla un momento.* «Lo siento mucho.»", "*en voz más baja* «Eso es duro.»"},
	nlu.GoodNews:     {"«Eso sí que es una buena noticia.»", "*se alegra.* «Enhorabuena.»"},
	nlu.Weariness:    {"«Se nota.»", "«Hay días así.»"},
	nlu.AboutPlayer:  {"«¿De veras?»", "*escucha y asiente.*", "«No me digas.»"},
	nlu.KnockKnock:   {"«¿Quién es?»", "*suspira.* «¿Quién es?»"},
	nlu.JokeTold:     {"*tuerce un poco la boca, casi una sonrisa.*", "*resopla.* «Ese es viejo.»"},
	nlu.Laughter:     {"*casi sonríe.*", "«Me alegra que alguien se divierta.»"},
	nlu.Agreement:    {"*asiente.*", "«Bien.» *espera.*"},
	nlu.Disagreement: {"«Como quieras.»", "*lo deja estar.*"},
	nlu.Wonder:       {"«Así es.»", "«Uno se acostumbra.»"},
	nlu.Pondering:    {"«Sin prisa.»", "*espera.*"},
	nlu.Apology:      {"«No pasa nada.»", "*le quita importancia con un gesto.*"},
	nlu.Complaint:    {"*sin inmutarse* «Eso me lo dicen mucho.»", "*ha oído otras quejas y deja pasar esta.*"},
	nlu.Swearing:     {"*levanta una ceja ante ese lenguaje.*", "«Esa boca.»"},
	nlu.SoundCheck:   {"«Te oigo.»", "«Alto y claro.»"},
	nlu.Silence:      {"*respeta el silencio.*", "*espera una palabra.*"},
	nlu.Gesture:      {"*observa.*", "*toma nota sin decir nada.*"},
	nlu.SmallGesture: {"*observa.*", "*toma nota sin decir nada.*"},
}
