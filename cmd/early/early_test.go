package early

import (
	"os"
	"testing"
)

// TestTermComesBack: the init made the terminal look dumb, Restore undoes it.
func TestTermComesBack(t *testing.T) {
	if got := os.Getenv(variable); got != "dumb" {
		t.Fatalf("after init TERM is %q", got)
	}
	Restore()
	got, set := os.LookupEnv(variable)
	if got != before || set != was {
		t.Errorf("after Restore TERM is %q (set %v), want %q (set %v)", got, set, before, was)
	}
}
