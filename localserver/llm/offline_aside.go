package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/offline"
)

const (
	// hintAfter is after how many asides in a row a hint is given.
	hintAfter = 2
	// hintPause is how many replies after a hint have none.
	hintPause = 3
)

// answerAside answers what decides nothing. The first that applies: the author's
// answer to what was asked, that the language is another one, the name by which the
// player introduces himself, what the author tells of something of which was spoken, what the
// author says to any question or remark, small talk, an intent (the author's answer, else a
// narrator's), and else that the words were not understood
// (docs/decisions/llm.md, aside-lines).
func (o *Offline) answerAside(input Input, v *offline.Verdict) (GeneratedText, error) {
	understood, talk := o.understandTalk(input, *v)
	if understood.Intent == personas.IntentNotUnderstood && understood.Answer == nil {
		understood.Answer = explainingAnswer(input)
	}
	if understood.Answer != nil && talk == nlu.NoTalk {
		line, found, err := o.chooseLine(input, saltReply, "an answer", understood.Answer.Say)
		if found || err != nil {
			return line, err
		}
	}
	if v.Language != "" {
		return GeneratedText{Text: foreignLine(input, v.Language), Why: "offline: plain line for " + v.Language}, nil
	}
	if line, found := o.answerAsked(input); found {
		return line, nil
	}
	if line, found, err := o.answerOpenly(input, understood.Intent, talk); found || err != nil {
		return line, err
	}
	if lines := linesInVoice(input, plainOf(input).talk[talk]); len(lines) > 0 {
		return o.answerTalk(input, talk, lines), nil
	}
	if lines := plainOf(input).intents[understood.Intent]; len(lines) > 0 && o.hasAnswerFor(input, understood.Intent) {
		text := o.pickLine(input, saltReply, fillAll(input, input.State, lines, ""))
		return GeneratedText{Text: text, Why: fmt.Sprintf("offline: plain line for %s", understood.Intent)}, nil
	}
	return o.answerUnknown(input)
}

// answerOpenly says what the author has for any other question, or for any other remark.
func (o *Offline) answerOpenly(input Input, known personas.Intent, talk nlu.Talk) (line GeneratedText, found bool, err error) {
	intent := openIntent(input, talk)
	if known != "" || intent == "" {
		return GeneratedText{}, false, nil
	}
	answer := offline.AnswerFor(placeOfInput(input), intent)
	if answer == nil {
		return GeneratedText{}, false, nil
	}
	line, found, err = o.chooseLine(input, saltReply, fmt.Sprintf("an answer to any %s", intent), answer.Say)
	if found && (intent == personas.IntentRemark || talk == nlu.NoTalk) {
		o.addHint(input, &line)
	}
	return line, found, err
}

// askedUnmarked is how a question in English begins, which needs no mark to be one.
var askedUnmarked = regexp.MustCompile(`(?i)^(?:(?:so|and|but|ok|hey|hi|oh|wait|hm+|yo)[, ]+)*(?:(?:is|are|was|were|does|did|has|isn'?t|aren'?t|doesn'?t) (?:you|u|it|this|that|there|the|your|ur|he|she|they|anyone|anybody|\w+ (?:your|ur|real|always|really))\b|(?:do|can|could|have|will|would|don'?t) (?:you|u|they|people|cats|anyone)\b|why\b|who(?:'?s)?\b|where(?:'?s)?\b|when\b|which\b|whose\b|what(?:'?s| (?:is|are|do|does|did|was|kind|sort|happens|happened|made|brings))\b|how (?:do|does|did|long|old|many|much|come|often|is|are|was)\b)`)

