package draft

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
)

type offlineAnswer struct {
	Examples []struct{ Decision, To, Say, Answer string }
	Lines    []struct{ For, Say string }
	Answers  []struct {
		Ask    []string
		Intent personas.Intent
		Say    []string
	}
	Patience int
}

func (b *OfflineBrief) readAnswer(answer provider.Answer) (d OfflineDraft, unfit string) {
	var written offlineAnswer
	if err := json.Unmarshal([]byte(answer.Text), &written); err != nil {
		// Use a truncated response up to the last complete item.
		end := strings.LastIndexByte(answer.Text, '}')
		if answer.Finish == provider.Length && end >= 0 {
			err = json.Unmarshal([]byte(answer.Text[:end+1]+"]}"), &written)
		}
		if err != nil {
			return d, "it is no JSON object of the given shape"
		}
	}
	r := additionReader{brief: b, keys: b.knownTexts(), placeholders: maps.Clone(knownPlaceholders)}
	for i := range b.Persona.Variables {
		r.placeholders[b.Persona.Variables[i].Key] = true
	}
	for _, e := range written.Examples {
		r.addExample(e.Decision, e.To, e.Say, e.Answer)
	}
	for _, l := range written.Lines {
		r.addLine(l.For, l.Say)
	}
	for _, a := range written.Answers {
		r.addAnswer(personas.Answer{Ask: a.Ask, Intent: a.Intent, Say: a.Say})
	}
	off, patience := b.state().Offline, written.Patience
	hasPatience := off != nil && off.Patience != nil
	if patience >= 1 && patience <= maxPatience && !hasPatience {
		r.add(b.statePath()+".patience", "patience", fmt.Sprintf("%d digressions in a row", patience), patience)
	}
	if len(r.draft.Additions) == 0 && r.draft.Dropped > 0 {
		return r.draft, "none of it is new and fits the state"
	}
	return r.draft, ""
}

type additionReader struct {
	brief        *OfflineBrief
	keys         map[string]bool // keys of isNew
	placeholders map[string]bool
	draft        OfflineDraft
}

func (b *OfflineBrief) statePath() string {
	return fmt.Sprintf("machines[%d].states[%d].offline", b.Machine, b.State)
}

func (r *additionReader) drop() { r.draft.Dropped++ }

func (r *additionReader) add(path, kind, text string, value any) {
	encoded, err := json.Marshal(value)
	if err != nil || len(r.draft.Additions) == maxAdditions {
		r.drop()
		return
	}
	r.draft.Additions = append(r.draft.Additions, Addition{Path: path, Value: string(encoded), Kind: kind, Text: text})
}

func (r *additionReader) fit(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len([]rune(text)) > maxSaid || isHidden(text) {
		return ""
	}
	for name := range placeholdersOf(text) {
		if !r.placeholders[name] {
			return ""
		}
	}
	return text
}

func (r *additionReader) recordNew(kind, text string) bool {
	key := kind + "\x00" + strings.ToLower(strings.TrimRight(text, ".!? "))
	if text == "" || r.keys[key] {
		return false
	}
	r.keys[key] = true
	return true
}

func (r *additionReader) addExample(decision, to, say, answer string) {
	say, answer = r.fit(say), r.fit(answer)
	path := r.examplePath(decision, to)
	if path == "" || !r.recordNew("example", say) {
		r.drop()
		return
	}
	kind := "example of " + decision
	if answer != "" {
		r.add(path, kind, say+" → "+answer, personas.Example{Say: say, Answer: answer})
		return
	}
	r.add(path, kind, say, say)
}

func (r *additionReader) examplePath(decision, to string) string {
	if !slices.Contains(decisionNames, decision) || !r.brief.canDecide(decision) {
		return ""
	}
	rows := r.brief.rowsFor(decision)
	if decision != string(personas.DecidePass) || len(rows) < 2 {
		return r.brief.statePath() + ".examples." + decision
	}
	rows = slices.DeleteFunc(rows, func(row int) bool { return r.brief.machine().Transitions[row].To != to })
	if len(rows) != 1 {
		return ""
	}
	return fmt.Sprintf("machines[%d].transitions[%d].offline.examples", r.brief.Machine, rows[0])
}

func (r *additionReader) addLine(purpose, say string) {
	say = r.fit(say)
	if !r.brief.canSay(purpose) || !r.recordNew("line", say) {
		r.drop()
		return
	}
	path := r.brief.statePath() + ".lines." + purpose
	if purpose == "opening" {
		path = r.brief.statePath() + ".opening"
	}
	r.add(path, "line for "+purpose, say, say)
}

func (b *OfflineBrief) canSay(purpose string) bool {
	switch purpose {
	case "opening":
		return b.state().IsInitial
	case "enter", "unknown":
		return true
	}
	return slices.Contains(decisionNames, purpose) && b.canDecide(purpose)
}

func (r *additionReader) addAnswer(a personas.Answer) {
	var say, ask []string
	for _, text := range a.Say {
		if text = r.fit(text); r.recordNew("line", text) {
			say = append(say, text)
		}
	}
	for _, text := range a.Ask {
		if text = r.fit(text); r.recordNew("ask", text) {
			ask = append(ask, text)
		}
	}
	intent, questions := a.Intent, slices.Clone(ask)
	if len(ask) > 0 {
		intent = ""
	}
	hasQuestion := len(ask) > 0 || slices.Contains(personas.Intents, intent)
	if len(say) == 0 || !hasQuestion || len(ask) == 0 && !r.recordNew("intent", string(intent)) {
		r.drop()
		return
	}
	if intent != "" {
		questions = append(questions, string(intent))
	}
	text := strings.Join(questions, " / ") + " → " + strings.Join(say, " / ")
	r.add(r.brief.statePath()+".answers", "answer", text, personas.Answer{Ask: ask, Intent: intent, Say: say})
}

func (b *OfflineBrief) knownTexts() map[string]bool {
	r := additionReader{keys: map[string]bool{}}
	b.walkMaterial(func(group, _, text string) { r.recordNew(group, text) })
	return r.keys
}
