package card

import (
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// writeBook writes the answers as the entries of a lorebook. An entry of the card whose
// answer is still there stays as it was, and so does one that made no answer.
func (x *exporter) writeBook() {
	rest := x.listAnswers()
	made := x.dropExamples(&rest)
	kept := listNode()
	if x.isFromCard() {
		kept = x.keepEntries(&rest, made)
	}
	order := x.lastOrder()
	for _, answer := range rest {
		order++
		kept.items = append(kept.items, x.newEntry(&answer, order))
	}
	if len(rest) > 0 {
		x.take("answers", "%s in data.character_book", countThings(len(rest), "entry"))
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

// listAnswers returns the answers of the persona, its machines and its states. Answers to
// an intent have no words by which a lorebook could find them.
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

// dropExamples takes the answers out that come from the card's example dialogues, which it
// has still.
func (x *exporter) dropExamples(rest *[]personas.Answer) *conversion {
	if !x.isFromCard() {
		return nil
	}
	v := newConversion(x.from)
	for _, made := range v.convertExamples() {
		dropAnswer(rest, &made)
	}
	return v
}

// keepEntries returns the entries of the card that stay, and takes their answers out.
func (x *exporter) keepEntries(rest *[]personas.Answer, v *conversion) *node {
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
			isKept = isPromptSame // Else the description says it.
		default:
			isKept = dropAnswer(rest, &personas.Answer{Ask: made.keys, Say: []string{made.content}})
		}
		if isKept {
			kept.items = append(kept.items, entries.items[i])
		}
	}
	return kept
}

// dropAnswer takes the first answer like another one out of a list, and reports whether
// there was one.
func dropAnswer(answers *[]personas.Answer, like *personas.Answer) bool {
	i := slices.IndexFunc(*answers, func(a personas.Answer) bool {
		return slices.Equal(a.Ask, like.Ask) && slices.Equal(a.Say, like.Say)
	})
	if i < 0 {
		return false
	}
	*answers = slices.Delete(*answers, i, i+1)
	return true
}

// lastOrder returns the greatest order of insertion of the card's entries.
func (x *exporter) lastOrder() int {
	last := 0
	if x.isFromCard() {
		for i := range x.from.Book {
			last = max(last, int(min(x.from.Book[i].Order, 1e9)))
		}
	}
	return last
}

// newEntry makes an entry of an answer.
func (x *exporter) newEntry(a *personas.Answer, order int) *node {
	e := &node{kind: '{'}
	e.set("keys", textsNode(a.Ask))
	e.set("content", textNode(x.t.untranslate(a.Say[0], "answers", x.variables)))
	e.set("extensions", &node{kind: '{'})
	e.set("enabled", &node{kind: 'x', text: "true"})
	e.set("insertion_order", &node{kind: 'x', text: fmt.Sprint(order)})
	e.set("use_regex", &node{kind: 'x', text: "false"})
	return e
}
