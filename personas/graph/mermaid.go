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
	f := newFlow(id, m)
	for _, n := range f.nodes {
		w.writeNode(n)
	}
	for _, e := range f.edges {
		sign := "-->"
		if e.ends {
			sign = "--x"
		}
		w.writeArrow(e.from, sign, e.arrow.labelText(), e.to, e.arrow.mermaidStyle())
	}
	w.writeLine("    end")
}

func (w *mermaidWriter) writeNode(n flowNode) {
	open, shut := "([", "])"
	if n.state != nil && !n.state.terminal {
		open, shut = "[", "]"
	}
	w.writeLine(`    %s%s"%s"%s`, n.id, open, joinLines(n.lines, "<br/>", escapeMermaid), shut)
	if n.state == nil {
		return
	}
	if n.state.initial {
		w.writeLine(`    %sstart((" "))`, n.id)
		w.writeArrow(n.id+"start", "-->", "", n.id, "stroke-width:2px")
		w.writeLine("    class %s initial", n.id)
	}
	if n.state.mark.Tone != Plain {
		w.writeLine("    class %s %s", n.id, n.state.mark.Tone.lineHue())
	}
}

func (v *arrow) mermaidStyle() string {
	style := "stroke:" + hues[v.arrowHue()].light
	if dash := dashes[v.decision]; len(dash) > 0 {
		style += ",stroke-dasharray:" + formatDash(dash)
	}
	return style
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
