package draft

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// Field is a text of a persona that can be rewritten.
type Field struct {
	// Path is the path of the text, in the format of the paths in findings.
	Path string
	Text string
	// Place describes the position of the text in words. It is "" for texts of the persona itself.
	Place string
	// About describes the purpose of the text.
	About string
	// Most is the maximum length, in characters.
	Most int
}

// ListFields lists the nonempty texts that can be rewritten, in document order. Names, keys and the
// messages of examples are excluded.
func ListFields(p *personas.Persona) []Field {
	w := &fieldWalk{}
	w.addText("description", p.Description, "It is shown in lists of characters.", personas.MaxDescription)
	w.addText("persona_identity_prompt", p.IdentityPrompt, "It tells the model that plays the character who it is.", personas.MaxPrompt)
	w.addText("perplexity_description", p.PerplexityDescription, "It is for search and discovery.", personas.MaxDescription)
	for i := range p.Variables {
		w.walkInto(fmt.Sprintf("variables[%d].", i), "", func() {
			w.addText("description", p.Variables[i].Description, "It says to authors what the variable is.", personas.MaxDescription)
		})
	}
	for i := range p.Machines {
		m := &p.Machines[i]
		w.walkInto(fmt.Sprintf("machines[%d].", i), fmt.Sprintf("machine %q", m.Title()), func() { w.addMachine(m) })
	}
	w.addSharedOffline(p.Offline)
	return w.fields
}

type fieldWalk struct {
	path, place string
	fields      []Field
}

func (w *fieldWalk) walkInto(path, place string, visit func()) {
	before, where := w.path, w.place
	w.path += path
	if place != "" && where != "" {
		place = where + ", " + place
	}
	if place != "" {
		w.place = place
	}
	visit()
	w.path, w.place = before, where
}

func (w *fieldWalk) addText(member, text, about string, most int) {
	if text != "" {
		w.fields = append(w.fields, Field{Path: w.path + member, Text: text, Place: w.place, About: about, Most: most})
	}
}

func (w *fieldWalk) addPrompt(member, text, about string) {
	w.addText(member, text, about, personas.MaxPrompt)
}

func (w *fieldWalk) addLines(member string, texts []string, about string) {
	for i, text := range texts {
		w.addPrompt(fmt.Sprintf("%s[%d]", member, i), text, about)
	}
}

func (w *fieldWalk) addMachine(m *personas.Machine) {
	w.addText("description", m.Description, "Players read it before they begin.", personas.MaxDescription)
	w.addText("player_goal", m.PlayerGoal, "Players read it: what they are to try, in one line.", personas.MaxDescription)
	w.addPrompt("creator_objective", m.Objective, "It says what the player has to achieve.")
	w.addPrompt("creator_win_condition", m.WinCondition, "It says when the player has won.")
	w.addPrompt("creator_lose_condition", m.LoseCondition, "It says when the player has lost.")
	w.addPrompt("chat_system_prompt", m.ChatPrompt, "It tells the model that plays the character how to talk in this machine.")
	w.addPrompt("system_evaluation_prompt", m.EvaluationPrompt, "It tells the model that judges the player's messages how to judge.")
	w.addPrompt("system_summarization_prompt", m.SummarizationPrompt, "It tells a model what a summary of the conversation should keep.")
	for i := range m.States {
		s := &m.States[i]
		w.walkInto(fmt.Sprintf("states[%d].", i), fmt.Sprintf("state %q", s.Title()), func() { w.addState(s) })
	}
	for i := range m.Transitions {
		t := &m.Transitions[i]
		w.walkInto(fmt.Sprintf("transitions[%d].", i), fmt.Sprintf("a %s of state %q", t.Decision, t.From), func() {
			w.addPrompt("condition", t.Condition, "It says when the transition fires, to the model that judges the player's messages.")
		})
	}
	for i := range m.OutputVariables {
		w.walkInto(fmt.Sprintf("output_variables[%d].", i), "", func() {
			w.addPrompt("extraction_prompt", m.OutputVariables[i].ExtractionPrompt, "It says what to read out of the finished conversation.")
		})
	}
	w.addSharedOffline(m.Offline)
}

func (w *fieldWalk) addState(s *personas.State) {
	w.addPrompt("prompt_instruction", s.PromptInstruction, "It tells the model that plays the character what to do in this state.")
	const judges = "It says which messages of the player count as "
	c := &s.Criteria
	w.walkInto("evaluation_criteria.", "", func() {
		w.addPrompt("pass", c.Pass, judges+"passed.")
		w.addPrompt("redirect", c.Redirect, judges+"off the point.")
		w.addPrompt("reject", c.Reject, judges+"rejected.")
		w.addPrompt("kick_out", c.KickOut, judges+"unforgivable.")
		w.addPrompt("follow_up", c.FollowUp, judges+"worth a question.")
	})
	if s.Offline != nil {
		w.walkInto("offline.", "", func() { w.addOffline(s.Offline) })
	}
}

func (w *fieldWalk) addOffline(o *personas.Offline) {
	w.addLines("opening", o.Opening, "The character says it first of all.")
	const says = "The character says it "
	l := &o.Lines
	w.walkInto("examples.", "", func() {
		w.addExamples("pass", o.Examples.Pass)
		w.addExamples("redirect", o.Examples.Redirect)
		w.addExamples("reject", o.Examples.Reject)
		w.addExamples("kick_out", o.Examples.KickOut)
		w.addExamples("follow_up", o.Examples.FollowUp)
	})
	w.walkInto("lines.", "", func() {
		w.addLines("pass", l.Pass, says+"when the player has passed.")
		w.addLines("redirect", l.Redirect, says+"to steer the player back.")
		w.addLines("reject", l.Reject, says+"when it rejects what the player did.")
		w.addLines("kick_out", l.KickOut, says+"when it throws the player out.")
		w.addLines("follow_up", l.FollowUp, says+"to hear more.")
		w.addLines("enter", l.Enter, says+"when this state begins.")
		w.addLines("unknown", l.Unknown, says+"to words that it does not understand.")
	})
	w.addAnswers(o.Answers)
}

// addExamples adds the replies in examples. It omits the messages of players, because these must
// not be rewritten.
func (w *fieldWalk) addExamples(member string, examples []personas.Example) {
	for i := range examples {
		w.addPrompt(fmt.Sprintf("%s[%d].answer", member, i), examples[i].Answer, "The character says it to that one message.")
	}
}

func (w *fieldWalk) addAnswers(answers []personas.Answer) {
	for i := range answers {
		w.addLines(fmt.Sprintf("answers[%d].say", i), answers[i].Say, "The character says it to a question that decides nothing.")
	}
}

func (w *fieldWalk) addSharedOffline(o *personas.SharedOffline) {
	if o != nil {
		w.walkInto("offline.", "", func() { w.addAnswers(o.Answers) })
	}
}
