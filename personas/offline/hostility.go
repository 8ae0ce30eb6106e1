package offline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	// harmless is how probable it is of an idiom, a report or a denial of violence.
	harmless = 0.5
	// surelyAggressive is what an attack or an insult counts that is beyond doubt.
	surelyAggressive = 0.75
)

// asksForAttacks is what a criterion says that throws out who insults, threatens or attacks, in
// the languages whose attacks are known.
var asksForAttacks = plaintext.Pattern(`(?i)insult|threat|attack|rude|violen|swear|curse|abus|hurt|hits?\b|beat|harm|offen[sd]|beleidig|beschimpf|droh|angreif|greift|gewalt|menac|injuri|frapp|agress|amenaz|atac|golpe|ameac|ameaç|agredi|ofend|minacc|aggred|picchi`)

// attacked is how probable an attack in so many words is.
const attacked = 0.95

// hostileChoice returns the kick_out that an attack in so many words is, in a language other
// than English, or in English to whom it is foreign; -1 for none. Other English attacks the
// weights know.
func (m *measurement) hostileChoice() int {
	if m.hostile == nlu.NoTalk {
		return -1
	}
	for k := range m.state.choices {
		if c := &m.state.choices[k]; c.kind == kickOut && !c.isBare() && m.isAboutAttacks(k) {
			return k
		}
	}
	return -1
}

// noteEnglishAttack notes that a message in English attacks a character who speaks another
// language.
func (m *measurement) noteEnglishAttack(code string) {
	if a := &m.message.acts; code == "en" && a.Blocked < 1 && m.message.sumClasses(idleTalkClasses[:]) <= harmless {
		switch {
		case max(a.Violence, a.Menace, a.Theft) >= surelyAggressive:
			m.hostile = nlu.Threatening
		case a.Insult >= surelyAggressive || m.message.sumClasses(hostileClasses[:]) >= surelyAggressive:
			m.hostile = nlu.Insulting
		}
	}
}

// isAboutAttacks reports whether the criteria or an example of a choice speak of attacks.
func (m *measurement) isAboutAttacks(k int) bool {
	for _, text := range m.state.choices[k].criteria {
		if asksForAttacks().MatchString(clipText(text)) {
			return true
		}
	}
	return m.state.hostile[k]
}

// hostileVerdict is the verdict on an attack in so many words.
func (r *Reader) hostileVerdict(at *Place, m *measurement, kick int) Verdict {
	v := r.verdict(at, m, kick, attacked)
	v.Why = fmt.Sprintf("%s: %s in so many words", v.Decision, m.hostile)
	return v
}

const (
	// certainKick is how probable a kick_out must be, since it ends a player's
	// game, and certainProseKick where no example says what the author means.
	certainKick, certainProseKick = 0.75, 0.7
	// certainDeed is that of what is done, between stars, without an example that is near.
	certainDeed = 0.85
	// certainUnnamed is that of an attack without a word of one and without an example that is
	// near, while the character may still ask what was meant.
	// certainUnlike is the same where next to nothing is shared with an example either.
	certainUnnamed, certainUnlike = 0.9, 0.93
	// hostility is how probable it must be that a message insults, threatens, attacks,
	// steals or bribes, unless it is as near to an example of a kick_out as provenExample.
	hostility, provenExample = 0.3, 0.40
	// plainlyHostile is how probable the most probable kind of attack must be.
	plainlyHostile = 0.5
	// looksHostile is how probable all kinds of attack must be together of what only looks like what
	// is thrown out elsewhere.
	looksHostile = 0.4
	// plainDamage is how probable the kinds of attack must be of a deed that is aimed at nobody, and
	// damage of one that looks like what is thrown out elsewhere, by looksPlain.
	plainDamage, damage, looksPlain = 0.92, 0.7, 0.95
	// surelyKick is how probable a kick_out is that needs no other sign of hostility.
	surelyKick = 0.9
	// doubted is how probable a kick_out is that is asked about.
	doubted = 0.4
	// leastDoubtedPass is how probable a pass must be that is taken in place of a doubtful
	// kick_out.
	leastDoubtedPass = 0.35
	// plausible is how probable a decision must be that is taken in place of a
	// doubtful kick_out.
	plausible = 0.3
	// hopeless is how probable it is at most in place of what the character rather asks
	// about.
	hopeless = 0.1
	// sureExample is the likeness of an example of a kick_out from which what looks harmless
	// is none.
	sureExample = 0.65
)

