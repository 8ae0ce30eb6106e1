package llm

import "github.com/parley-npc/parley/personas"

// englishPlain is what is said, by a narrator, where the author gave no words.
var englishPlain = plainTexts{
	somebody: "The character", listener: "you",
	opening: []string{
		"({name} looks up and notices {player}.)",
		"({name} turns to {player} and waits.)",
		"({name} has seen {player} come, and waits for the first word.)",
	},
	lines: personas.Lines{
		Pass: []string{
			"({name} nods slowly. That was what was wanted: {what}.)",
			"({name} is content with that.)",
			"Very well.",
		},
		Redirect: []string{
			"({name} considers it and shakes their head: not quite. It is still about this: {what}.)",
			"Nearly. Try it another way.",
			"({name} hears it out, but it is not enough.)",
		},
		Reject: []string{
			"({name} shakes their head. That will not do.)",
			"No. ({name} means it.)",
			"({name} turns away; that was the wrong answer.)",
		},
		KickOut: []string{
			"({name} has had enough and sends {player} away.)",
			"Out.",
			"({name} points to the way out and says no more.)",
		},
		FollowUp: []string{
			"({name} waits for {player} to go on.)",
			"Say that again, and plainly.",
			"({name} asks what is meant by that.)",
		},
		Unknown: []string{
			"({name} has nothing to say to that.)",
			"({name} hears it, and lets it pass.)",
			"({name} looks at {player}, and waits.)",
		},
	},
	hint:     "(Still to do: {goal})",
	endsWell: "(With that, it ends well.)",
	ends:     "(With that, it is over.)",
	now:      "(Now it is about this: {what}.)",
	talk:     englishTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"({name} returns the greeting.)", "({name} nods to {player}.)"},
		personas.IntentThanks:        {"({name} takes the thanks with a nod.)", "Don't mention it."},
		personas.IntentGoodbye:       {"({name} watches {player} turn to go. Nothing is settled yet.)", "Leaving already?"},
		personas.IntentHelp:          {"(You are talking to {who}. {about} What to try: {goal} Say it in your own words.)", "(What is wanted of you here: {goal} {who} hears it best in your own words.)"},
		personas.IntentWhoAreYou:     {"(This is {who}. {about})"},
		personas.IntentWhere:         {"(You are here: {where}. {who} is with you.)"},
		personas.IntentGoal:          {"({name} waits for {player} to come to the point. {goal})", "(What {name} waits for: {goal})"},
		personas.IntentMyNameIs:      {"({name} will remember that: {player}.)", "{player}, then."},
		personas.IntentMyName:        {"{player}. Unless that has changed."},
		personas.IntentRepeat:        {"({name} says it again.) {last}"},
		personas.IntentBot:           {"({name} does not know what that is. You are talking to Parley's built-in model: it answers with the words of the character's author.)"},
		personas.IntentJoke:          {"({name} is not in the mood for jokes.)", "I know one, but it is long."},
		personas.IntentNotUnderstood: {"({name} puts it another way. {goal})", "Let me put it another way. ({goal})"},
	},
}