// openIntent is what a kind of small talk is where the author answers none more exactly: a question,
// a remark, or neither. How the character feels, the age and the time have answers of their own.
func openIntent(input Input, talk nlu.Talk) personas.Intent {
	switch talk {
	case nlu.AskFeeling, nlu.AskAge, nlu.AskTime, nlu.AskSince, nlu.AskBot, nlu.AskGame:
		return ""
	case nlu.NoTalk, nlu.AboutPlayer, nlu.Remark:
		words, _, _ := CutDirectorMark(input.Message)
		switch marked := strings.HasSuffix(strings.TrimSpace(words), "?"); {
		case marked && talk == nlu.NoTalk, languageOf(input) == "en" && askedUnmarked.MatchString(words):
			return personas.IntentQuestion
		case talk == nlu.NoTalk:
			return ""
		}
		return personas.IntentRemark
	case nlu.Wonder, nlu.Weather:
		return personas.IntentRemark
	case nlu.AskWhy:
		return personas.IntentQuestion
	}
	if talk.IsQuestion() {
		return personas.IntentQuestion
	}
	return ""
}

// explainingAnswer is the author's answer that says best what is meant, to who has not understood:
// what the character wants, else what helps; nil for none.
func explainingAnswer(input Input) *personas.Answer {
	if answer := offline.AnswerFor(placeOfInput(input), personas.IntentGoal); answer != nil {
		return answer
	}
	return offline.AnswerFor(placeOfInput(input), personas.IntentHelp)
}

// linesInVoice are the lines for a kind of small talk that do not break the voice: where the
// author has written lines for the state, what is said goes before what a narrator tells, if there
// is enough of it.
func linesInVoice(input Input, lines []string) []string {
	if input.State == nil || input.State.Offline == nil || len(input.State.Offline.Lines.Unknown) == 0 {
		return lines
	}
	said := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.HasPrefix(line, "(") })
	if len(said) < 2 {
		return lines
	}
	return said
}

// asksWho is what a question has that asks who somebody is.
var asksWho = regexp.MustCompile(`(?i)\b(who|whos|name|names|called|yourself|introduce|what (are|r) (you|u)|(are|r) (you|u) (a|an|the|my|some))\b`)

// talkIntents are the kinds of small talk that are an intent.
var talkIntents = map[nlu.Talk]personas.Intent{nlu.AskBot: personas.IntentBot, nlu.Farewell: personas.IntentGoodbye, nlu.Puzzlement: personas.IntentNotUnderstood, nlu.AskGame: personas.IntentHelp}

// understandTalk adds to a verdict on an aside what its words say besides: the player's
// name, an intent, or which kind of small talk it is. What the author answers to such a
// question, and another language, stay as they are.
func (o *Offline) understandTalk(input Input, v offline.Verdict) (offline.Verdict, nlu.Talk) {
	words, marked, _ := CutDirectorMark(input.Message)
	if v.Answer != nil && v.Intent == "" || v.Language != "" || marked != "" && input.MayDirect {
		return v, nlu.NoTalk
	}
	if introducedName(input, words) != "" {
		return withIntent(input, v, personas.IntentMyNameIs), nlu.NoTalk
	}
	if v.Intent == personas.IntentWhoAreYou && languageOf(input) == "en" && !asksWho.MatchString(words) {
		v.Intent, v.Answer = "", nil // No name for "do you get many strange calls?".
	}
	talk := o.findTalk(words, v.Intent, languageOf(input))
	if isTalkOf(v.Intent, v.Answer != nil, talk, words) {
		return v, nlu.NoTalk
	}
	if intent := talkIntents[talk]; intent != "" {
		return withIntent(input, v, intent), nlu.NoTalk
	}
	if v.Intent == "" && offline.BeginsWithGreeting(words) {
		return understandGreeting(input, v, talk, words)
	}
	return v, talk
}

// mostGreeted is how many words a greeting has at most with whom it greets.
const mostGreeted = 5

// understandGreeting says what a message is that greets and says something else: a greeting where
// that is a name or two, or where the author answers greetings.
func understandGreeting(input Input, v offline.Verdict, talk nlu.Talk, words string) (offline.Verdict, nlu.Talk) {
	greeted := withIntent(input, v, personas.IntentGreeting)
	switch {
	case (talk == nlu.NoTalk || talk == nlu.Nonsense) && len(strings.Fields(words)) <= mostGreeted:
		return greeted, nlu.NoTalk
	case talk != nlu.AboutPlayer && talk != nlu.Remark:
		return v, talk
	case greeted.Answer != nil:
		return greeted, nlu.NoTalk
	}
	return v, nlu.Greeted
}