// hostileClasses are what kick_out is mostly for.
var hostileClasses = [...]int{
	classOf("insult"), classOf("threat"), classOf("violence"), classOf("theft"), classOf("crude"), classOf("bribe"),
}

// possibleKick is a kick_out that a message may be.
type possibleKick struct {
	m *measurement
	f *features // of the choice
}

func (m *measurement) possibleKick(k int) possibleKick { return possibleKick{m, &m.features[k]} }

// hostility returns how probable it is that the message is an attack of any kind.
func (p possibleKick) hostility() float64 {
	sum := 0.0
	for _, class := range hostileClasses {
		sum += p.f[fManner+class]
	}
	return max(sum, p.f[fAggression], p.f[fMenace])
}

// isHostile reports whether the message may be what the author throws players out for. A
// question, a report, the past, a third person and an idiom are not.
func (p possibleKick) isHostile() bool {
	hostile := p.hostility()
	if p.f[fBlocked] >= 1 && hostile < surelyAggressive || p.m.message.sumClasses(idleTalkClasses[:]) > harmless && p.f[fBest] < sureExample || p.soundsHarmless() {
		return false
	}
	return p.f[fBest] >= provenExample || hostile >= hostility && p.isPlainlyHostile()
}

// soundsHarmless reports whether nothing of the message sounds like an attack, so that an example
// shares no more than a word with it: "Good evening, Captain" with "I push the captain".
func (p possibleKick) soundsHarmless() bool {
	a := &p.m.message.acts
	if p.f[fBest] >= sureExample || a.Violence+a.Insult+a.Theft+a.Menace > 0 {
		return false
	}
	return p.m.message.sumClasses(hostileClasses[:]) < looksHostile && p.looks() < hostility || p.f[fBest] < provenExample && offersKindly().MatchString(p.m.text)
}

// offersKindly is how something is offered: no attack is made with these words, unless one of an
// attack stands beside them.
var offersKindly = plaintext.Pattern(`(?i)\b(?:for you|if you(?:'d| would)? (?:like|want|prefer)|would you (?:like|prefer)|i (?:brought|baked|made|got) (?:you|u)|just for (?:you|u)|shall (?:i|we)|you(?:'d| would) be (?:just as|more|much) \w+)\b`)

// looks returns how much the message looks like what is thrown out elsewhere.
func (p possibleKick) looks() float64 { return math.Exp(p.m.message.kinds[kickOut]) }

// isPlainlyHostile reports whether a message that is like no example of a kick_out is by
// one kind of attack, or looks like what is thrown out elsewhere: a little of several kinds
// is what any strange message has.
func (p possibleKick) isPlainlyHostile() bool {
	most := max(p.f[fAggression], p.f[fMenace])
	if p.m.message.sumClasses(hostileClasses[:]) >= looksHostile {
		most = max(most, p.looks())
	}
	for _, class := range hostileClasses {
		most = max(most, p.f[fManner+class])
	}
	return most >= plainlyHostile
}

// somebody is whom a deed may be done to.
var somebody = plaintext.Pattern(`(?i)\b(you|your|u|ur|him|her|his|their|them|at)\b`)

// isAimed reports whether a deed is done to somebody: to the one spoken to, by a pronoun, a
// word of the name or what the character is. What is done to a thing may be a part of the scene.
func (p possibleKick) isAimed(of *personas.Persona) bool {
	if somebody().MatchString(p.m.text) {
		return true
	}
	words := foldedWords(p.m.text)
	return slices.ContainsFunc(append(foldedWords(of.Name), kindOf(of.Description)), func(w string) bool { return slices.Contains(words, w) })
}

// describedAs is how a description begins: what somebody is stands before the first little word.
var describedAs = plaintext.Pattern(`^(?:[\pL'’-]+ )*?([\pL'’-]+)(?: (?:of|in|at|on|with|who|that|for|from|to|and|by|is)\b|[.,;:(]|$)`)

// kindOf returns what a description says first that somebody is, folded: "A library cat." is a cat.
func kindOf(description string) string {
	found := describedAs().FindStringSubmatch(clipText(description))
	if found == nil {
		return ""
	}
	return nlu.Fold(found[1])
}

