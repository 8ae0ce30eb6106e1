package offline

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

const (
	// farewells are how people take their leave.
	farewells = "bye|goodbye|good bye|farewell|see you|see ya|cya|so long|good night|goodnight|take care|until next time|have a nice day|have a good day|have a good one|have a good night|" +
		"tschuss|tschuess|ciao|auf wiedersehen|bis bald|bis dann|gute nacht|leb wohl|mach gut|au revoir|adieu|a bientot|bonne nuit|bonne soiree|bonne journee|salut et merci|" +
		"adios|hasta luego|hasta pronto|hasta la vista|buenas noches|nos vemos|adeus|tchau|ate logo|ate breve|boa noite|arrivederci|addio|a presto|buonanotte|buona notte"
	// partings are by which words an author speaks of somebody who leaves.
	partings = farewells + "|leave|leaves|leaving|left|walk away|walks away|walk off|walks off|go away|goes away|go home|goes home|give up|gives up|quit|quits|depart|departs|say goodbye|farewell|never mind|" +
		"geht|verlasst|gibt auf|verabschiedet|part|quitte|s en va|abandonne|dit au revoir|se va|se marcha|abandona|se rinde|despide|vai embora|desiste|despede|se ne va|rinuncia|saluta"
	// maxFarewell is how many words of substance a message may have that only takes
	// its leave.
	maxFarewell = 5
)

// isPoliteGoodbye reports whether a message only takes its leave, in peace, and the
// author has not written that leaving means choice k.
func (m *measurement) isPoliteGoodbye(k int, message string) bool {
	c := &m.state.choices[k]
	if c.kind == aside || m.message.acts.Words > maxFarewell || m.message.acts.Violence+m.message.acts.Insult+m.message.acts.Theft > 0 || !hasPhrase(message, farewells) {
		return false
	}
	if i := m.nearest[k]; i >= 0 && m.features[k][fBest] >= answeredScore {
		return false
	}
	return !c.speaksOfLeaving()
}

// speaksOfLeaving reports whether an author's words for a choice tell of somebody who
// leaves.
func (c *choice) speaksOfLeaving() bool {
	for _, text := range c.criteria {
		if hasPhrase(clipText(text), partings) {
			return true
		}
	}
	return false
}

// hasPhrase reports whether a text has one of the phrases as words.
func hasPhrase(text, phrases string) bool {
	words := " " + strings.Join(nlu.Words(text), " ") + " "
	for phrase := range strings.SplitSeq(phrases, "|") {
		if strings.Contains(words, " "+phrase+" ") {
			return true
		}
	}
	return false
}

// courtesyVerdict is the verdict on a polite goodbye or a greeting: it moves nothing.
func courtesyVerdict(at *Place, intent personas.Intent, why string) Verdict {
	return Verdict{
		Decision: personas.AsideName, Intent: intent, Confidence: 1, Answer: findAnswer(at, intent),
		Why: fmt.Sprintf("aside: %s, and %s", intent, why),
	}
}
