package plaintext

import "testing"

func TestRedactUser(t *testing.T) {
	for address, want := range map[string]string{
		"http://ann:hush@h/x":   "http://h/x",
		"http://ann@h":          "http://h",
		"http://ann:hu@sh@h:80": "http://h:80",
		"http://ann:hush@ho st": "http://ho st",
		"ann:hush@h":            "h",
		"https://h/a@b":         "https://h/a@b",
		"http://h/?to=a@b":      "http://h/?to=a@b",
		"ann@example.com":       "ann@example.com",
		"127.0.0.1:8787":        "127.0.0.1:8787",
		"":                      "",
	} {
		if got := RedactUser(address); got != want {
			t.Errorf("RedactUser(%q) = %q, want %q", address, got, want)
		}
	}
}
