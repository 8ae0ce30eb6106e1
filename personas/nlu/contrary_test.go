package nlu

import "testing"

// TestContrary: a text and the same words with a denial, in whichever of the two it stands.
func TestContrary(t *testing.T) {
	for _, c := range []struct {
		message, text string
		want          bool
	}{
		{"My brother is not dying", "My brother is dying", true},
		{"My brother is dying", "My brother is not dying", true},
		{"my brother isn't dying!", "My brother is dying.", true},
		{"I don't see the lamp", "I see the lamp", true},
		{"I never saw the lamp", "I saw the lamp", true},
		{"My brother is dying", "My brother is dying", false},
		{"My brother is not dying", "My brother isn't dying", false},
		{"My sister is not at home", "My brother is dying", false},
		{"I am not going, my brother is dying", "My brother is dying", false},
		{"Not me", "Me", false},
		{"I distrust you", "I don't trust you", false},
		{"Wolves are not after me", "Wolves are after me", true},
		{"Je ne veux pas la soupe", "Je veux la soupe", true},
		{"No.", "", false},
	} {
		x := testLexicon()
		found := x.NewIndex(x.ReadAll(c.text), []int{0}).Query(x.Read(c.message))
		if found.Contrary[0] != c.want {
			t.Errorf("%q and %q: %v", c.message, c.text, found.Contrary[0])
		}
	}
}
