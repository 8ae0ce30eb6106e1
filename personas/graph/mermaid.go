package graph

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Mermaid returns the persona as a Mermaid flowchart, which many web pages and editors display. It
// returns ErrMachine for an unknown machine, and no other error. By default, Mermaid itself rejects
// more than 500 arrows.
func Mermaid(p *personas.Persona, o Options) (string, error) {
	pic, err := choosePicture(p, o)
	if err != nil {
		return "", err
	}
	w := &mermaidWriter{styles: map[string][]string{}}
	w.writeLine("flowchart TD")
	for i, m := range pic.machines {
		w.writeMachine(fmt.Sprintf("m%d", i), m)
	}
	for _, t := range pic.links {
		dash := ""
		if !t.advance {
			dash = ",stroke-dasharray:8 5"
		}
		w.writeArrow(fmt.Sprintf("m%d", t.from), "==>", t.label, fmt.Sprintf("m%d", t.to), "stroke-width:3px"+dash)
	}
	for _, style := range w.order {
		w.writeLine("    linkStyle %s %s", strings.Join(w.styles[style], ","), style)
	}
	w.writeLine("    classDef initial stroke-width:3px")
	w.writeLine("    classDef hit fill:%s,stroke:%s,color:%s", hues[hueHitBg].light, hues[hueHit].light, hues[hueInk].light)
	w.writeLine("    classDef missed fill:%s,stroke:%s,color:%s,stroke-dasharray:5 3", hues[hueMissBg].light, hues[hueMissed].light, hues[hueInk].light)
	w.writeLine("    classDef never fill:%s,stroke:%s,color:%s,stroke-dasharray:5 3", hues[hueNeverBg].light, hues[hueNever].light, hues[hueInk].light)
	return w.text.String(), nil
}

type mermaidWriter struct {
	text   strings.Builder
	arrows int
	order  []string
	styles map[string][]string
}

func (w *mermaidWriter) writeLine(format string, args ...any) {
	fmt.Fprintf(&w.text, format+"\n", args...)
}

func (w *mermaidWriter) writeArrow(from, sign, label, to, style string) {
	if label != "" {
		sign += `|"` + escapeMermaid(label) + `"|`
	}
	w.writeLine("    %s %s %s", from, sign, to)
	if _, known := w.styles[style]; !known {
		w.order = append(w.order, style)
	}
	w.styles[style] = append(w.styles[style], strconv.Itoa(w.arrows))
	w.arrows++
}

func (w *mermaidWriter) writeMachine(id string, m *machine) {
	w.writeLine(`    subgraph %s["%s<br/>%s"]`, id, escapeMermaid(m.title), escapeMermaid(m.headingText()))
	if len(m.states) == 0 {
		w.writeLine(`    %sempty["no states"]`, id)
	}
	for i, st := range m.states {
		w.writeState(fmt.Sprintf("%ss%d", id, i), st)
	}
	for _, v := range m.arrows {
		w.writeArrow(fmt.Sprintf("%ss%d", id, v.from), "-->", v.labelText(), fmt.Sprintf("%ss%d", id, v.to), v.mermaidStyle())
	}
	ended := map[string]bool{}
	for _, st := range m.states {
		for _, v := range st.sides {
			w.writeSide(id, v, ended)
		}
	}
	w.writeLine("    end")
}

func (w *mermaidWriter) writeState(id string, st *state) {
	open, shut := "[", "]"
	if st.terminal {
		open, shut = "([", "])"
	}
	w.writeLine(`    %s%s"%s"%s`, id, open, strings.Join(mapLines(st.stateLines(), escapeMermaid), "<br/>"), shut)
	if st.initial {
		w.writeLine(`    %sstart((" "))`, id)
		w.writeArrow(id+"start", "-->", "", id, "stroke-width:2px")
		w.writeLine("    class %s initial", id)
	}
	if st.mark.Tone != Plain {
		w.writeLine("    class %s %s", id, st.mark.Tone.lineHue())
	}
}

func (s *state) stateLines() []string {
	lines := []string{s.title}
	if s.key != s.title {
		lines = append(lines, s.key)
	}
	if s.ending != "" {
		lines = append(lines, "ends: "+s.ending)
	}
	if s.mark.Note != "" {
		lines = append(lines, s.mark.Note)
	}
	return lines
}

func mapLines(lines []string, change func(string) string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = change(line)
	}
	return out
}

func (v *arrow) mermaidStyle() string {
	style := "stroke:" + hues[v.arrowHue()].light
	if dash := dashes[v.decision]; len(dash) > 0 {
		style += ",stroke-dasharray:" + formatDash(dash)
	}
	return style
}

func (w *mermaidWriter) writeSide(id string, v *arrow, ended map[string]bool) {
	from := fmt.Sprintf("%ss%d", id, v.from)
	if v.destination == stays {
		w.writeArrow(from, "-->", v.labelText(), from, v.mermaidStyle())
		return
	}
	end, label := v.endNode(id)
	if !ended[end] {
		ended[end] = true
		w.writeLine(`    %s(["%s"])`, end, escapeMermaid(label))
	}
	w.writeArrow(from, "--x", v.labelText(), end, v.mermaidStyle())
}

func (v *arrow) endNode(machine string) (id, label string) {
	switch {
	case v.destination == nowhere:
		return fmt.Sprintf("%ss%dnowhere", machine, v.from), "not there"
	case v.decision == personas.DecideKickOut:
		return machine + "kick", "KICK_OUT"
	}
	return machine + "reject", "REJECT"
}

// escapeMermaid escapes every character that Mermaid, Markdown or HTML might interpret, as a
// numeric Mermaid entity.
func escapeMermaid(s string) string {
	var b strings.Builder
	for i, r := range s {
		harmless := r >= 0x80 || r == ' ' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		// At the start of a line these characters could begin a list.
		if harmless || strings.ContainsRune(",!?:'", r) || i > 3 && strings.ContainsRune("+-.()", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