// findTalk returns which kind of small talk words are: where they have no intent, also by what
// they look like.
func (o *Offline) findTalk(words string, intent personas.Intent, language string) nlu.Talk {
	return o.reader().SmallTalk(words, language, intent == "")
}

func withIntent(input Input, v offline.Verdict, intent personas.Intent) offline.Verdict {
	v.Intent, v.Answer = intent, offline.AnswerFor(placeOfInput(input), intent)
	return v
}

// isTalkOf reports whether an intent says as much of a message as its kind of small
// talk, or more.
func isTalkOf(intent personas.Intent, answered bool, talk nlu.Talk, words string) bool {
	switch intent {
	case "":
		return false
	case personas.IntentHelp, personas.IntentBot:
		return true
	case personas.IntentRepeat:
		return !talk.IsQuestion() && (talk != nlu.Apology && talk != nlu.Complaint || strings.Contains(words, "?"))
	case personas.IntentThanks:
		return talk != nlu.Compliment || hasThanks(words)
	case personas.IntentGoodbye:
		return talk != nlu.Weather && talk != nlu.AskOpinion
	case personas.IntentGreeting:
		return talk == nlu.AskFeeling && answered || talk == nlu.AboutPlayer || talk == nlu.Nonsense || talk == nlu.Gesture || talk == nlu.SmallGesture
	case personas.IntentMyNameIs:
		return talk == nlu.AboutPlayer
	}
	return talk == nlu.AboutPlayer || talk == nlu.Nonsense || talk == nlu.Gesture || talk == nlu.Puzzlement
}

// hasThanks reports whether words thank in so many words.
func hasThanks(words string) bool {
	folded := nlu.Fold(words)
	return strings.Contains(folded, "thank") || strings.Contains(folded, "thx") || strings.Contains(folded, "appreciate")
}

// answerTalk is a narrator's answer to small talk. What the player tells of himself may
// have been an attempt, and after the second aside in a row it is said what it is about.
func (o *Offline) answerTalk(input Input, talk nlu.Talk, lines []string) GeneratedText {
	line := GeneratedText{
		Text: o.pickLine(input, saltReply, fillAll(input, input.State, lines, "")),
		Why:  fmt.Sprintf("offline: plain line for %s", talk),
	}
	if talk == nlu.AboutPlayer || talk == nlu.Remark || talk == nlu.Nonsense {
		o.addHint(input, &line)
	}
	return line
}

// hasAnswerFor reports whether what a plain answer needs is known.
func (o *Offline) hasAnswerFor(input Input, intent personas.Intent) bool {
	switch intent {
	case personas.IntentMyName:
		return input.calledName() != ""
	case personas.IntentRepeat:
		return lastSaid(input) != ""
	case personas.IntentNotUnderstood:
		return goalOf(input) != ""
	}
	return true
}

// answerUnknown is what the character says to words that it does not understand;
// after the second in a row it hints at the objective.
func (o *Offline) answerUnknown(input Input) (GeneratedText, error) {
	var line GeneratedText
	var found bool
	var err error
	if input.State != nil && input.State.Offline != nil {
		line, found, err = o.chooseLine(input, saltReply, "state "+input.State.Key+", unknown", input.State.Offline.Lines.Unknown)
	}
	if err != nil {
		return GeneratedText{}, err
	}
	if !found {
		line = GeneratedText{Text: o.pickLine(input, saltReply, plainReply(input, StepResult{Aside: true})), Why: "offline: plain line for words not understood"}
	}
	o.addHint(input, &line)
	return line, nil
}

// addHint says what there is to do, after the second aside in a row, and not again soon.
func (o *Offline) addHint(input Input, line *GeneratedText) {
	hint := fillPlain(input, input.State, plainOf(input).hint)
	if input.Asides+1 >= hintAfter && goalOf(input) != "" && !wasHinted(input.Recent, hint) {
		line.Text += "\n\n" + hint
		line.Why += "; a hint"
	}
}

// wasHinted reports whether one of the last replies ends with a hint.
func wasHinted(recent []Message, hint string) bool {
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
