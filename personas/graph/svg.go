package graph

import (
	"fmt"
	"html"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// SVG returns the persona as an SVG document with light and dark colours. Tooltips show the
// conditions of transitions. An unknown machine returns ErrMachine. A picture above the bounds
// returns ErrTooLarge.
func SVG(p *personas.Persona, options Options) (string, error) {
	s, err := drawingOf(p, options)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	w, h := formatLength(math.Ceil(s.width)), formatLength(math.Ceil(s.height))
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, "<title>%s</title>\n<style>\n%s</style>\n", html.EscapeString(s.name), writeStylesheet())
	for i := range s.shapes {
		s.shapes[i].writeSVG(&b)
	}
	b.WriteString("</svg>\n")
	return b.String(), nil
}

func drawingOf(p *personas.Persona, options Options) (*drawing, error) {
	pic, err := choosePicture(p, options)
	if err != nil {
		return nil, err
	}
	if err := pic.checkSize(); err != nil {
		return nil, err
	}
	return newDrawing(pic)
}

func writeStylesheet() string {
	var light, dark strings.Builder
	for _, name := range slices.Sorted(maps.Keys(hues)) {
		fmt.Fprintf(&light, ".f-%s{fill:%s}.s-%s{stroke:%s}\n", name, hues[name].light, name, hues[name].light)
		fmt.Fprintf(&dark, ".f-%s{fill:%s}.s-%s{stroke:%s}\n", name, hues[name].dark, name, hues[name].dark)
	}
	return light.String() + "@media (prefers-color-scheme:dark){\n" + dark.String() + "}\n"
}

func (sh *shape) writeSVG(b *strings.Builder) {
	switch sh.kind {
	case boxShape:
		fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" rx="%s"%s/>`,
			formatLength(sh.origin.x), formatLength(sh.origin.y), formatLength(sh.width), formatLength(sh.height),
			formatLength(sh.radius), sh.paintAttributes())
	case discShape:
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s"%s/>`,
			formatLength(sh.origin.x), formatLength(sh.origin.y), formatLength(sh.radius), sh.paintAttributes())
	case polyShape:
		fmt.Fprintf(b, `<path d="%sZ"%s/>`, polygonPath(sh.points), sh.paintAttributes())
	case textShape:
		fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%s"%s%s>%s</text>`,
			formatLength(sh.origin.x), formatLength(sh.origin.y), formatLength(sh.size),
			sh.fontAttributes(), sh.paintAttributes(), html.EscapeString(sh.text))
	case lineShape:
		fmt.Fprintf(b, `<path d="%s"%s`, curvePath(sh.points), sh.paintAttributes())
		if sh.tip == "" {
			b.WriteString("/>")
		} else {
			fmt.Fprintf(b, "><title>%s</title></path>", html.EscapeString(sh.tip))
		}
	}
	b.WriteByte('\n')
}

func (sh *shape) paintAttributes() string {
	var classes []string
	if sh.fill != hueNone {
		classes = append(classes, "f-"+sh.fill)
	}
	if sh.stroke != hueNone {
		classes = append(classes, "s-"+sh.stroke)
	}
	out := ` class="` + strings.Join(classes, " ") + `"`
	if sh.fill == hueNone {
		out += ` fill="none"`
	}
	if sh.stroke != hueNone {
		out += ` stroke-width="` + formatLength(sh.line) + `"`
	}
	if len(sh.dash) > 0 {
		out += ` stroke-dasharray="` + formatDash(sh.dash) + `"`
	}
	return out
}

func formatDash(dash []float64) string {
	lengths := make([]string, len(dash))
	for i, d := range dash {
		lengths[i] = formatLength(d)
	}
	return strings.Join(lengths, " ")
}

func (sh *shape) fontAttributes() string {
	out := ""
	if sh.bold {
		out += ` font-weight="600"`
	}
	if sh.middle {
		out += ` text-anchor="middle"`
	}
	return out
}

func polygonPath(points []point) string {
	var b strings.Builder
	for i, p := range points {
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(formatLength(p.x) + " " + formatLength(p.y))
	}
	return b.String()
}

func curvePath(points []point) string {
	var b strings.Builder
	fmt.Fprintf(&b, "M%s %s", formatLength(points[0].x), formatLength(points[0].y))
	for i := 1; i+2 < len(points); i += 3 {
		b.WriteByte('C')
		for j, p := range points[i : i+3] {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(formatLength(p.x) + " " + formatLength(p.y))
		}
	}
	return b.String()
}

func formatLength(f float64) string {
	s := strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

type hue struct{ light, dark string }

// The hues of decisions are distinguishable with any kind of colour blindness (after Okabe and Ito,
// darkened).
const (
	huePaper   = "paper"
	hueInk     = "ink"
	hueFaint   = "faint"
	hueGroup   = "group"
	hueState   = "state"
	hueLine    = "line"
	hueLink    = "tie"
	huePass    = "pass"
	hueRedir   = "redirect"
	hueReject  = "reject"
	hueKick    = "kick"
	hueHit     = "hit"
	hueMissed  = "missed"
	hueNever   = "never"
	hueHitBg   = "hit-bg"
	hueMissBg  = "missed-bg"
	hueNeverBg = "never-bg"
	hueNone    = ""
)

var hues = map[string]hue{
	huePaper:   {"#ffffff", "#14171c"},
	hueInk:     {"#1b1f24", "#e8eaed"},
	hueFaint:   {"#59636e", "#9aa4af"},
	hueGroup:   {"#f3f5f7", "#1c2128"},
	hueState:   {"#ffffff", "#2a313a"},
	hueLine:    {"#6e7781", "#8b949e"},
	hueLink:    {"#444c56", "#c0c8d0"},
	huePass:    {"#00714f", "#3ccf9c"},
	hueRedir:   {"#0a5ea8", "#6cb6ff"},
	hueReject:  {"#b04a00", "#ff9d5c"},
	hueKick:    {"#8f2a77", "#ec8fd2"},
	hueHit:     {"#00714f", "#3ccf9c"},
	hueMissed:  {"#b04a00", "#ff9d5c"},
	hueNever:   {"#8f2a77", "#ec8fd2"},
	hueHitBg:   {"#dff3ea", "#123529"},
	hueMissBg:  {"#fdebdc", "#40260f"},
	hueNeverBg: {"#f6e3f1", "#3b1a33"},
}

var dashes = map[personas.Decision][]float64{
	personas.DecideRedirect: {9, 3, 2, 3},
	personas.DecideReject:   {6, 4},
	personas.DecideKickOut:  {1.5, 3},
}

func hueOf(d personas.Decision) string {
	switch d {
	case personas.DecidePass:
		return huePass
	case personas.DecideRedirect:
		return hueRedir
	case personas.DecideReject:
		return hueReject
	case personas.DecideKickOut:
		return hueKick
	}
	return hueFaint
}

func (v *arrow) hue() string {
	switch {
	case v.mark.Tone != Plain:
		return v.mark.Tone.lineHue()
	case v.marked:
		return hueFaint
	}
	return hueOf(v.decision)
}

func (t Tone) lineHue() string {
	return [...]string{hueLine, hueHit, hueMissed, hueNever}[t]
}

func (t Tone) groundHue() string {
	return [...]string{hueState, hueHitBg, hueMissBg, hueNeverBg}[t]
}
