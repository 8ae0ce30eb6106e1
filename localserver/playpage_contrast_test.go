package localserver

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestPlayContrast: text and the edges of controls have enough contrast (WCAG 2.2 AA), in every
// colour, light and dark.
func TestPlayContrast(t *testing.T) {
	light, dark, _ := strings.Cut(playStyle, "@media (prefers-color-scheme:dark)")
	for tone := range tones {
		for scheme, style := range map[string]string{"light": light, "dark": dark} {
			named := palette(style, tone)
			for _, pair := range []struct {
				front, back string
				least       float64
			}{
				{"ink", "paper", 4.5}, {"ink", "card", 4.5}, {"ink", "tone-soft", 4.5}, {"soft", "paper", 4.5}, {"soft", "card", 4.5},
				{"tone-ink", "tone", 4.5}, {"fault", "card", 4.5}, {"good", "card", 4.5}, {"fault", "paper", 4.5}, {"tone", "paper", 3}, {"edge", "paper", 3}, {"edge", "card", 3},
			} {
				if got := contrast(t, named[pair.front], named[pair.back]); got < pair.least {
					t.Errorf("%s, tone %d: %s %s on %s %s has %.2f to 1", scheme, tone, pair.front, named[pair.front], pair.back, named[pair.back], got)
				}
			}
		}
	}
}

// palette are the colours of a tone: the general ones, then its own.
func palette(style string, tone int) map[string]string {
	named := map[string]string{}
	general, rest, _ := strings.Cut(style, "[data-tone")
	_, own, _ := strings.Cut("[data-tone"+rest, fmt.Sprintf("[data-tone=%q]", strconv.Itoa(tone)))
	own, _, _ = strings.Cut(own, "}")
	for _, m := range regexp.MustCompile(`--([a-z-]+):(#[0-9a-f]{6})`).FindAllStringSubmatch(general+own, -1) {
		named[m[1]] = m[2]
	}
	return named
}

// contrast is the ratio of two colours as WCAG defines it.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(colour string) (sum float64) {
		value := assert.Value(strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32))(t)
		for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
			c := float64(value>>(8*i)&0xff) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum + 0.05
	}
	x, y := luminance(a), luminance(b)
	return max(x, y) / min(x, y)
}
