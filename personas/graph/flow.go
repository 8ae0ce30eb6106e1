package graph

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
)

type flow struct {
	nodes []flowNode
	edges []flowEdge
}

type flowNode struct {
	id    string
	lines []string
	state *state // nil for the end of the machine
}

type flowEdge struct {
	from, to string
	arrow    *arrow
	ends     bool // to is not a state
}

func newFlow(id string, m *machine) flow {
	var result flow
	stateID := func(i int) string { return fmt.Sprintf("%ss%d", id, i) }
	for i, st := range m.states {
		result.nodes = append(result.nodes, flowNode{stateID(i), st.lines(), st})
	}
	for _, arrow := range m.arrows {
		result.edges = append(result.edges, flowEdge{stateID(arrow.from), stateID(arrow.to), arrow, false})
	}
	declared := map[string]bool{}
	for i, st := range m.states {
		for _, arrow := range st.sides {
			to, label := id+"reject", string(personas.Reject)
			switch {
			case arrow.destination == stays:
				result.edges = append(result.edges, flowEdge{stateID(i), stateID(i), arrow, false})
				continue
			case arrow.destination == nowhere:
				to, label = stateID(i)+"nowhere", "not there"
			case arrow.decision == personas.DecideKickOut:
				to, label = id+"kick", string(personas.KickOut)
			}
			if !declared[to] {
				declared[to] = true
				result.nodes = append(result.nodes, flowNode{id: to, lines: []string{label}})
			}
			result.edges = append(result.edges, flowEdge{stateID(i), to, arrow, true})
		}
	}
	return result
}

func (s *state) lines() []string {
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

func joinLines(lines []string, separator string, escape func(string) string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = escape(line)
	}
	return strings.Join(escaped, separator)
}

// DOT returns the persona in the Graphviz language. An unknown machine returns ErrMachine.
func DOT(p *personas.Persona, options Options) (string, error) {
	pic, err := choosePicture(p, options)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", quoteDOT(pic.name))
	b.WriteString("  compound=true; rankdir=TB; fontname=\"Helvetica\";\n")
	b.WriteString("  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", fontsize=12];\n")
	b.WriteString("  edge [fontname=\"Helvetica\", fontsize=10];\n")
	for i, m := range pic.machines {
		m.writeDOT(&b, i)
	}
	for _, t := range pic.links {
		style := "bold"
		if !t.advance {
			style = "dashed"
		}
		fmt.Fprintf(&b, "  m%ds0 -> m%ds0 [ltail=cluster_%d, lhead=cluster_%d, label=%s, penwidth=2.5, style=%s];\n",
			t.from, t.to, t.from, t.to, quoteDOT(t.label), style)
	}
	b.WriteString("}\n")
	return b.String(), nil
}

func (m *machine) writeDOT(b *strings.Builder, i int) {
	id := fmt.Sprintf("m%d", i)
	fmt.Fprintf(b, "  subgraph cluster_%d {\n    label=%s; style=\"rounded\"; labeljust=l;\n",
		i, quoteDOT(m.title, m.headingText()))
	if len(m.states) == 0 {
		fmt.Fprintf(b, "    %ss0 [label=\"no states\"];\n", id)
	}
	f := newFlow(id, m)
	for _, n := range f.nodes {
		if n.state == nil {
			fmt.Fprintf(b, "    %s [label=%s, peripheries=2];\n", n.id, quoteDOT(n.lines...))
			continue
		}
		fmt.Fprintf(b, "    %s [label=%s%s];\n", n.id, quoteDOT(n.lines...), n.state.dotStyle())
		if n.state.initial {
			fmt.Fprintf(b, "    %sstart [shape=point, width=0.14, label=\"\"];\n    %sstart -> %s;\n", n.id, n.id, n.id)
		}
	}
	for _, e := range f.edges {
		head := ""
		if e.ends {
			head = ", arrowhead=tee"
		}
		fmt.Fprintf(b, "    %s -> %s [%s%s];\n", e.from, e.to, e.arrow.dotStyle(), head)
	}
	b.WriteString("  }\n")
}

func (s *state) dotStyle() string {
	out := ""
	if s.terminal {
		out += ", peripheries=2"
	}
	if s.initial {
		out += ", penwidth=2"
	}
	if s.mark.Tone != Plain {
		out += fmt.Sprintf(", color=%q, fillcolor=%q", hues[s.mark.Tone.lineHue()].light, hues[s.mark.Tone.groundHue()].light)
	}
	return out
}

func (v *arrow) dotStyle() string {
	style := "solid"
	switch v.decision {
	case personas.DecideReject:
		style = "dashed"
	case personas.DecideRedirect, personas.DecideKickOut:
		style = "dotted"
	}
	c := hues[v.hue()].light
	out := fmt.Sprintf("label=%s, color=%q, fontcolor=%q, style=%s", quoteDOT(v.labelText()), c, c, style)
	if len(v.tips) > 0 {
		out += ", tooltip=" + quoteDOT(v.tips...)
	}
	if v.decision != personas.DecidePass {
		out += ", constraint=false"
	}
	return out
}

func quoteDOT(lines ...string) string {
	return `"` + joinLines(lines, `\n`, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace) + `"`
}

// Mermaid returns the persona as a Mermaid flowchart. An unknown machine returns ErrMachine.
// Mermaid rejects more than 500 arrows by default.
func Mermaid(p *personas.Persona, options Options) (string, error) {
	pic, err := choosePicture(p, options)
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
	ink := hues[hueInk].light
	w.writeLine("    classDef hit fill:%s,stroke:%s,color:%s", hues[hueHitBg].light, hues[hueHit].light, ink)
	w.writeLine("    classDef missed fill:%s,stroke:%s,color:%s,stroke-dasharray:5 3",
		hues[hueMissBg].light, hues[hueMissed].light, ink)
	w.writeLine("    classDef never fill:%s,stroke:%s,color:%s,stroke-dasharray:5 3",
		hues[hueNeverBg].light, hues[hueNever].light, ink)
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
	if _, ok := w.styles[style]; !ok {
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
	style := "stroke:" + hues[v.hue()].light
	if dash := dashes[v.decision]; len(dash) > 0 {
		style += ",stroke-dasharray:" + formatDash(dash)
	}
	return style
}

// escapeMermaid writes numeric entities. Mermaid, Markdown and HTML do not interpret them.
func escapeMermaid(s string) string {
	var b strings.Builder
	for i, r := range s {
		isWord := r >= 0x80 || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		isHarmless := isWord || strings.ContainsRune(" ,!?:'", r)
		// Near the start of a text these characters could begin a list.
		if isHarmless || i > 3 && strings.ContainsRune("+-.()", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
