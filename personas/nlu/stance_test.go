package nlu

import "testing"

// TestStances: who only holds a deed out, takes it back, declines or promises is told from
// who does it.
func TestStances(t *testing.T) {
	x := NewLexicon()
	for text, want := range map[string]string{
		"maybe I could look for some fish":           "hedged",
		"I could pay, perhaps":                       "hedged",
		"we might help you some day":                 "hedged",
		"I'll think about it":                        "hedged",
		"Here is a fish, but I won't give it to you": "withheld",
		"My papers got wet and I lost them":          "withheld",
		"I have the money, though it is not for you": "withheld",
		"No idea":                            "declined",
		"Not business":                       "declined",
		"I'd rather not say":                 "declined",
		"I won't whistle":                    "promised",
		"You have my word.":                  "promised",
		"never again":                        "promised",
		"only if you pay me first":           "conditional",
		"I will pay":                         "",
		"Could I pay?":                       "",
		"It is not much, but here is a fish": "",
		"I love whistling and do it all day": "",
		"Here, take this key":                "",
		"Good morning, I would like a room with a bed": "",
	} {
		a := x.Acts(text)
		got := ""
		for name, v := range map[string]float64{"hedged": a.Hedged, "withheld": a.Withheld, "declined": a.Declined, "conditional": a.Conditional} {
			if v >= 0.7 {
				got = name
			}
		}
		if got == "" && a.Promised > 0 {
			got = "promised"
		}
		if got != want {
			t.Errorf("%q is %q, %+v; want %q", text, got, a.Stance, want)
		}
	}
}

// TestInsultsByForm: what somebody is called to his face insults, with any adjective; what
// one likes, has, eats or asks about does not.
func TestInsultsByForm(t *testing.T) {
	x := NewLexicon()
	for _, text := range []string{
		"You useless bastard", "you mangy fleabag", "thou toothless vulture of the sands", "You are nothing but a puffed-up windbag.", "ur a stupid old goat", "You spineless little worm!",
		"you brainless doormat", "You're such a fraud.", "Listen, you crazy old crow, nobody needs you.",
	} {
		if a := x.Acts(text); a.Insult < 0.8 {
			t.Errorf("%q: %.2f", text, a.Insult)
		}
	}
	for _, text := range []string{
		"you lucky dog", "You poor old thing", "You clever old fox.", "I brought you a goat", "Do you have a dog?", "you have a dog", "Can you feed the monkey?", "you eat chicken", "Is this your donkey?",
		"May I sell you a tin of beans?", "You are a good dog", "Did you see the crow?", "I will give you the bag",
	} {
		if a := x.Acts(text); a.Insult >= 0.5 {
			t.Errorf("%q: %.2f", text, a.Insult)
		}
	}
}

// TestWhoAttacks: the speaker attacks whose verb is his own, whoever stands before it in the
// sentence, and "back" alone tells of nothing past.
func TestWhoAttacks(t *testing.T) {
	x := NewLexicon()
	for text, want := range map[string]bool{
		"If she gets it I'll break her legs.": true, "If he comes back I will stab him": true, "I will come back and kill you": true,
		"When he hit me I cried": false, "He said I hit him": false, "If she hits you, run": false, "I hit him back in school": false,
	} {
		if a := x.Acts(text); (max(a.Violence, a.Theft) >= 0.7) != want {
			t.Errorf("%q: violence %.2f, damage %.2f", text, a.Violence, a.Theft)
		}
	}
}

// TestMenaces: a threat needs no violent word.
func TestMenaces(t *testing.T) {
	x := NewLexicon()
	for text, want := range map[string]bool{
		"It would be a pity if something happened to your shop.": true, "I know where you live.": true, "Ten filters. Or else.": true, "You'll regret this.": true,
		"What a pity.": false, "Such a shame that it rains.": false, "Where do you live?": false, "It would be a shame to miss the boat": false,
	} {
		if got := x.Acts(text).Menace > 0; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
