package llm

import "github.com/parley-npc/parley/personas"

// englishPlain is what is said, by a narrator, where the author gave no words.
var englishPlain = plainTexts{
	somebody: "The character", listener: "you",
	opening: []string{
		"{who} looks up and notices {player}.",
		"{who} turns to {player} and waits.",
		"{who} has seen {player} come, and waits for the first word.",
	},
	lines: personas.Lines{
		Pass: []string{
			"{who} nods slowly. That was what was wanted: {what}.",
			"{who} is content with that.",
			"“Very well,” says {who}.",
		},
		Redirect: []string{
			"{who} considers it and shakes their head: not quite. It is still about this: {what}.",
			"“Nearly,” says {who}. “Try it another way.”",
			"{who} hears it out, but it is not enough.",
		},
		Reject: []string{
			"{who} shakes their head. That will not do.",
			"“No,” says {who}, and means it.",
			"{who} turns away; that was the wrong answer.",
		},
		KickOut: []string{
			"{who} has had enough and sends {player} away.",
			"“Out,” says {who}.",
			"{who} points to the way out and says no more.",
		},
		FollowUp: []string{
			"{who} waits for {player} to go on.",
			"“Say that again, and plainly,” says {who}.",
			"{who} asks what {player} means by that.",
		},
		Unknown: []string{
			"{who} listens, but does not see what that has to do with anything.",
			"{who} has nothing to say to that.",
			"{who} tilts their head and waits for something else.",
		},
	},
	hint:     "(What it is about: {goal})",
	endsWell: "With that, it ends well.",
	ends:     "With that, it is over.",
	now:      "Now it is about this: {what}.",
	talk:     englishTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"{who} returns the greeting.", "{who} nods to {player}."},
		personas.IntentThanks:        {"{who} takes the thanks with a nod.", "“Don't mention it,” says {who}."},
		personas.IntentGoodbye:       {"{who} watches {player} turn to go. Nothing is settled yet.", "“Leaving already?” asks {who}."},
		personas.IntentHelp:          {"(You are talking to {who}. {about} What to try: {goal} Say it in your own words.)"},
		personas.IntentWhoAreYou:     {"This is {who}. {about}"},
		personas.IntentWhere:         {"You are here: {where}. {who} is with you."},
		personas.IntentGoal:          {"{who} waits for {player} to come to the point. {goal}"},
		personas.IntentMyNameIs:      {"{who} will remember that: {player}.", "“{player}, then,” says {who}."},
		personas.IntentMyName:        {"“{player},” says {who}. “Unless that has changed.”"},
		personas.IntentRepeat:        {"{who} says it again. {last}"},
		personas.IntentBot:           {"{who} does not know what that is. (You are talking to Parley's built-in model: it answers with the words of the character's author.)"},
		personas.IntentJoke:          {"{who} is not in the mood for jokes.", "“I know one,” says {who}, “but it is long.”"},
		personas.IntentNotUnderstood: {"{who} puts it another way. {goal}", "“Let me put it another way,” says {who}. {goal}"},
	},
}
