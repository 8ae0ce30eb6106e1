package personas

import (
	"slices"
	"strings"
)

func (o *Offline) walkMembers(v *memberWalker) {
	v.walkTexts("opening", &o.Opening)
	walkObject(v, "examples", &o.Examples)
	walkObject(v, "lines", &o.Lines)
	walkObjects(v, "answers", &o.Answers, optional)
	v.walkOptionalInteger("patience", &o.Patience)
	v.checkMember("patience", func() string {
		if o.Patience == nil || *o.Patience >= 1 {
			return ""
		}
		return "must be at least 1: it is the number of consecutive asides that the state allows; leave it out for no limit"
	})
	v.walkUnknown(&o.Extra)
}

func (o *SharedOffline) walkMembers(v *memberWalker) {
	v.walkLanguage(&o.Language)
	walkObjects(v, "answers", &o.Answers, optional)
	v.walkUnknown(&o.Extra)
}

func (a *Answer) walkMembers(v *memberWalker) {
	v.noun = "answer"
	v.walkTexts("ask", &a.Ask)
	walkChoice(v, "intent", &a.Intent, optional, Intents...)
	v.walkTexts("say", &a.Say)
	v.walkUnknown(&a.Extra)
	if v.decoder == nil || !v.decoder.strict {
		return
	}
	if complaint := a.findComplaint(); complaint != "" {
		v.decoder.addFault(v.n.at, v.at.pathOf(), "the answer %s", complaint)
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

func (e *Examples) walkMembers(v *memberWalker) {
	v.walkExamples("pass", &e.Pass)
	v.walkExamples("redirect", &e.Redirect)
	v.walkExamples("reject", &e.Reject)
	v.walkExamples("kick_out", &e.KickOut)
	v.walkExamples("follow_up", &e.FollowUp)
	v.walkUnknown(&e.Extra)
}

func (e *Example) walkMembers(v *memberWalker) {
	v.noun = "example"
	v.walkText("say", &e.Say, required)
	v.walkText("answer", &e.Answer, optional)
	v.walkUnknown(&e.Extra)
}

func (l *Lines) walkMembers(v *memberWalker) {
	v.walkTexts("pass", &l.Pass)
	v.walkTexts("redirect", &l.Redirect)
	v.walkTexts("reject", &l.Reject)
	v.walkTexts("kick_out", &l.KickOut)
	v.walkTexts("follow_up", &l.FollowUp)
	v.walkTexts("enter", &l.Enter)
	v.walkTexts("unknown", &l.Unknown)
	v.walkUnknown(&l.Extra)
}

func (t *TransitionOffline) walkMembers(v *memberWalker) {
	v.walkExamples("examples", &t.Examples)
	v.walkUnknown(&t.Extra)
}

func (w *memberWalker) walkExamples(member string, p *[]Example) {
	at := &place{w.at, member, -1}
	if w.startWrite(member) {
		l := &node{kind: list, items: make([]*node, len(*p))}
		for i := range *p {
			l.items[i] = w.writeExample(&place{at, "", i}, &(*p)[i])
		}
		w.putMember(member, l, len(*p) > 0)
		return
	}
	n := w.takeMember(member, list, optional)
	if n == nil {
		w.offerWrap(member)
		return
	}
	*p = slices.Grow(*p, len(n.items))
	for i, item := range n.items {
		*p = append(*p, w.decoder.readExample(&place{at, "", i}, item))
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

// isTextWithColon reports whether an example is a string that YAML parses as an object because of
// its colon.
func (d *decoder) isTextWithColon(n *node) bool {
	return d.strict && len(n.names) == 1 && !isFlow(d.t.src, n) && n.items[0].kind != list && n.items[0].kind != object &&
		n.names[0].text != "answer" && n.names[0].text != "say" && Nearest(n.names[0].text, []string{"say", "answer"}) == ""
}

func (w *memberWalker) walkLanguage(p *string) {
	w.walkText("language", p, optional)
	w.checkMember("language", func() string {
		if *p == "" || isLanguageTag(*p) {
			return ""
		}
		return quote(clip(*p)) + " is not a language tag; write a BCP 47 tag such as en, fr or pt-BR"
	})
}

func isLanguageTag(tag string) bool {
	parts := strings.Split(tag, "-")
	if n := len(parts[0]); n < 2 || n > 3 || strings.ContainsAny(parts[0], "0123456789") {
		return false
	}
	return len(tag) <= maxLanguage && !slices.ContainsFunc(parts, func(part string) bool {
		return part == "" || len(part) > 8 || strings.Trim(strings.ToLower(part), "abcdefghijklmnopqrstuvwxyz0123456789") != ""
	})
}

// maxLanguage is the maximum length of a language tag, as RFC 5646 section 4.4.1 recommends.
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
