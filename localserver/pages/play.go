package pages

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"hash/fnv"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/personas/wire"
)

// The page that plays a persona in a browser.
var (
	//go:embed play.html
	playHTML string
	//go:embed play.css
	playStyle string
	//go:embed play_server.js
	playServerScript string
	//go:embed play_draw.js
	playDrawScript string
	//go:embed play_memory.js
	playMemoryScript string
	//go:embed play_stand.js
	playStandScript string
	//go:embed play_endings.js
	playEndingsScript string
	//go:embed play_judged.js
	playJudgedScript string
	//go:embed play_story.js
	playStoryScript string
	//go:embed play.js
	playOwnScript string
)

// playScript is the page's only script: its files concatenated in one closure, to keep their names
// private.
func playScript() string {
	files := []string{playServerScript, playDrawScript, playMemoryScript, playStandScript, playEndingsScript, playJudgedScript, playStoryScript, playOwnScript}
	return "'use strict'\n;(() => {\n" + strings.Join(files, "\n") + "})()\n"
}

// tones is how many colours the page has for characters.
const tones = 6

// playView is the data for the play page's template. Persona is nil if there is none to play.
type playView struct {
	Persona *playPersona
	Tone    uint32
	Initial string
	// Portrait is a picture as a data URI, "" for none; only an image gets here.
	Portrait template.URL
	Style    template.CSS
	Script   template.JS
}

// playPersona is the page's data about the persona; all of it is public.
type playPersona struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	SignIn      bool              `json:"sign_in"`
	Explains    bool              `json:"explains"` // whether the player may read the trace
	MaxMessage  int               `json:"max_message"`
	MaxName     int               `json:"max_name"`
	Machines    []playMachine     `json:"machines"`
	AsksGender  bool              `json:"-"`     // a text of the persona depends on it
	Leads       map[string]string `json:"leads"` // a machine's id to the one that it leads on to automatically
	playWords
}

type playMachine struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	About     string            `json:"about"`
	Scored    bool              `json:"scored"`
	Threshold int               `json:"threshold"`
	States    map[string]string `json:"states"`
	Redirects map[string]int    `json:"redirects"` // the limit per state, if there is one
	Patient   []string          `json:"patient"`   // states with free small talk
	Last      []string          `json:"last"`      // states with which the part is over
	Bound     int               `json:"bound"`     // a score at or below it ends the part
	// Outcomes are the possible ones, with the endings' names ("ACCEPT/The bribe"). Wins is the lowest score at which a state can still lead to a
	// good outcome; it omits states that cannot.
	Outcomes []string       `json:"outcomes"`
	Wins     map[string]int `json:"wins"`
}

// servePlay serves a published persona's page, else the page of ServeNothing.
func (s *Site) servePlay(w http.ResponseWriter, r *http.Request) {
	release := func() {}
	defer func() { release() }()
	p, err := s.Store.LoadPersonaWithin(r.Context(), identity.FoldID(r.PathValue("persona_id")), "", func(size int64) (err error) {
		release()
		release, err = s.Reserve(r.Context(), size)
		return err
	})
	view, status := playView{Style: template.CSS(playStyle), Script: template.JS(playScript())}, http.StatusOK //nolint:gosec // the page's own files
	switch {
	case errors.Is(err, store.ErrNotFound):
		status = http.StatusNotFound
	case err != nil:
		s.writeError(w, r, err)
		return
	default:
		view.showPersona(&p, s.ChatNeedsToken)
		view.Persona.Explains = s.MayDirect != nil && s.MayDirect(r.Context())
	}
	if err := r.Context().Err(); err != nil {
		s.writeError(w, r, err)
		return
	}
	content, err := view.renderPage()
	if err != nil {
		s.writeError(w, r, api.Internal(err))
		return
	}
	w.Header().Set("Content-Security-Policy", playPolicy())
	writePage(w, status, api.ContentHTML+"; charset=utf-8", content)
}

