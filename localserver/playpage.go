package localserver

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"hash/fnv"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/personas/wire"
)

var (
	//go:embed pages/play.html
	playHTML string
	//go:embed pages/play.css
	playStyle string
	//go:embed pages/*.js
	playFiles embed.FS
)

var playScript = sync.OnceValue(func() string {
	script := "'use strict'\n;(() => {\n"
	names := []string{
		"play_server", "play_draw", "play_memory", "play_stand", "play_endings", "play_judged", "play_story", "play",
	}
	for _, name := range names {
		text, _ := playFiles.ReadFile("pages/" + name + ".js") // All files are embedded.
		script += string(text) + "\n"
	}
	return strings.TrimSuffix(script, "\n") + "})()\n"
})

const tones = 6

type playView struct {
	Persona *playPersona // nil if no such persona is published
	Tone    uint32
	Initial string
	// Portrait is an image as a data URI, or "". StripURI has verified the image.
	Portrait template.URL
	Style    template.CSS
	Script   template.JS
}

type playPersona struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	SignIn      bool              `json:"sign_in"`
	Explains    bool              `json:"explains"` // the player may read traces
	MaxMessage  int               `json:"max_message"`
	MaxName     int               `json:"max_name"`
	Machines    []playMachine     `json:"machines"`
	AsksGender  bool              `json:"-"`     // A text of the persona depends on the player's gender.
	Leads       map[string]string `json:"leads"` // machine id to the id of the automatically opened next machine
	playWords
}

type playMachine struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	About     string            `json:"about"`
	Scored    bool              `json:"scored"`
	Threshold int               `json:"threshold"`
	States    map[string]string `json:"states"`
	Redirects map[string]int    `json:"redirects"` // state to the maximum number of redirects
	Patient   []string          `json:"patient"`   // states where small talk costs no try
	Refusable []string          `json:"refusable"` // initial states where a plain no can end the machine
	Last      []string          `json:"last"`      // terminal states
	Bound     int               `json:"bound"`     // maximum score of a failed machine
	// Outcomes lists the possible outcomes with their endings ("ACCEPT/The bribe"). Wins maps a
	// state to the lowest score for a good outcome.
	Outcomes []string       `json:"outcomes"`
	Wins     map[string]int `json:"wins"`
}

