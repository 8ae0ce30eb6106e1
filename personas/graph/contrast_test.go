package graph

import (
	"fmt"
	"math"
)

// contrastRatio returns the contrast of two colours as defined by WCAG 2, which requires 4.5 for text.
func contrastRatio(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(text string) float64 {
	var rgb [3]uint8
	if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
		return math.NaN()
	}
	linear := func(c uint8) float64 {
		v := float64(c) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(rgb[0]) + 0.7152*linear(rgb[1]) + 0.0722*linear(rgb[2])
}
