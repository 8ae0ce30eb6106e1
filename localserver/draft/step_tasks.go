package draft

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

type stepMember struct {
	name, about string // about is "" for a member like the previous one
	limit       int    // in characters
	isOptional  bool
}

type stepTask struct {
	title, task string
	members     []stepMember
}

const (
	maxLabel, maxSentence, maxIdentity = 60, 240, 800 // characters
	stepStates, stepExamples           = 2, 5
)

var stepDecisions = []string{
	string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject),
	string(personas.DecideKickOut),
}

func whoTask(withName bool) stepTask {
	t := stepTask{title: "who it is", task: "Write who the character is."}
	if withName {
		name := stepMember{name: "name", about: "The character's name, without a title.", limit: maxLabel}
		t.members = append(t.members, name)
	}
	t.members = append(t.members,
		stepMember{name: "description", about: "One sentence for a list of characters.", limit: maxSentence},
		stepMember{name: "persona_identity_prompt", about: "Two to four sentences to the character, beginning with You are: who it is, how it speaks, what it wants.", limit: maxIdentity})
	return t
}

func sceneTask() stepTask {
	t := stepTask{
		title: "the scene",
		task:  "Write one scene with it, in which the player wants something. The scene has two steps: in each the character asks something else of the player. The second is harder than the first.",
		members: []stepMember{
			{name: "scene", about: "A title of two to four words.", limit: maxLabel},
			{name: "player_goal", about: "What the player is to try, one short line that begins with a verb.", limit: maxSentence},
		},
	}
	for i, nth := range []string{"first", "second"} {
		name := fmt.Sprintf("step_%d", i+1)
		title := "A title of the " + nth + " step, two to five words."
		asks := "What the player has to give or say in the " + nth + " step."
		t.members = append(t.members,
			stepMember{name: name, about: title, limit: maxLabel},
			stepMember{name: name + "_asks", about: asks, limit: maxSentence})
	}
	t.members = append(t.members, stepMember{name: "ending", about: "Where the player is when both are done, two to four words.", limit: maxLabel})
	return t
}

func conditionsTask(label string) stepTask {
	return stepTask{
		title: fmt.Sprintf("conditions of %q", label),
		task:  fmt.Sprintf("Write for the step %q which messages of the player lead to which decision: one sentence each that begins with The player.", label),
		members: []stepMember{
			{name: "pass", about: "Says what the character wants to hear.", limit: maxSentence},
			{name: "redirect", about: "Tries, but it is not enough.", limit: maxSentence},
			{name: "reject", about: "Refuses, or gives up.", limit: maxSentence},
			{name: "kick_out", about: "Threatens or insults the character.", limit: maxSentence},
		},
	}
}

// exampleKinds is in the order of stepDecisions.
var exampleKinds = [...]string{
	"The player does what the step asks for.", "The player tries, but it is not enough.",
	"The player refuses or gives up.", "The player threatens or insults the character.",
}

func examplesTask(label string) stepTask {
	t := stepTask{
		title: fmt.Sprintf("examples of %q", label),
		task:  fmt.Sprintf("Write what players might type in the step %q: for each decision five messages of three to ten words, in the player's own voice, each with other words than the others.", label),
	}
	for k, about := range exampleKinds {
		for i := range stepExamples {
			m := stepMember{name: fmt.Sprintf("%s_%d", stepDecisions[k], i+1), limit: 100, isOptional: i > 0}
			if i == 0 {
				m.about = about
			}
			t.members = append(t.members, m)
		}
	}
	return t
}

func linesTask(label string, isFirst bool) stepTask {
	begins := "When this step begins: what it asks of the player now."
	if isFirst {
		begins = "The first words of the conversation: they end with what it asks of the player."
	}
	return stepTask{
		title: fmt.Sprintf("lines of %q", label),
		task:  fmt.Sprintf("Write what the character says to the player in the step %q, in its own voice, one or two sentences each.", label),
		members: []stepMember{
			{name: "begin", about: begins, limit: maxSentence},
			{name: "pass", about: "To a message that it wanted to hear.", limit: maxSentence},
			{name: "redirect", about: "To one that is not enough: it asks again.", limit: maxSentence},
			{name: "reject", about: "To a refusal: it ends the conversation.", limit: maxSentence},
			{name: "kick_out", about: "To a threat or an insult: it sends the player away.", limit: maxSentence},
			{name: "unknown", about: "To words that it did not understand: it asks again.", limit: maxSentence},
			{name: "help", about: "To a player who asks what to do: a hint.", limit: maxSentence},
		},
	}
}

var templateTexts = map[string]string{ //nolint:gosec // "pass" is a decision here
	"name": "Nameless", "description": "A character to talk to.",
	"persona_identity_prompt": "You are {{persona_name}}. You speak in short sentences.",
	"scene":                   "A conversation", "player_goal": "Win the character over.",
	"step_1": "The first question", "step_1_asks": "The player says why they are here.",
	"step_2": "The second question", "step_2_asks": "The player makes a promise and means it.",
	"ending": "At the end",

	"conditions.pass": "The player does what is asked for here.", "conditions.redirect": "The player tries, but it is not enough.",
	"conditions.reject": "The player refuses or gives up.", "conditions.kick_out": "The player threatens or insults the character.",

	"examples.pass":     "I will tell you why I am here|Yes, I promise|You have my word on it|I do what you ask",
	"examples.redirect": "Maybe|I am not sure about that|Let me think about it",
	"examples.reject":   "No, I will not|Never mind, I am leaving|Forget it",
	"examples.kick_out": "You stupid fool|I will hurt you|Shut up or else",

	"lines.begin": "{{player_name}}. Tell me: {{label}}", "lines.pass": "Good. That is what I wanted to hear.",
	"lines.redirect": "That is not enough. Try again.", "lines.reject": "Then we are done here.",
	"lines.kick_out": "Out. We have nothing more to say.", "lines.unknown": "I did not understand that. Say it in other words.",
	"lines.help": "Do what I ask of you, and say so in plain words.",
}
