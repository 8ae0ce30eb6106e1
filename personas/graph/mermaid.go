package graph

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Mermaid draws the persona as a Mermaid flowchart, which many web pages and
// editors show. It refuses an unknown machine (ErrMachine) and nothing else;
// Mermaid itself by default refuses more than 500 arrows.
func Mermaid(p *personas.Persona, o Options) (string, error) {
	pic, err := chosen(p, o)
	if err != nil {
		return "", err
	}
	w := &mermaid{styles: map[string][]string{}}
	w.line("flowchart TD")
	for i, m := range pic.machines {
		w.machine(fmt.Sprintf("m%d", i), m)
	}
	for _, t := range pic.links {
		dash := ""
		if !t.advance {
			dash = ",stroke-dasharray:8 5"
		}
		w.arrow(fmt.Sprintf("m%d", t.from), "==>", t.label, fmt.Sprintf("m%d", t.to), "stroke-width:3px"+dash)
	}
	w.finish()
	return w.text.String(), nil
}

// mermaid writes a flowchart and keeps which arrow has which style.
type mermaid struct {
	text   strings.Builder
	arrows int
	order  []string
	styles map[string][]string
}

func (w *mermaid) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

func (w *mermaid) arrow(from, sign, label, to, style string) {
	if label != "" {
		sign += `|"` + escapeMermaid(label) + `"|`
	}
	w.line("    %s %s %s", from, sign, to)
	if _, known := w.styles[style]; !known {
		w.order = append(w.order, style)
	}
	w.styles[style] = append(w.styles[style], strconv.Itoa(w.arrows))
	w.arrows++
}

func (w *mermaid) finish() {
	for _, style := range w.order {
		w.line("    linkStyle %s %s", strings.Join(w.styles[style], ","), style)
	}
	w.line("    classDef initial stroke-width:3px")
	w.line("    classDef hit fill:%s,stroke:%s,color:%s", hues[hueHitBg].light, hues[hueHit].light, hues[hueInk].light)
	w.line("    classDef missed fill:%s,stroke:%s,color:%s,stroke-dasharray:5 3", hues[hueMissBg].light, hues[hueMissed].light, hues[hueInk].light)
	w.line("    classDef never fill:%s,stroke:%s,color:%s,stroke-dasharray:5 3", hues[hueNeverBg].light, hues[hueNever].light, hues[hueInk].light)
}

func (w *mermaid) machine(id string, m *machine) {
	w.line(`    subgraph %s["%s<br/>%s"]`, id, escapeMermaid(m.title), escapeMermaid(m.heading(nil)))
	if len(m.states) == 0 {
		w.line(`    %sempty["no states"]`, id)
	}
	for i, st := range m.states {
		w.state(fmt.Sprintf("%ss%d", id, i), st)
	}
	for _, v := range m.moves {
		w.move(id, v)
	}
	ended := map[string]bool{}
	for _, st := range m.states {
		for _, v := range st.sides {
			w.side(id, v, ended)
		}
	}
	w.line("    end")
}

func (w *mermaid) state(id string, st *state) {
	open, shut := "[", "]"
	if st.terminal {
		open, shut = "([", "])"
	}
	w.line(`    %s%s"%s"%s`, id, open, strings.Join(mapped(st.lines(), escapeMermaid), "<br/>"), shut)
	if st.initial {
		w.line(`    %sstart((" "))`, id)
		w.arrow(id+"start", "-->", "", id, "stroke-width:2px")
		w.line("    class %s initial", id)
	}
	if st.mark.Tone != Plain {
		w.line("    class %s %s", id, st.mark.Tone.hue())
	}
}

// lines are what is written in a state.
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

func mapped(lines []string, change func(string) string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = change(line)
	}
	return out
}

func (w *mermaid) move(id string, v *move) {
	w.arrow(fmt.Sprintf("%ss%d", id, v.from), "-->", v.text(), fmt.Sprintf("%ss%d", id, v.to), v.mermaidStyle())
}

func (v *move) mermaidStyle() string {
	style := "stroke:" + hues[v.colour()].light
	if dash := dashes[v.decision]; len(dash) > 0 {
		var figures []string
		for _, d := range dash {
			figures = append(figures, figure(d))
		}
		style += ",stroke-dasharray:" + strings.Join(figures, " ")
	}
	return style
}

// side draws a loop, or an arrow to one of the machine's ends.
func (w *mermaid) side(id string, v *move, ended map[string]bool) {
	from := fmt.Sprintf("%ss%d", id, v.from)
	if v.course == stays {
		w.arrow(from, "-->", v.text(), from, v.mermaidStyle())
		return
	}
	end := id + "reject"
	label := "REJECT"
	if v.decision == personas.DecideKickOut {
		end, label = id+"kick", "KICK_OUT"
	}
	if v.course == nowhere {
		end, label = from+"nowhere", "not there"
	}
	if !ended[end] {
		ended[end] = true
		w.line(`    %s(["%s"])`, end, escapeMermaid(label))
	}
	w.arrow(from, "--x", v.text(), end, v.mermaidStyle())
}

// escapeMermaid writes everything that Mermaid, its Markdown or HTML could take
// for more than a character as Mermaid's number codes.
func escapeMermaid(s string) string {
	var b strings.Builder
	for i, r := range s {
		harmless := r >= 0x80 || r == ' ' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		// A list would begin with one of these marks.
		if harmless || strings.ContainsRune(",!?:'", r) || i > 3 && strings.ContainsRune("+-.()", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
