package terminal

import (
	"testing"
)

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567"} {
		if got := GroupThousands(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
