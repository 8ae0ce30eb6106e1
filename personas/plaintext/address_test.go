package plaintext

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestRedactUser(t *testing.T) {
	for address, want := range map[string]string{
		"http://ann:hush@h/x":                  "http://h/x",
		"http://ann@h":                         "http://h",
		"http://ann:hu@sh@h:80":                "http://h:80",
		"http://ann:hush@ho st":                "http://ho st",
		"ann:hush@h":                           "h",
		"https://h/a@b":                        "https://h/a@b",
		"http://h/?to=a@b":                     "http://h/?to=a@b",
		"ann@example.com":                      "ann@example.com",
		"127.0.0.1:8787":                       "127.0.0.1:8787",
		"":                                     "",
		"http://ann:hu sh@h":                   "http://h",
		"http://ann:hu?sh@h":                   "http://h",
		"http://ann:it's@h":                    "http://h",
		`GET "http://ann:hu sh@h/x": refused`:  `GET "http://h/x": refused`,
		`GET "http://ann:hu\"sh@h/x": refused`: `GET "http://h/x": refused`,
		"GET http://ann:hush@h: ask a@b":       "GET http://h: ask a@b",
		"http://ann:hush@h and https://bob:hush@i:80": "http://h and https://i:80",
		"see http://h and ask a@b":                    "see http://h and ask a@b",
		"socks5://ann:hush@h":                         "socks5://h",
		"postgres://ann:hush@h/db?a=b":                "postgres://h/db?a=b",
		"list personas: mail a@b":                     "list personas: mail a@b",
		"ann:hush@h:80":                               "h:80",
	} {
		assert.Equal(t, RedactUser(address), want, "RedactUser(%q)", address)
	}
}

// FuzzRedactUser: no address in a message keeps its name or password, and a text without an @ does not change.
func FuzzRedactUser(f *testing.F) {
	f.Add("GET ", "ann", "hush", ": refused")
	f.Add(`"`, "ann", "hu sh", `": refused`)
	f.Add("", "", "x", "")
	f.Fuzz(func(t *testing.T, before, name, password, after string) {
		if got := RedactUser(before); !strings.Contains(before, "@") && got != before {
			t.Errorf("%q became %q", before, got)
		}
		secret := strings.Trim(name+":"+password, "/\" \t\r\n")
		if strings.ContainsAny(name+password, "/\"\\ \t\r\n@") || strings.ContainsAny(before+after, "/@") || len(secret) < 3 {
			return
		}
		text := before + " http://" + name + ":" + password + "@h" + after
		got := RedactUser(text)
		assert.True(t, !strings.Contains(got, "//"+secret) && len(got) <= len(text) && RedactUser(got) == got, "%q became %q", text, got)
	})
}
