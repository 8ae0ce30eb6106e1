package graph

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// DOT returns the persona in the Graphviz language, for users of its layouts. It returns ErrMachine
// for an unknown machine, and no other error.
func DOT(p *personas.Persona, o Options) (string, error) {
	pic, err := choosePicture(p, o)
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
		fmt.Fprintf(&b, "  m%ds0 -> m%ds0 [ltail=cluster_%d, lhead=cluster_%d, label=%s, penwidth=2.5, style=%s];\n", t.from, t.to, t.from, t.to, quoteDOT(t.label), style)
	}
	b.WriteString("}\n")
	return b.String(), nil
}

func (m *machine) writeDOT(b *strings.Builder, i int) {
	id := fmt.Sprintf("m%d", i)
	fmt.Fprintf(b, "  subgraph cluster_%d {\n    label=%s; style=\"rounded\"; labeljust=l;\n", i, quoteDOT(m.title, m.headingText()))
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
	c := hues[v.arrowHue()].light
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