// ServeNothing serves the page for an unknown play link.
func (s *Site) ServeNothing(w http.ResponseWriter, r *http.Request) {
	row := page{Page: api.Page{ID: "play", Limit: api.LimitPages}, serve: (*Site).servePlay}
	s.servePage(&row, w, r)
}

// playPolicy allows the page its own script and style, by their hashes, and calls to this server.
// Text of a persona or a player cannot become more than text.
func playPolicy() string {
	return "default-src 'none'; script-src " + sourceHash(playScript()) + "; style-src " + sourceHash(playStyle) +
		"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (v playView) renderPage() ([]byte, error) {
	parsed, err := template.New("play").Parse(playHTML)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = parsed.Execute(&text, v)
	return text.Bytes(), err
}

func (v *playView) showPersona(p *store.Persona, signIn bool) {
	hash := fnv.New32a()
	hash.Write([]byte(p.ID))
	v.Tone = hash.Sum32() % tones
	for _, letter := range p.Doc.Name {
		v.Initial = string(letter)
		break
	}
	// A persona that an older version saved may still have metadata in its picture.
	if uri, err := portrait.StripURI(p.Doc.Portrait); err == nil {
		v.Portrait = template.URL(uri) //nolint:gosec // a data URI of an image
	}
	v.Persona = &playPersona{
		ID: p.ID, Name: p.Doc.Name, Description: p.Doc.Description, SignIn: signIn, AsksGender: personas.UsesPlayerGender(p.Doc),
		MaxMessage: wire.MaxMessage, MaxName: wire.MaxPlayerName, Leads: map[string]string{},
		playWords: newPlayWords(p.Doc.Name),
	}
	steps := maxSteps
	for i := range p.Doc.Machines {
		v.Persona.Machines = append(v.Persona.Machines, playMachineOf(p, &p.Doc.Machines[i]))
		v.Persona.Machines[i].lookAhead(&p.Doc.Machines[i], &steps)
	}
	for _, link := range p.Doc.Links {
		isOpen := slices.ContainsFunc(p.Doc.Machines, func(m personas.Machine) bool { return m.Key == link.Target && m.IsEntry })
		if link.AutoAdvance && !isOpen && v.Persona.Leads[p.MachineIDs[link.Source]] == "" {
			v.Persona.Leads[p.MachineIDs[link.Source]] = p.MachineIDs[link.Target]
		}
	}
}

func playMachineOf(p *store.Persona, m *personas.Machine) playMachine {
	shown := playMachine{
		ID: p.MachineIDs[m.Key], Name: m.Title(), About: m.Description,
		Scored: m.Mode() == personas.Scoring, Threshold: m.Threshold(), States: map[string]string{}, Redirects: map[string]int{}, Patient: []string{}, Last: []string{}, Bound: m.FailBound(),
	}
	for i := range m.States {
		shown.States[m.States[i].Key] = m.States[i].Title()
		if most := m.States[i].MaxRedirects; most != nil {
			shown.Redirects[m.States[i].Key] = *most
		}
		if offline := m.States[i].Offline; offline == nil || offline.Patience == nil {
			shown.Patient = append(shown.Patient, m.States[i].Key)
		}
		if m.States[i].IsTerminal {
			shown.Last = append(shown.Last, m.States[i].Key)
		}
	}
	return shown
}

// maxSteps bounds how far a page looks ahead into a persona: the samples need a few hundred.
const maxSteps = 20_000

// lookAhead computes the possible endings of a part, and the states from which it can still end
// well.
func (m *playMachine) lookAhead(doc *personas.Machine, steps *int) {
	m.Outcomes, m.Wins = []string{}, map[string]int{}
	rules, err := engine.Compile(doc)
	if err != nil {
		return // A document that was saved compiles.
	}
	for _, e := range rules.FindEndings(steps) {
		m.Outcomes = append(m.Outcomes, e.String())
	}
	for i := range doc.States {
		if lowest, wins := rules.LowestWin(doc.States[i].Key, steps); wins && !doc.States[i].IsTerminal {
			m.Wins[doc.States[i].Key] = lowest
		}
	}
}
