package views

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		values          []int
		least, greatest int
		width           int
		want            string
	}{
		{[]int{0, 1, 2, 3}, 0, 3, 10, "▁▃▅█"},
		{[]int{-3, 0, 3}, -3, 3, 10, "▁▄█"},
		{[]int{0, 0}, 0, 0, 5, "▁▁"},
		{[]int{1, 2, 3, 4}, 1, 4, 2, "▅█"},
		{[]int{-1000000000, 1000000000}, -1000000000, 1000000000, 4, "▁█"},
	} {
		assert.Equal(t, sparkline(c.values, c.least, c.greatest, c.width), c.want, "sparkline(%v)", c.values)
	}
}
