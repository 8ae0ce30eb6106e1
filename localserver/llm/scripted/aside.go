package scripted

import (
	"cmp"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/offline"
)

const (
	// hintAfter is after how many asides in a row a hint is given.
	hintAfter = 2
	// hintPause is how many replies after a hint come without one.
	hintPause = 3
)

// heard is what an aside is: an intent or a kind of small talk, and the author's answer to it.
type heard struct {
	intent personas.Intent  // "" for none
	talk   nlu.Talk         // NoTalk for none, and where intent says more
	answer *personas.Answer // nil for none
}

// answerAside answers what decides nothing. The author's words come first: the answer to that
// question or intent, then the answer to any question or remark. Then come the narrator's
// sentences, and last the words for what was not understood.
func (s *scene) answerAside(v *offline.Verdict) (llm.GeneratedText, error) {
	message, _, marked := cutDirectorMark(s.Message)
	h := heard{intent: v.Intent, answer: v.Answer}
	if !marked || !s.MayDirect { // else the mark decides what the message is
		h = s.hear(v, message)
	}
	if h.answer != nil {
		if line, err := s.chooseLine(saltReply, "an answer", h.answer.Say); line.Text != "" || err != nil {
			return line, err
		}
	}
	if v.Language != "" {
		return llm.GeneratedText{Text: s.foreignLine(v.Language), Why: "offline: plain line for " + v.Language}, nil
	}
	line, err := s.answerOpenly(h, message)
	kind := cmp.Or(sameTalk[h.talk], h.talk)
	switch {
	case line.Text != "" || err != nil:
	case len(s.texts.Talk[kind]) > 0:
		line = s.pickLine(saltReply, s.fill(s.texts.Talk[kind], s.State), "plain line for "+string(h.talk))
	case len(s.texts.Intents[h.intent]) > 0 && s.knowsAnswer(h.intent):
		line = s.pickLine(saltReply, s.fill(s.texts.Intents[h.intent], s.State), "plain line for "+string(h.intent))
	default:
		line, err = s.answerUnknown()
	}
	if h.intent == "" && mayBeAttempt[h.talk] {
		s.addHint(&line)
	}
	return line, err
}

// sameTalk are kinds of small talk that the narrator answers as others.
var sameTalk = map[nlu.Talk]nlu.Talk{
	nlu.AskSenses: nlu.AskWorld, nlu.AskPeople: nlu.AskWorld, nlu.AskThere: nlu.AskWorld, nlu.AskFact: nlu.AskWorld, nlu.AskWhy: nlu.AskWorld,
	nlu.Wish: nlu.Compliment, nlu.Sympathy: nlu.Compliment, nlu.Threatening: nlu.Insulting, nlu.SmallGesture: nlu.Gesture,
}

// answerOpenly returns one of the author's lines for any question or any remark; its Text is
// empty if the author wrote none. Facts of the game, such as the player's name, have intents of
// their own that the narrator answers.
func (s *scene) answerOpenly(h heard, message string) (llm.GeneratedText, error) {
	intent := personas.Intent("")
	switch h.intent {
	case "":
		intent = openIntent(message, h.talk)
	case personas.IntentWhere, personas.IntentWhoAreYou:
		intent = personas.IntentQuestion
	}
	answer := offline.AnswerFor(placeOfInput(s.Input), intent)
	if intent == "" || answer == nil {
		return llm.GeneratedText{}, nil
	}
	return s.chooseLine(saltReply, "an answer to any "+string(intent), answer.Say)
}

// openIntent returns which of the author's general answers fits small talk that no other
// answer fits: that to any question, that to any remark, or "" for neither.
func openIntent(message string, talk nlu.Talk) personas.Intent {
	switch {
	case talk.IsQuestion(), talk == nlu.AskWhy:
		return personas.IntentQuestion
	case !mayBeAttempt[talk]:
		return ""
	case strings.ContainsAny(message, "?？"):
		return personas.IntentQuestion
	case talk == nlu.NoTalk, talk == nlu.Nonsense:
		return ""
	}
	return personas.IntentRemark
}

// mayBeAttempt are kinds of small talk that may have been meant for the matter: who tells
// something may offer it as a reason.
var mayBeAttempt = map[nlu.Talk]bool{
	nlu.NoTalk: true, nlu.Nonsense: true, nlu.AboutPlayer: true, nlu.Remark: true, nlu.Wonder: true, nlu.Weather: true,
	nlu.Weariness: true, nlu.BadNews: true, nlu.GoodNews: true,
}

