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
	fmt.Fprintf(b, "  subgraph cluster_%d {\n    label=%s; style=\"rounded\"; labeljust=l;\n", i, quoteDOT(m.title, m.headingText()))
	if len(m.states) == 0 {
		fmt.Fprintf(b, "    m%ds0 [label=\"no states\"];\n", i)
	}
	for j, st := range m.states {
		fmt.Fprintf(b, "    m%ds%d [label=%s%s];\n", i, j, quoteDOT(st.stateLines()...), st.dotStyle())
		if st.initial {
			fmt.Fprintf(b, "    m%ds%dstart [shape=point, width=0.14, label=\"\"];\n    m%ds%dstart -> m%ds%d;\n", i, j, i, j, i, j)
		}
	}
	for _, v := range m.arrows {
		fmt.Fprintf(b, "    m%ds%d -> m%ds%d [%s];\n", i, v.from, i, v.to, v.dotStyle())
	}
	ended := map[string]bool{}
	for _, st := range m.states {
		for _, v := range st.sides {
			v.dotSide(b, i, ended)
		}
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

func (v *arrow) dotSide(b *strings.Builder, i int, ended map[string]bool) {
	from := fmt.Sprintf("m%ds%d", i, v.from)
	if v.destination == stays {
		fmt.Fprintf(b, "    %s -> %s [%s];\n", from, from, v.dotStyle())
		return
	}
	end, label := v.endNode(fmt.Sprintf("m%d", i))
	if !ended[end] {
		ended[end] = true
		fmt.Fprintf(b, "    %s [label=%s, peripheries=2];\n", end, quoteDOT(label))
	}
	fmt.Fprintf(b, "    %s -> %s [%s, arrowhead=tee];\n", from, end, v.dotStyle())
}

func quoteDOT(lines ...string) string {
	escaped := mapLines(lines, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace)
	return `"` + strings.Join(escaped, `\n`) + `"`
}
