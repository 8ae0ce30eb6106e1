package personas

import (
	"slices"
	"strings"
)

func (o *Offline) walkMembers(w *memberWalker) {
	w.walkTexts("opening", &o.Opening)
	walkObject(w, "examples", &o.Examples)
	walkObject(w, "lines", &o.Lines)
	walkObjects(w, "answers", &o.Answers, optional)
	w.walkOptionalInteger("patience", &o.Patience)
	w.checkMember("patience", func() string {
		if o.Patience == nil || *o.Patience >= 1 {
			return ""
		}
		return "must be at least 1: it is the number of consecutive asides that the state allows; leave it out for no limit"
	})
	w.walkUnknown(&o.Extra)
}

func (o *SharedOffline) walkMembers(w *memberWalker) {
	w.walkLanguage(&o.Language)
	walkObjects(w, "answers", &o.Answers, optional)
	w.walkUnknown(&o.Extra)
}

func (a *Answer) walkMembers(w *memberWalker) {
	w.noun = "answer"
	w.walkTexts("ask", &a.Ask)
	walkChoice(w, "intent", &a.Intent, optional, Intents...)
	w.walkTexts("say", &a.Say)
	w.walkUnknown(&a.Extra)
	if w.decoder == nil || !w.decoder.strict {
		return
	}
	if complaint := a.findComplaint(); complaint != "" {
		w.decoder.addFault(w.n.at, w.at.pathOf(), "the answer %s", complaint)
	}
}

func (a *Answer) findComplaint() string {
	switch {
	case len(a.Ask) > 0 && a.Intent != "":
		return "has both ask and intent; split it into two answers"
	case len(a.Ask) == 0 && a.Intent == "":
		return "has neither ask nor intent; add what players ask, or an intent"
	case len(a.Say) == 0:
		return "has no lines; add at least one line under say"
	}
	return ""
}

func (e *Examples) walkMembers(w *memberWalker) {
	w.walkExamples("pass", &e.Pass)
	w.walkExamples("redirect", &e.Redirect)
	w.walkExamples("reject", &e.Reject)
	w.walkExamples("kick_out", &e.KickOut)
	w.walkExamples("follow_up", &e.FollowUp)
	w.walkUnknown(&e.Extra)
}

func (e *Example) walkMembers(w *memberWalker) {
	w.noun = "example"
	w.walkText("say", &e.Say, required)
	w.walkText("answer", &e.Answer, optional)
	w.walkUnknown(&e.Extra)
}

func (l *Lines) walkMembers(w *memberWalker) {
	w.walkTexts("pass", &l.Pass)
	w.walkTexts("redirect", &l.Redirect)
	w.walkTexts("reject", &l.Reject)
	w.walkTexts("kick_out", &l.KickOut)
	w.walkTexts("follow_up", &l.FollowUp)
	w.walkTexts("enter", &l.Enter)
	w.walkTexts("unknown", &l.Unknown)
	w.walkUnknown(&l.Extra)
}

func (t *TransitionOffline) walkMembers(w *memberWalker) {
	w.walkExamples("examples", &t.Examples)
	w.walkUnknown(&t.Extra)
}

func (w *memberWalker) walkExamples(member string, value *[]Example) {
	at := &place{w.at, member, -1}
	if w.startWrite(member) {
		l := &node{kind: list, items: make([]*node, len(*value))}
		for i := range *value {
			l.items[i] = w.writeExample(&place{at, "", i}, &(*value)[i])
		}
		w.putMember(member, l, len(*value) > 0)
		return
	}
	n := w.takeMember(member, list, optional)
	if n == nil {
		w.offerWrap(member)
		return
	}
	*value = slices.Grow(*value, len(n.items))
	for i, item := range n.items {
		*value = append(*value, w.decoder.readExample(&place{at, "", i}, item))
	}
}

func (w *memberWalker) writeExample(at *place, e *Example) *node {
	if e.IsText() {
		return &node{kind: str, text: e.Say}
	}
	return w.writeRecord(at, e.walkMembers)
}

func (d *decoder) readExample(at *place, n *node) (e Example) {
	if n.kind == object && !d.isTextWithColon(n) {
		d.readObject(n, at, e.walkMembers)
		return e
	}
	e.Say = d.readString(at, n)
	return e
}

// isTextWithColon reports whether YAML parsed a text with a colon as an object.
func (d *decoder) isTextWithColon(n *node) bool {
	if !d.strict || len(n.names) != 1 || isFlow(d.t.src, n) || isCollection(n.items[0]) {
		return false
	}
	return Nearest(n.names[0].text, []string{"say", "answer"}) == ""
}

func (w *memberWalker) walkLanguage(value *string) {
	w.walkText("language", value, optional)
	w.checkMember("language", func() string {
		if *value == "" || isLanguageTag(*value) {
			return ""
		}
		return quote(clip(*value)) + " is not a language tag; write a BCP 47 tag such as en, fr or pt-BR"
	})
}

func isLanguageTag(tag string) bool {
	parts := strings.Split(tag, "-")
	if n := len(parts[0]); n < 2 || n > 3 || strings.ContainsAny(parts[0], "0123456789") {
		return false
	}
	const allowed = "abcdefghijklmnopqrstuvwxyz0123456789"
	return len(tag) <= maxLanguage && !slices.ContainsFunc(parts, func(part string) bool {
		return part == "" || len(part) > 8 || strings.Trim(strings.ToLower(part), allowed) != ""
	})
}

// RFC 5646, section 4.4.1.
const maxLanguage = 35

func (w *memberWalker) checkMember(member string, complain func() string) {
	if w.decoder == nil {
		return
	}
	if i := w.n.findMember(member); i >= 0 {
		if complaint := complain(); complaint != "" {
			w.addStrictFault(w.n.items[i].at, member, "%s %s", member, complaint)
		}
	}
}