func (s *pageServer) servePlay(w http.ResponseWriter, r *http.Request) {
	release := func() {}
	defer func() { release() }()
	id := identity.FoldID(r.PathValue("persona_id"))
	persona, err := s.store.LoadPersona(r.Context(), id, "", func(size int64) (err error) {
		release()
		release, err = s.server.checks.ReserveDocument(r.Context(), size)
		return err
	})
	view := playView{Style: template.CSS(playStyle), Script: template.JS(playScript())} //nolint:gosec // embedded files
	status := http.StatusOK
	switch {
	case errors.Is(err, store.ErrNotFound):
		status = http.StatusNotFound
	case err != nil:
		s.writeError(w, r, err)
		return
	default:
		view.showPersona(&persona, s.options.ChatNeedsToken)
		view.Persona.Explains = s.server.player.AllMayDirect(r.Context())
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

func (s *pageServer) serveNothing(w http.ResponseWriter, r *http.Request) {
	row := page{Page: api.Page{ID: "play", Limit: api.LimitPages}, serve: (*pageServer).servePlay}
	s.servePage(&row, w, r)
}

// playPolicy allows only the page's own script and style, requests to this server, and images as
// data URIs. Texts of personas and players therefore cannot run as scripts.
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

func (v *playView) showPersona(persona *store.Persona, signIn bool) {
	hash := fnv.New32a()
	hash.Write([]byte(persona.ID))
	v.Tone = hash.Sum32() % tones
	for _, letter := range persona.Doc.Name {
		v.Initial = string(letter)
		break
	}
	if uri, err := portrait.StripURI(persona.Doc.Portrait); err == nil {
		v.Portrait = template.URL(uri) //nolint:gosec // a data URI of an image
	}
	v.Persona = &playPersona{
		ID: persona.ID, Name: persona.Doc.Name, Description: persona.Doc.Description, SignIn: signIn,
		AsksGender: personas.UsesPlayerGender(persona.Doc),
		MaxMessage: wire.MaxMessage, MaxName: wire.MaxPlayerName, Leads: map[string]string{},
		playWords: newPlayWords(persona.Doc.Name),
	}
	steps := maxSteps
	for i := range persona.Doc.Machines {
		machine := &persona.Doc.Machines[i]
		shown := playMachineOf(persona, machine)
		if rules, err := engine.Compile(machine); err == nil { // Saved documents always compile.
			shown.lookAhead(machine, rules, &steps)
			if i < maxJudged {
				shown.noteRefusal(&persona.Doc, machine, rules)
			}
		}
		v.Persona.Machines = append(v.Persona.Machines, shown)
	}
	leads := v.Persona.Leads
	for _, link := range persona.Doc.Links {
		source, target := persona.MachineIDs[link.Source], persona.MachineIDs[link.Target]
		isEntry := slices.ContainsFunc(persona.Doc.Machines, func(m personas.Machine) bool {
			return m.Key == link.Target && m.IsEntry
		})
		if link.AutoAdvance && !isEntry && leads[source] == "" {
			leads[source] = target
		}
	}
}

func playMachineOf(persona *store.Persona, m *personas.Machine) playMachine {
	shown := playMachine{
		ID: persona.MachineIDs[m.Key], Name: m.Title(), About: m.Description,
		Scored: m.Mode() == personas.Scoring, Threshold: m.Threshold(), Bound: m.FailBound(),
		States: map[string]string{}, Redirects: map[string]int{}, Wins: map[string]int{},
		Patient: []string{}, Refusable: []string{}, Last: []string{}, Outcomes: []string{},
	}
	for i := range m.States {
		state := &m.States[i]
		shown.States[state.Key] = state.Title()
		if state.MaxRedirects != nil {
			shown.Redirects[state.Key] = *state.MaxRedirects
		}
		if state.Offline == nil || state.Offline.Patience == nil {
			shown.Patient = append(shown.Patient, state.Key)
		}
		if state.IsTerminal {
			shown.Last = append(shown.Last, state.Key)
		}
	}
	return shown
}

const maxJudged = 20

var builtInJudge = sync.OnceValue(intent.NewReader)

func (m *playMachine) noteRefusal(doc *personas.Persona, machine *personas.Machine, rules *engine.Machine) {
	if !rules.CanEndByRefusal(rules.Start()) {
		return
	}
	key := rules.Start().State
	place := intent.Place{Persona: doc, Machine: machine, Outgoing: rules.Outgoing(key)}
	place.State = &machine.States[slices.IndexFunc(machine.States, func(s personas.State) bool { return s.Key == key })]
	if builtInJudge().MayLoseByNo(place) {
		m.Refusable = append(m.Refusable, key)
	}
}

// maxSteps limits the search for endings of all machines together. The samples need a few hundred
// steps.
const maxSteps = 20_000

func (m *playMachine) lookAhead(doc *personas.Machine, rules *engine.Machine, steps *int) {
	for _, e := range rules.FindEndings(steps) {
		m.Outcomes = append(m.Outcomes, e.String())
	}
	for i := range doc.States {
		if lowest, wins := rules.LowestWin(doc.States[i].Key, steps); wins && !doc.States[i].IsTerminal {
			m.Wins[doc.States[i].Key] = lowest
		}
	}
}

type playWords struct {
	Endings map[personas.Outcome]playwords.Ending `json:"endings"`
	Tries   map[string]string                     `json:"tries"`
	Score   map[string]string                     `json:"score"`
	Why     map[string]string                     `json:"why"`
	Found   map[string]string                     `json:"found"`
	Back    map[string]string                     `json:"back"`
	Opened  map[string]string                     `json:"opened"`
	Over    map[string]string                     `json:"over"`
}

// newPlayWords replaces these sample numbers by placeholders.
const (
	sampleLow    = 111111
	sampleEnough = 222222
	sampleHigh   = 333333
	sampleCost   = 444444
)

func newPlayWords(character string) playWords {
	scores := strings.NewReplacer(
		strconv.Itoa(-sampleLow), "%score", strconv.Itoa(sampleLow), "%score", strconv.Itoa(sampleHigh), "%score",
		strconv.Itoa(sampleEnough), "%enough", strconv.Itoa(sampleCost), "%n",
	).Replace
	counts := strings.NewReplacer(
		strconv.Itoa(sampleLow), "%found", strconv.Itoa(sampleEnough), "%all", strconv.Itoa(sampleHigh), "%n",
	).Replace
	return playWords{
		Endings: playwords.Endings(),
		Tries: map[string]string{
			"left": playwords.TriesFormat, "last": playwords.Tries(1),
			"free": playwords.FreeTalk, "but_no": playwords.FreeTalkButNo,
			"used": playwords.TryUsedFormat, "used_last": playwords.TryUsed(1),
			"step": playwords.NewStepFormat, "step_one": playwords.NewStepTries(1),
			"rule": playwords.MissRule,
		},
		Score: map[string]string{
			"within": scores(playwords.Score(sampleLow, sampleEnough)),
			"beyond": scores(playwords.Score(sampleHigh, sampleEnough)),
			"below":  scores(playwords.Score(-sampleLow, sampleEnough)),
		},
		Why: map[string]string{
			"said_yes":     playwords.SaidYes(character, "%said"),
			"reached":      scores(playwords.ScoreReached(character, "%said", sampleLow, sampleEnough)),
			"yet_reached":  scores(playwords.SaidNoYetReached(character, "%said", sampleLow, sampleEnough)),
			"thrown_out":   playwords.WentTooFar(character, "%said"),
			"ended_by_no":  playwords.EndedByNo("%said", 0),
			"no_tries":     playwords.EndedByNo("%said", sampleHigh),
			"missed_low":   scores(playwords.MissedTooLow("%said", 0, sampleLow, sampleEnough)),
			"missed_cost":  scores(playwords.MissedTooLow("%said", -sampleCost, sampleLow, sampleEnough)),
			"out_of_tries": playwords.OutOfTries("%said"),
			"fell":         scores(playwords.ScoreFell("%said", -sampleLow)),
			"too_low":      scores(playwords.ScoreTooLow("%said", sampleLow, sampleEnough)),
		},
		Found: map[string]string{
			"new":   counts(playwords.FoundNow(sampleLow, sampleEnough, true)),
			"last":  counts(playwords.FoundNow(sampleEnough, sampleEnough, true)),
			"known": counts(playwords.FoundNow(sampleLow, sampleEnough, false)),
			"count": counts(playwords.Found(sampleLow, sampleEnough)),
		},
		Back: map[string]string{
			"one": playwords.WayBack("%title", 1), "many": counts(playwords.WayBack("%title", sampleHigh)),
			"here": playwords.TurnedHere("%title"), "otherwise": playwords.TookOtherwise(character),
		},
		Opened: map[string]string{
			playwords.Won:  playwords.Opened(playwords.Won, []string{"%title"}),
			playwords.Lost: playwords.Opened(playwords.Lost, []string{"%title"}),
		},
		Over: map[string]string{
			"whole": playwords.StoryOver(1, true), "last": playwords.StoryOver(2, true), "lost": playwords.StoryOver(1, false),
		},
	}
}