// isPlainDamage reports whether a deed is one that next to everybody is thrown out for, whoever it is
// done to: "*kicks the frame until it bends*".
func (p possibleKick) isPlainDamage() bool {
	hostile := p.m.message.sumClasses(hostileClasses[:])
	return hostile >= plainDamage || hostile >= damage && p.looks() >= looksPlain
}

// isHarmlessDeed reports whether the message is a deed that may be a part of the scene: who burns
// his fingers or knocks at a door is not thrown out, however often he does.
func (p possibleKick) isHarmlessDeed(of *personas.Persona) bool {
	return p.m.message.acts.Done && p.f[fBest] < provenExample && !p.isAimed(of) && (p.takesOwn() || !p.isPlainDamage())
}

// takesOut is who takes something out that he has with him, and weapon what then is none the less a
// threat.
var (
	takesOut = plaintext.Pattern(`(?i)\b(?:(?:in|into|from|out of|through|inside|of) (?:my|(?:his|her|their|my) own|an?) (?:[a-z]+ ){0,2}(?:pocket|bag|coat|sleeve|backpack|rucksack|satchel|purse|wallet|jacket|hat|basket|pouch|case|apron)s?|(?:pull|take|bring|get|fishe|dig|fetche)s? out (?:an?|some|my|two|three|the last))\b`)
	weapon   = plaintext.Pattern(`(?i)\b(?:knife|knives|dagger|blade|sword|gun|pistol|rifle|revolver|axe|club|bat|hammer|crowbar|whip|rope|match|matches|lighter|torch|bomb|grenade|poison|acid|spray|stone|rock|brick)\b`)
)

// takesOwn reports whether a deed only takes something out of one's own pocket, which sounds like
// theft and is an offer.
func (p possibleKick) takesOwn() bool {
	return takesOut().MatchString(p.m.text) && !weapon().MatchString(p.m.text)
}

// isCertain reports whether the message surely is what the author throws players out for.
func (p possibleKick) isCertain(at *Place, probability float64) bool {
	switch {
	case p.isHarmlessDeed(at.Persona):
		return false
	case nlu.KnowsHostility(p.m.state.language) && p.m.hostile == nlu.NoTalk && p.f[fBest] < nearExample:
		return false // What the weights know of attacks is English.
	}
	return probability >= p.leastProbability(at.FollowUpAllowed) && (p.isHostile() || probability >= surelyKick && p.isPlainlyHostile())
}

// leastProbability returns how probable the kick_out must be.
func (p possibleKick) leastProbability(mayAsk bool) float64 {
	if len(p.m.state.examples.texts) == 0 {
		return certainProseKick
	}
	a, near := &p.m.message.acts, p.f[fBest]
	unnamed := mayAsk && a.Violence+a.Insult+a.Theft == 0 && p.m.hostile == nlu.NoTalk
	switch {
	case unnamed && near < unfounded:
		return certainUnlike
	case unnamed && near < provenExample:
		return certainUnnamed
	case a.Done && near < provenExample:
		return certainDeed
	}
	return certainKick
}

// doubtfulKick asks again where a kick_out is not certain, else takes what is
// next most probable.
func (r *Reader) doubtfulKick(at *Place, m *measurement, kick int, probability []float64) Verdict {
	next := m.mostProbable(probability, func(k kind) bool { return k != kickOut })
	if m.state.choices[next].kind == pass && (probability[next] < m.leastPass(next)*(1-probability[kick]) || probability[next] < leastDoubtedPass || m.isBareTopic(next)) {
		next = m.mostProbable(probability, func(k kind) bool { return k != kickOut && k != pass })
	}
	asks := strings.Contains(m.text, "?") && m.features[kick][fBest] < supported && !m.possibleKick(kick).isHostile()
	if asks || probability[next] < plausible && !at.FollowUpAllowed {
		return r.verdict(at, m, len(probability)-1, probability[len(probability)-1])
	}
	if at.FollowUpAllowed && (m.possibleKick(kick).isHostile() && probability[kick] >= doubted && probability[next] < plausible || probability[next] < hopeless) {
		return askAgain(m.state.choices[kick].decision, probability[kick])
	}
	return r.verdict(at, m, next, probability[next])
}
