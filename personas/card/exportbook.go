package card

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// writeBook writes the answers as the entries of a lorebook. If an answer was made from an entry of
// the original card and has not changed, writeBook copies that entry.
func (x *exporter) writeBook() {
	answers := newAnswerList(x.listAnswers())
	kept, order := listNode(), 0
	if x.isFromCard() {
		v := newConversion(x.from)
		for _, made := range v.convertExamples() {
			answers.drop(&made) // The card still contains its example dialogues.
		}
		kept = x.keepEntries(answers, v)
		for i := range x.from.Book {
			order = max(order, int(min(x.from.Book[i].Order, 1e9)))
		}
	}
	added := 0
	for i := range answers.all {
		if !answers.dropped[i] {
			added++
			kept.items = append(kept.items, x.newEntry(&answers.all[i], order+added))
		}
	}
	if added > 0 {
		x.take("answers", "%s in data.character_book", countThings(added, "entry"))
	}
	book := x.data.get("character_book")
	switch {
	case book != nil && book.kind == '{':
		book.set("entries", kept)
	case len(kept.items) > 0:
		book = &node{kind: '{'}
		book.set("entries", kept)
		book.set("extensions", &node{kind: '{'})
		x.data.set("character_book", book)
	}
}

// listAnswers returns the answers of the persona, its machines and its states. It skips answers to
// an intent, because a lorebook finds its entries by keywords.
func (x *exporter) listAnswers() []personas.Answer {
	var all []personas.Answer
	intents, lines := 0, 0
	add := func(answers []personas.Answer) {
		for _, a := range answers {
			if a.Intent != "" || len(a.Ask) == 0 || len(a.Say) == 0 {
				intents++
				continue
			}
			lines += len(a.Say) - 1
			all = append(all, a)
		}
	}
	if x.p.Offline != nil {
		add(x.p.Offline.Answers)
	}
	for i := range x.p.Machines {
		m := &x.p.Machines[i]
		if m.Offline != nil {
			add(m.Offline.Answers)
		}
		for k := range m.States {
			if m.States[k].Offline != nil {
				add(m.States[k].Offline.Answers)
			}
		}
	}
	if intents > 0 {
		x.leave("answers", "%s to an intent", countThings(intents, "answer"))
	}
	if lines > 0 {
		x.leave("answers", "%s besides the first ones", countThings(lines, "line"))
	}
	return all
}

// keepEntries returns the entries of the original card that are copied unchanged. It removes the
// answers that were made from them from answers.
func (x *exporter) keepEntries(answers *answerList, v *conversion) *node {
	kept := listNode()
	entries := x.data.get("character_book").get("entries")
	if entries == nil || entries.kind != '[' {
		return kept
	}
	isPromptSame := x.p.IdentityPrompt == x.before.IdentityPrompt
	for i := range x.from.Book {
		made, why := v.convertEntry(&x.from.Book[i], "")
		isKept := why != ""
		switch {
		case isKept:
		case made.always:
			isKept = isPromptSame // Otherwise the description contains it.
		default:
			isKept = answers.drop(&personas.Answer{Ask: made.keys, Say: []string{made.content}})
		}
		if isKept {
			kept.items = append(kept.items, entries.items[i])
		}
	}
	return kept
}

type answerList struct {
	all     []personas.Answer
	dropped []bool
	places  map[string][]int // the indexes of the remaining answers, by answerKey
}

func newAnswerList(all []personas.Answer) *answerList {
	l := &answerList{all, make([]bool, len(all)), map[string][]int{}}
	for i := range all {
		key := answerKey(&all[i])
		l.places[key] = append(l.places[key], i)
	}
	return l
}

func answerKey(a *personas.Answer) string { return fmt.Sprintf("%q %q", a.Ask, a.Say) }

func (l *answerList) drop(like *personas.Answer) bool {
	key := answerKey(like)
	places := l.places[key]
	if len(places) == 0 {
		return false
	}
	l.dropped[places[0]] = true
	l.places[key] = places[1:]
	return true
}

func (x *exporter) newEntry(a *personas.Answer, order int) *node {
	keys := listNode()
	for _, key := range a.Ask {
		keys.items = append(keys.items, textNode(key))
	}
	e := &node{kind: '{'}
	e.set("keys", keys)
	e.set("content", textNode(x.t.untranslate(a.Say[0], "answers", x.variables)))
	e.set("extensions", &node{kind: '{'})
	e.set("enabled", &node{kind: 'x', text: "true"})
	e.set("insertion_order", &node{kind: 'x', text: fmt.Sprint(order)})
	e.set("use_regex", &node{kind: 'x', text: "false"})
	return e
}
