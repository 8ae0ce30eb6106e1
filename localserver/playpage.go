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

// playScript returns the only script of the page. It puts all script files into one closure, so
// that their names are not global.
var playScript = sync.OnceValue(func() string {
	script := "'use strict'\n;(() => {\n"
	for _, name := range []string{"play_server", "play_draw", "play_memory", "play_stand", "play_endings", "play_judged", "play_story", "play"} {
		text, _ := playFiles.ReadFile("pages/" + name + ".js") // All files are embedded.
		script += string(text) + "\n"
	}
	return strings.TrimSuffix(script, "\n") + "})()\n"
})

const tones = 6

// playView is the data for the template. Persona is nil if the persona does not exist or is not published.
type playView struct {
	Persona *playPersona
	Tone    uint32
	Initial string
	// Portrait is a picture as a data URI, or "". StripURI has checked that the URI contains an
	// image.
	Portrait template.URL
	Style    template.CSS
	Script   template.JS
}

// playPersona contains the public data of a persona.
type playPersona struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	SignIn      bool              `json:"sign_in"`
	Explains    bool              `json:"explains"` // the player may read traces
	MaxMessage  int               `json:"max_message"`
	MaxName     int               `json:"max_name"`
	Machines    []playMachine     `json:"machines"`
	AsksGender  bool              `json:"-"`     // a text of the persona depends on it
	Leads       map[string]string `json:"leads"` // maps the id of a machine to that of the machine that is opened automatically after it
	playWords
}

type playMachine struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	About     string            `json:"about"`
	Scored    bool              `json:"scored"`
	Threshold int               `json:"threshold"`
	States    map[string]string `json:"states"`
	Redirects map[string]int    `json:"redirects"` // maximum number of redirects per state, if limited
	Patient   []string          `json:"patient"`   // states where small talk does not cost a try
	Refusable []string          `json:"refusable"` // initial states where a plain no can end the part
	Last      []string          `json:"last"`      // terminal states
	Bound     int               `json:"bound"`     // a score at or below it ends the part
	// Outcomes lists the possible outcomes, with the names of the endings ("ACCEPT/The bribe").
	// Wins contains the states that can lead to a good outcome. The value is the lowest score with
	// which the state can still do so.
	Outcomes []string       `json:"outcomes"`
	Wins     map[string]int `json:"wins"`
}

func (s *pageServer) servePlay(w http.ResponseWriter, r *http.Request) {
	release := func() {}
	defer func() { release() }()
	p, err := s.store.LoadPersona(r.Context(), identity.FoldID(r.PathValue("persona_id")), "", func(size int64) (err error) {
		release()
		release, err = s.server.checks.ReserveDocument(r.Context(), size)
		return err
	})
	view, status := playView{Style: template.CSS(playStyle), Script: template.JS(playScript())}, http.StatusOK //nolint:gosec // embedded files
	switch {
	case errors.Is(err, store.ErrNotFound):
		status = http.StatusNotFound
	case err != nil:
		s.writeError(w, r, err)
		return
	default:
		view.showPersona(&p, s.options.ChatNeedsToken)
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

// playPolicy returns the Content-Security-Policy of the page. It allows the page's own script and
// style by their hashes, requests to this server, and images as data URIs. So a text of a persona
// or a player cannot run as a script.
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
	// Older versions of this program did not remove the metadata of a picture when they saved it.
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
		machine := &p.Doc.Machines[i]
		shown := playMachineOf(p, machine)
		if rules, err := engine.Compile(machine); err == nil { // Saved documents always compile.
			shown.lookAhead(machine, rules, &steps)
			if i < maxJudged {
				shown.noteRefusal(&p.Doc, machine, rules)
			}
		}
		v.Persona.Machines = append(v.Persona.Machines, shown)
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
		Scored: m.Mode() == personas.Scoring, Threshold: m.Threshold(), States: map[string]string{}, Redirects: map[string]int{},
		Patient: []string{}, Refusable: []string{}, Last: []string{}, Bound: m.FailBound(),
		Outcomes: []string{}, Wins: map[string]int{},
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

const maxJudged = 20

var builtInJudge = sync.OnceValue(intent.NewReader)

func (m *playMachine) noteRefusal(doc *personas.Persona, machine *personas.Machine, rules *engine.Machine) {
	if !rules.CanEndByRefusal(rules.Start()) {
		return
	}
	key := rules.Start().State
	at := intent.Place{Persona: doc, Machine: machine, Outgoing: rules.Outgoing(key)}
	at.State = &machine.States[slices.IndexFunc(machine.States, func(s personas.State) bool { return s.Key == key })]
	if builtInJudge().MayLoseByNo(at) {
		m.Refusable = append(m.Refusable, key)
	}
}

// maxSteps is the maximum number of steps of the search for endings, for all machines together. The
// samples need a few hundred.
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

// playWords contains the texts of package playwords for the page's script. The names of the texts
// are those in the script. The script replaces the placeholders %score, %enough, %found, %all,
// %said, %title, %n and %d.
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

// Sample numbers for the texts. newPlayWords replaces these numbers by placeholders.
const (
	sampleLow    = 111111
	sampleEnough = 222222
	sampleHigh   = 333333
	sampleCost   = 444444
)

func newPlayWords(character string) playWords {
	scores := strings.NewReplacer(strconv.Itoa(-sampleLow), "%score", strconv.Itoa(sampleLow), "%score", strconv.Itoa(sampleHigh), "%score",
		strconv.Itoa(sampleEnough), "%enough", strconv.Itoa(sampleCost), "%n").Replace
	counts := strings.NewReplacer(strconv.Itoa(sampleLow), "%found", strconv.Itoa(sampleEnough), "%all", strconv.Itoa(sampleHigh), "%n").Replace
	return playWords{
		Endings: playwords.Endings(),
		Tries: map[string]string{
			"left": playwords.TriesFormat, "last": playwords.Tries(1), "free": playwords.FreeTalk, "but_no": playwords.FreeTalkButNo,
			"used": playwords.TryUsedFormat, "used_last": playwords.TryUsed(1), "step": playwords.NewStepFormat, "step_one": playwords.NewStepTries(1),
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
			playwords.Won: playwords.Opened(playwords.Won, []string{"%title"}), playwords.Lost: playwords.Opened(playwords.Lost, []string{"%title"}),
		},
		Over: map[string]string{"whole": playwords.StoryOver(1, true), "last": playwords.StoryOver(2, true), "lost": playwords.StoryOver(1, false)},
	}
}
