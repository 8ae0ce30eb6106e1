package card

import (
	"fmt"
	"maps"

	"github.com/parley-npc/parley/personas"
)

func (x *exporter) writeBook() {
	answers := x.listAnswers()
	unwritten, dropped := map[string]int{}, map[string]int{} // numbers of answers by answerKey
	for i := range answers {
		unwritten[answerKey(&answers[i])]++
	}
	drop := func(answer personas.Answer) bool {
		key := answerKey(&answer)
		if unwritten[key] == 0 {
			return false
		}
		unwritten[key]--
		dropped[key]++
		return true
	}
	entries, order := []any{}, 0
	if x.isFromCard() {
		v := newConversion(x.from)
		for _, answer := range v.convertExamples() {
			drop(answer) // The card still contains the example dialogues.
		}
		entries = x.keepEntries(v, drop)
		for i := range x.from.Book {
			order = max(order, int(min(x.from.Book[i].Order, 1e9)))
		}
	}
	added := 0
	for i := range answers {
		if key := answerKey(&answers[i]); dropped[key] > 0 {
			dropped[key]--
			continue
		}
		added++
		entries = append(entries, x.newEntry(&answers[i], order+added))
	}
	if added > 0 {
		x.take("answers", "%s in data.character_book", countThings(added, "entry"))
	}
	book := maps.Clone(objectOf(x.data["character_book"]))
	if book == nil && len(entries) == 0 {
		return
	}
	if book == nil {
		book = object{"extensions": object{}}
	}
	book["entries"] = entries
	x.data["character_book"] = book
}

func answerKey(a *personas.Answer) string { return fmt.Sprintf("%q %q", a.Ask, a.Say) }

// listAnswers skips answers to an intent, because a lorebook finds entries by keywords.
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

func (x *exporter) keepEntries(v *conversion, drop func(personas.Answer) bool) []any {
	rest := []any{}
	entries, _ := objectOf(x.data["character_book"])["entries"].([]any)
	isPromptSame := x.p.IdentityPrompt == x.before.IdentityPrompt
	for i := range x.from.Book {
		converted, reason := v.convertEntry(&x.from.Book[i], "")
		isKept := reason != ""
		switch {
		case isKept:
		case converted.always:
			isKept = isPromptSame // Otherwise the description contains the entry.
		default:
			isKept = drop(personas.Answer{Ask: converted.keys, Say: []string{converted.content}})
		}
		if isKept {
			rest = append(rest, entries[i])
		}
	}
	return rest
}

func (x *exporter) newEntry(a *personas.Answer, order int) object {
	return object{
		"keys": a.Ask, "content": x.t.untranslate(a.Say[0], "answers", x.variables), "extensions": object{},
		"enabled": true, "insertion_order": order, "use_regex": false,
	}
}