// talkIntents are the kinds of small talk that are an intent.
var talkIntents = map[nlu.Talk]personas.Intent{nlu.AskBot: personas.IntentBot, nlu.Farewell: personas.IntentGoodbye, nlu.Puzzlement: personas.IntentNotUnderstood, nlu.AskGame: personas.IntentHelp}

// hear adds to a verdict on an aside what its words say besides: the player's name, an intent,
// or which kind of small talk it is. The author's answer to that very question stays, and so
// does that a message is in another language.
func (s *scene) hear(v *offline.Verdict, message string) heard {
	if v.Answer != nil && v.Intent == "" || v.Language != "" {
		return heard{intent: v.Intent, answer: v.Answer}
	}
	h := heard{intent: v.Intent}
	if s.introducedName(message) != "" {
		h.intent = personas.IntentMyNameIs
	} else if talk := s.model.reader().SmallTalk(message, languageOf(s.Input), v.Intent == ""); !keepsIntent(v, talk) {
		h.intent = talkIntents[talk]
		switch {
		case h.intent != "":
		case v.Intent == "" && mayBeAttempt[talk] && offline.BeginsWithGreeting(message):
			h.intent = personas.IntentGreeting
		default:
			h.talk = talk
		}
	}
	if h.intent != "" {
		h.answer = s.answerTo(h.intent)
	}
	return h
}

// keepsIntent reports whether an intent says as much of a message as its kind of small talk.
func keepsIntent(v *offline.Verdict, talk nlu.Talk) bool {
	switch v.Intent {
	case "":
		return false
	case personas.IntentHelp, personas.IntentBot, personas.IntentThanks:
		return true
	case personas.IntentGreeting:
		if talk == nlu.AskFeeling { // "How are you?"
			return v.Answer != nil
		}
	}
	return slices.Contains([]nlu.Talk{nlu.NoTalk, nlu.AboutPlayer, nlu.Nonsense, nlu.Gesture, nlu.SmallGesture, nlu.Puzzlement}, talk)
}

// answerTo returns the author's answer to an intent; nil if there is none. A player who has not
// understood gets the answer to the goal, else that to help.
func (s *scene) answerTo(intent personas.Intent) *personas.Answer {
	at := placeOfInput(s.Input)
	answer := offline.AnswerFor(at, intent)
	if intent != personas.IntentNotUnderstood || answer != nil {
		return answer
	}
	if answer = offline.AnswerFor(at, personas.IntentGoal); answer == nil {
		answer = offline.AnswerFor(at, personas.IntentHelp)
	}
	return answer
}

// knowsAnswer reports whether what the narrator's answer to an intent needs is known.
func (s *scene) knowsAnswer(intent personas.Intent) bool {
	switch intent {
	case personas.IntentMyName:
		return s.playerName() != ""
	case personas.IntentRepeat:
		return s.lastSaid() != ""
	case personas.IntentNotUnderstood:
		return s.goal() != ""
	}
	return true
}

// answerUnknown returns what the character says to words that it does not understand.
func (s *scene) answerUnknown() (llm.GeneratedText, error) {
	if s.State != nil && s.State.Offline != nil {
		line, err := s.chooseLine(saltReply, "state "+s.State.Key+", unknown", s.State.Offline.Lines.Unknown)
		if line.Text != "" || err != nil {
			return line, err
		}
	}
	return s.pickLine(saltReply, s.plainReply(llm.StepResult{Aside: true}), "plain line for words not understood"), nil
}

// addHint adds the objective after the second aside in a row, and not again soon.
func (s *scene) addHint(line *llm.GeneratedText) {
	hint := s.fillLine(s.texts.Hint, s.State)
	if line.Text != "" && s.Asides+1 >= hintAfter && s.goal() != "" && !wasHinted(s.Recent, hint) {
		line.Text += "\n\n" + hint
		line.Why += "; a hint"
	}
}

// wasHinted reports whether one of the last replies ends with a hint.
func wasHinted(recent []llm.Message, hint string) bool {
	replies := 0
	for _, m := range slices.Backward(recent) {
		if m.Role != "assistant" {
			continue
		}
		if replies++; strings.HasSuffix(m.Text, hint) {
			return true
		}
		if replies == hintPause {
			break
		}
	}
	return false
}

// foreignLine returns, in another language, that the character does not understand it. In a
// language without that sentence it is a plain one of the persona's language.
func (s *scene) foreignLine(code string) string {
	read := s.model.texts[code]
	if read == nil {
		return s.fillLine(s.texts.Lines["unknown"][0], s.State)
	}
	f := read().Foreign
	name := f.Names[languageOf(s.Input)]
	if name == "" {
		name = f.Names[english]
	}
	return strings.NewReplacer("{who}", s.personaName(), "{language}", name).Replace(f.Line)
}
