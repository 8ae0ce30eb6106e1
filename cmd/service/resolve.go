package service

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// ConnectPersona connects and calls FindPersona, for commands that change a persona.
func (a *Access) ConnectPersona(ctx context.Context, persona string) (s *Service, id string, err error) {
	if s, err = a.Connect(); err != nil {
		return nil, "", err
	}
	id, err = s.FindPersona(ctx, persona)
	return s, id, err
}

// ConnectNearPersona connects and calls FindNearPersona, for commands that read or play.
func (a *Access) ConnectNearPersona(ctx context.Context, persona string) (s *Service, id string, err error) {
	if s, err = a.Connect(); err != nil {
		return nil, "", err
	}
	id, err = s.FindNearPersona(ctx, persona)
	return s, id, err
}

// FindPersona returns the id of a persona, given by id, play link or name. Names of public personas
// and of the user's own are searched. The error has ExitNo unless exactly one name matches.
func (s *Service) FindPersona(ctx context.Context, persona string) (string, error) {
	return s.findBy(ctx, persona, false)
}

// FindNearPersona is like FindPersona, but also accepts the beginning of a name.
func (s *Service) FindNearPersona(ctx context.Context, persona string) (string, error) {
	return s.findBy(ctx, persona, true)
}

func (s *Service) findBy(ctx context.Context, persona string, near bool) (string, error) {
	if err := CheckPlayLink(persona); err != nil {
		return "", err
	}
	if id, ok := ParsePersonaID(persona); ok {
		return id, nil
	}
	items, err := s.listNames(ctx, persona, 0)
	if err == nil && len(matchNames(items, persona, near)) == 0 {
		items, err = s.listNames(ctx, "", maxSuggestable)
	}
	if err != nil {
		return "", fmt.Errorf("find persona %q: %w", persona, err)
	}
	return PickPersona(persona, items, near)
}

func matchNames(items map[string]string, given string, near bool) []string {
	var same, begin []string
	folded := plaintext.FoldName(given)
	for id, name := range items {
		switch {
		case plaintext.SameName(name, given):
			same = append(same, id)
		case near && folded != "" && strings.HasPrefix(plaintext.FoldName(name), folded):
			begin = append(begin, id)
		}
	}
	if same != nil {
		return same
	}
	return begin
}

// PickPersona returns the id of the only matching persona. items maps ids to names.
func PickPersona(persona string, items map[string]string, near bool) (string, error) {
	switch ids := matchNames(items, persona, near); len(ids) {
	case 0:
		err := fmt.Errorf("no persona is called %q here", persona)
		return "", &cli.Failure{Code: cli.ExitNo, Err: err, Hint: suggestName(persona, items)}
	case 1:
		return ids[0], nil
	default:
		err := fmt.Errorf("%d personas match the name %q", len(ids), persona)
		return "", &cli.Failure{Code: cli.ExitNo, Err: err, Hint: formatCandidates(ids, items)}
	}
}

// MaxCandidates is the maximum number of listed candidates for an ambiguous name.
const MaxCandidates = 10

func formatCandidates(ids []string, names map[string]string) string {
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(names[a], names[b]), cmp.Compare(a, b)) })
	text := "choose a persona by its id:"
	for _, id := range ids[:min(len(ids), MaxCandidates)] {
		text += "\n    " + id + "  " + terminal.Clean(names[id])
	}
	if more := len(ids) - MaxCandidates; more > 0 {
		text += fmt.Sprintf("\n    and %d more (see `parley persona list`)", more)
	}
	return text
}

// CheckPlayLink returns a usage error for a play link with a password. The error omits the link.
func CheckPlayLink(text string) error {
	if u, err := url.Parse(text); err == nil && u.User != nil && (u.Scheme == "http" || u.Scheme == "https") {
		return cli.UsageError("the play link contains a user name or a password: remove it, or use the persona's id")
	}
	return nil
}

// ParsePersonaID parses an id, or a play link with an id at the end.
func ParsePersonaID(text string) (string, bool) {
	if u, err := url.Parse(text); err == nil && u.User == nil && (u.Scheme == "http" || u.Scheme == "https") {
		text = path.Base(u.Path)
	}
	id, err := uuid.Parse(text)
	return id.String(), err == nil && len(text) == len(id.String())
}

// ListCandidates returns the names of all personas for a search, by id.
func (s *Service) ListCandidates(ctx context.Context) (map[string]string, error) {
	return s.listNames(ctx, "", 0)
}

// ListNames returns the first names that start with beginning, by persona id.
func (s *Service) ListNames(ctx context.Context, beginning string) (map[string]string, error) {
	return s.listNames(ctx, beginning, wire.MaxListLimit)
}

const maxSuggestable = 5 * wire.MaxListLimit

// listNames limits public and own personas separately. Some services ignore beginning.
func (s *Service) listNames(ctx context.Context, beginning string, limit int) (map[string]string, error) {
	beginning = clipName(beginning)
	public, err := s.PersonaPages(ctx, client.PersonaList{Name: beginning}, limit)
	if err != nil {
		return nil, err
	}
	mine, err := s.PersonaPages(ctx, client.PersonaList{Name: beginning, Mine: true, PublicOnly: new(false)}, limit)
	if err != nil && wire.ErrorStatus(err) != http.StatusUnauthorized {
		return nil, err
	}
	names := make(map[string]string, len(public.Items)+len(mine.Items))
	for _, p := range append(public.Items, mine.Items...) {
		names[p.ID] = p.Name
	}
	return names, nil
}

func clipName(name string) string {
	if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return ""
	}
	runes := []rune(name)
	return string(runes[:min(len(runes), wire.MaxPersonaName)])
}

// ListOwnNamed returns the user's personas with the given name, newest first.
func (s *Service) ListOwnNamed(ctx context.Context, name string) ([]wire.ListedPersona, error) {
	mine, err := s.PersonaPages(ctx, client.PersonaList{Name: clipName(name), Mine: true, PublicOnly: new(false)}, 0)
	return slices.DeleteFunc(mine.Items, func(p wire.ListedPersona) bool {
		return strings.TrimSpace(p.Name) != strings.TrimSpace(name)
	}), err
}

func findNearNames(given string, names []string) []string {
	namesBySpelling := map[string][]string{}
	for _, name := range names {
		for _, spelling := range append(strings.Fields(name), name) {
			if !slices.Contains(namesBySpelling[spelling], name) {
				namesBySpelling[spelling] = append(namesBySpelling[spelling], name)
			}
		}
	}
	var near, found []string
	spellings := slices.Sorted(maps.Keys(namesBySpelling))
	for chunk := range slices.Chunk(spellings, 200) { // the limit of NearestWords
		near = append(near, personas.NearestWords(given, chunk)...)
	}
	for _, spelling := range personas.NearestWords(given, near) {
		found = append(found, namesBySpelling[spelling]...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// HintListPersonas is the hint for a name without similar names.
const HintListPersonas = "see `parley persona list`; add --mine for your own personas"

const maxNearNames = 3

func suggestName(given string, items map[string]string) string {
	names := slices.Sorted(maps.Values(items))
	near := findNearNames(given, names)
	for _, name := range names {
		if len(near) == 0 && strings.Contains(plaintext.FoldName(name), plaintext.FoldName(given)) {
			near = []string{name}
		}
	}
	if len(near) == 0 {
		return HintListPersonas
	}
	quoted := make([]string, 0, maxNearNames)
	for _, name := range near[:min(len(near), maxNearNames)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	return fmt.Sprintf("did you mean %s?", strings.Join(quoted, " or "))
}

// MinIDLength is the minimum length of an abbreviated id.
const MinIDLength = 4
