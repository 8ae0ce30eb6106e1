package llm

import "github.com/parley-npc/parley/personas/nlu"

// spanishTalk is englishTalk in Spanish.
var spanishTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"Edad suficiente.", "({name} ya no lleva la cuenta, y así lo dice.)"},
	nlu.AskFamily:    {"Es una larga historia, y es mía.", "({name} sonríe un poco y deja a la familia fuera de esto.)"},
	nlu.AskOrigin:    {"Todo el mundo es de alguna parte.", "({name} hace un gesto vago.) De por allí, hace tiempo."},
	nlu.AskWork:      {"Tiene sus días.", "Alguien tiene que hacerlo."},
	nlu.AskDay:       {"Lo de siempre.", "Nada del otro mundo."},
	nlu.AskTaste:     {"Depende del día.", "({name} lo piensa.) Pregúntamelo cuando nos conozcamos mejor.", "Me gusta lo que conozco, {player}.", "({name} tiene que pensarlo.) No se me ocurre nada."},
	nlu.AskOpinion:   {"({name} lo piensa un momento.) Es difícil decirlo.", "Eso tiene dos caras.", "Pregunta a diez y oirás diez respuestas, {player}.", "({name} lo sopesa.) Todavía no lo he decidido."},
	nlu.AskFeeling:   {"Bastante bien. Gracias por preguntar.", "No peor que ayer."},
	nlu.AskPersonal:  {"(Sin mala intención.) Cuántas preguntas.", "Eso me lo guardo.", "Cuánta curiosidad, {player}.", "({name} deja la pregunta donde está.)"},
	nlu.AskTime:      {"({name} mira la luz.) Más tarde que antes.", "Todavía hay tiempo."},
	nlu.AskPrice:     {"Depende, y no solo del dinero.", "De dinero hablamos otro día."},
	nlu.Weather:      {"({name} mira hacia arriba.) El tiempo hace lo que quiere.", "({name} asiente.) Lo hemos visto peor.", "Tiempo hay siempre, {player}."},
	nlu.Compliment:   {"({name} no consigue ocultar del todo una sonrisa.)", "Qué amabilidad.", "Qué bien suena eso, {player}.", "({name} hace como si nada.)"},
	nlu.BadNews:      {"({name} calla un momento.) Lo siento mucho.", "(En voz más baja.) Eso es duro."},
	nlu.GoodNews:     {"Eso sí que es una buena noticia.", "({name} se alegra.) Enhorabuena."},
	nlu.Weariness:    {"Se nota.", "Hay días así."},
	nlu.AboutPlayer:  {"¿De veras?", "({name} escucha y asiente.)", "No me digas.", "Ya veo, {player}.", "({name} toma nota de eso.)"},
	nlu.KnockKnock:   {"¿Quién es?", "({name} suspira.) ¿Quién es?"},
	nlu.JokeTold:     {"({name} tuerce un poco la boca, casi una sonrisa.)", "({name} resopla.) Ese es viejo."},
	nlu.Laughter:     {"({name} casi sonríe.)", "Me alegra que alguien se divierta."},
	nlu.Agreement:    {"({name} asiente.)", "Bien. ({name} espera.)", "Entonces estamos de acuerdo, {player}.", "({name} se alegra de oírlo.)"},
	nlu.Disagreement: {"Como quieras.", "({name} lo deja estar.)"},
	nlu.Wonder:       {"Así es.", "Uno se acostumbra.", "({name} mira también.)"},
	nlu.Remark:       {"Puede ser.", "Si tú lo dices, {player}.", "({name} lo piensa.)", "Eso dicen."},
	nlu.Pondering:    {"Sin prisa.", "({name} espera.)"},
	nlu.Apology:      {"No pasa nada.", "({name} le quita importancia con un gesto.)"},
	nlu.Complaint:    {"(Sin inmutarse.) Eso me lo dicen mucho.", "({name} ha oído otras quejas y deja pasar esta.)"},
	nlu.Swearing:     {"({name} levanta una ceja ante ese lenguaje.)", "Esa boca."},
	nlu.SoundCheck:   {"Te oigo.", "Alto y claro."},
	nlu.Silence:      {"({name} respeta el silencio.)", "({name} espera una palabra.)", "(Por un momento nadie dice nada.)"},
	nlu.Gesture:      {"({name} observa.)", "({name} toma nota sin decir nada.)", "({name} lo ve y no dice nada.)"},
	nlu.SmallGesture: {"({name} observa.)", "({name} toma nota sin decir nada.)", "({name} se da cuenta.)"},
}
