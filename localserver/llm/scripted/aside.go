package scripted

import (
	"cmp"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

const (
	hintAfter = 2 // consecutive asides before a hint
	hintPause = 3 // replies between hints
)

type asideMeaning struct {
	intent personas.Intent
	talk   intent.Talk // also NoTalk if intent is more specific
	answer *personas.Answer
}

var sameTalk = map[intent.Talk]intent.Talk{"a good wish": "a compliment", "sympathy": "a compliment"}

func (s *scene) answerAside(verdict *intent.Verdict) (llm.GeneratedText, error) {
	message, _, marked := cutDirectorMark(s.Message)
	meaning := asideMeaning{intent: verdict.Intent, answer: verdict.Answer}
	if !marked || !s.MayDirect { // else the mark says what the message is
		meaning = s.hear(verdict, message)
	}
	if meaning.answer != nil {
		if line, err := s.expandFreshLine(saltReply, "an answer", meaning.answer.Say); line.Text != "" || err != nil {
			return line, err
		}
	}
	if verdict.Language != "" {
		reason := "offline: plain line for " + verdict.Language
		return llm.GeneratedText{Text: s.foreignLine(verdict.Language), Why: reason}, nil
	}
	var line llm.GeneratedText
	var err error
	missed := s.wasMissed(verdict, meaning, message)
	if named := meaning.openIntent(message); named != "" && !missed {
		if answer := intent.AnswerFor(placeOfInput(s.Input), named); answer != nil {
			line, err = s.expandFreshLine(saltReply, "an answer to any "+string(named), answer.Say)
		}
	}
	switch talk, plain := s.texts.Talk[cmp.Or(sameTalk[meaning.talk], meaning.talk)], s.texts.Intents[meaning.intent]; {
	case line.Text != "" || err != nil:
	case len(talk) > 0 && !missed:
		line = s.freshLine(saltReply, s.fill(talk, s.State), "plain line for "+string(meaning.talk))
	case len(plain) > 0 && !missed && s.knowsAnswer(meaning.intent):
		line = s.freshLine(saltReply, s.fill(plain, s.State), "plain line for "+string(meaning.intent))
	default:
		line, err = s.answerUnknown()
	}
	if meaning.intent == "" && mayBeAttempt[meaning.talk] {
		s.addHint(&line)
	}
	return line, err
}

// Below this probability, a remark is more likely a misunderstood answer to the character.
const surelyAside = 0.7

var mayBeMissed = map[intent.Talk]bool{
	intent.NoTalk: true, intent.Nonsense: true, intent.AboutPlayer: true, intent.Remark: true,
}

func (s *scene) wasMissed(v *intent.Verdict, h asideMeaning, message string) bool {
	if h.intent != "" || !mayBeMissed[h.talk] || v.Confidence >= surelyAside || strings.ContainsAny(message, "?？") {
		return false
	}
	return s.State != nil && s.State.Offline != nil && len(s.State.Offline.Lines.Unknown) > 0
}

func (h *asideMeaning) openIntent(message string) personas.Intent {
	isUnclear := h.talk == intent.NoTalk || h.talk == intent.Nonsense
	switch {
	case h.intent == personas.IntentWhere, h.intent == personas.IntentWhoAreYou:
		return personas.IntentQuestion
	case h.intent == "" && (h.talk.IsQuestion() || mayBeAttempt[h.talk] && strings.ContainsAny(message, "?？")):
		return personas.IntentQuestion
	case h.intent == "" && mayBeAttempt[h.talk] && !isUnclear:
		return personas.IntentRemark
	}
	return ""
}

// A player may offer these kinds of small talk as a reason.
var mayBeAttempt = map[intent.Talk]bool{
	intent.NoTalk: true, intent.Nonsense: true, intent.AboutPlayer: true, intent.Remark: true,
	intent.Wonder: true, intent.Weather: true, intent.Weariness: true, intent.BadNews: true, intent.GoodNews: true,
}

var talkIntents = map[intent.Talk]personas.Intent{
	intent.AskBot: personas.IntentBot, intent.Farewell: personas.IntentGoodbye,
	intent.Puzzlement: personas.IntentNotUnderstood, intent.AskGame: personas.IntentHelp,
}

func (s *scene) hear(verdict *intent.Verdict, message string) asideMeaning {
	if verdict.Answer != nil && verdict.Intent == "" || verdict.Language != "" {
		return asideMeaning{intent: verdict.Intent, answer: verdict.Answer}
	}
	meaning := asideMeaning{intent: verdict.Intent}
	if s.introducedName(message) != "" {
		meaning.intent = personas.IntentMyNameIs
	} else if talk := s.smallTalk(verdict, message); !keepsIntent(verdict, talk) {
		meaning.intent = talkIntents[talk]
		switch {
		case meaning.intent != "":
		case verdict.Intent == "" && mayBeAttempt[talk] && intent.BeginsWithGreeting(message):
			meaning.intent = personas.IntentGreeting
		default:
			meaning.talk = talk
		}
	}
	if meaning.intent != "" {
		meaning.answer = s.answerTo(meaning.intent)
	}
	return meaning
}

func (s *scene) smallTalk(verdict *intent.Verdict, message string) intent.Talk {
	return s.model.reader().SmallTalk(message, languageOf(s.Input), verdict.Intent == "")
}

func keepsIntent(v *intent.Verdict, talk intent.Talk) bool {
	switch v.Intent {
	case "":
		return false
	case personas.IntentHelp, personas.IntentBot, personas.IntentThanks:
		return true
	case personas.IntentGreeting:
		if talk == intent.AskFeeling { // "How are you?"
			return v.Answer != nil
		}
	}
	switch talk {
	case intent.NoTalk, intent.AboutPlayer, intent.Nonsense, intent.Gesture, intent.Puzzlement:
		return true
	}
	return false
}

func (s *scene) answerTo(named personas.Intent) *personas.Answer {
	place := placeOfInput(s.Input)
	answer := intent.AnswerFor(place, named)
	if named != personas.IntentNotUnderstood || answer != nil {
		return answer
	}
	return cmp.Or(intent.AnswerFor(place, personas.IntentGoal), intent.AnswerFor(place, personas.IntentHelp))
}

func (s *scene) knowsAnswer(named personas.Intent) bool {
	switch named {
	case personas.IntentMyName:
		return s.playerName() != ""
	case personas.IntentRepeat:
		return s.lastSaid() != ""
	case personas.IntentNotUnderstood:
		return s.goal() != ""
	}
	return true
}

func (s *scene) answerUnknown() (llm.GeneratedText, error) {
	if s.State != nil && s.State.Offline != nil {
		line, err := s.expandFreshLine(saltReply, "state "+s.State.Key+", unknown", s.State.Offline.Lines.Unknown)
		if line.Text != "" || err != nil {
			return line, err
		}
	}
	return s.freshLine(saltReply, s.plainReply(llm.StepResult{Aside: true}), "plain line for words not understood"), nil
}

func (s *scene) addHint(line *llm.GeneratedText) {
	hint, replies := s.fillLine(s.texts.Hint, s.State), characterLines(s.Recent)
	wasHinted := slices.ContainsFunc(replies[max(0, len(replies)-hintPause):], func(reply string) bool {
		return strings.HasSuffix(reply, hint)
	})
	if line.Text != "" && s.Asides+1 >= hintAfter && s.goal() != "" && !wasHinted {
		line.Text += "\n\n" + hint
		line.Why += "; a hint"
	}
}

func (s *scene) foreignLine(code string) string {
	read := s.model.texts[code]
	if read == nil {
		return s.fillLine(s.texts.Lines["unknown"][0], s.State)
	}
	f := read().Foreign
	name := cmp.Or(f.Names[languageOf(s.Input)], f.Names[english])
	return strings.NewReplacer("{who}", s.personaName(), "{language}", name).Replace(f.Line)
}
