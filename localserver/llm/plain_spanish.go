package llm

import "github.com/parley-npc/parley/personas"

// spanishPlain is englishPlain in Spanish.
var spanishPlain = plainTexts{
	somebody: "El personaje", listener: "la persona de enfrente",
	opening: []string{
		"({name} levanta la vista y repara en {player}.)",
		"({name} se vuelve hacia {player} y espera.)",
		"({name} ha visto llegar a {player} y espera la primera palabra.)",
	},
	lines: personas.Lines{
		Pass: []string{
			"({name} asiente despacio. De eso se trataba: {what}.)",
			"({name} se conforma con eso.)",
			"Muy bien.",
		},
		Redirect: []string{
			"({name} lo piensa y niega con la cabeza: no del todo. Se sigue tratando de esto: {what}.)",
			"Casi. Quizá de otra manera.",
			"({name} escucha hasta el final, pero no basta.)",
		},
		Reject: []string{
			"({name} niega con la cabeza. Así no puede ser.)",
			"No. ({name} va en serio.)",
			"({name} aparta la mirada; esa no era la respuesta.)",
		},
		KickOut: []string{
			"({name} ya no aguanta más y echa de allí a {player}.)",
			"Fuera.",
			"({name} señala la salida y no dice nada más.)",
		},
		FollowUp: []string{
			"({name} espera a que {player} continúe.)",
			"Otra vez, y con claridad.",
			"({name} pregunta qué quiere decir {player} con eso.)",
		},
		Unknown: []string{
			"({name} escucha, pero no ve qué tiene que ver eso con nada.)",
			"({name} no tiene nada que decir a eso.)",
			"({name} ladea la cabeza y espera otra cosa.)",
		},
	},
	hint:     "(Queda por hacer: {goal})",
	endsWell: "(Y así termina bien.)",
	ends:     "(Y así se acaba.)",
	now:      "(Ahora se trata de esto: {what}.)",
	talk:     spanishTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"({name} devuelve el saludo.)", "({name} saluda a {player} con la cabeza.)"},
		personas.IntentThanks:        {"({name} acepta las gracias con un gesto de la cabeza.)", "No hay de qué."},
		personas.IntentGoodbye:       {"({name} ve que {player} se dispone a irse. Aún no hay nada resuelto.)", "¿Tan pronto?"},
		personas.IntentHelp:          {"(Estás hablando con {who}. {about} Tu objetivo: {goal} Dilo con tus propias palabras.)", "(Lo que se pide aquí: {goal} Mejor con tus propias palabras.)"},
		personas.IntentWhoAreYou:     {"(Quien habla es {who}. {about})"},
		personas.IntentWhere:         {"(El lugar: {where}. {who} también está aquí.)"},
		personas.IntentGoal:          {"({name} espera a que {player} vaya al grano. {goal})", "(Lo que espera {name}: {goal})"},
		personas.IntentMyNameIs:      {"({name} lo recordará: {player}.)", "Así que {player}."},
		personas.IntentMyName:        {"{player}. A menos que eso haya cambiado."},
		personas.IntentRepeat:        {"({name} lo dice otra vez.) {last}"},
		personas.IntentBot:           {"({name} no sabe qué es eso. Estás hablando con el modelo integrado de Parley: responde con las palabras que se escribieron para este personaje.)"},
		personas.IntentJoke:          {"({name} no está para bromas.)", "Me sé uno, pero es largo."},
		personas.IntentNotUnderstood: {"({name} lo dice de otra manera. {goal})", "(Dicho de otro modo: {goal})"},
	},
}
