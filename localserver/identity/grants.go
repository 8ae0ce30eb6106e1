package identity

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/parley-npc/parley/personas/atomicfile"
)

const (
	grantsFile = "dev-signins.json"
	// grantLifetime is the time until an unused sign-in ends.
	grantLifetime = 30 * 24 * time.Hour
	// maxGrants is the maximum number of sign-ins. If there are more, the least recently used
	// sign-in ends.
	maxGrants = 1000
)

// A grant is one sign-in of a client. Each use of the refresh token replaces the token, so only the newest
// token is valid.
type grant struct {
	ID       string    `json:"id"`
	Client   string    `json:"client_id"`
	Email    string    `json:"email"`
	Scope    string    `json:"scope"`
	SignedIn time.Time `json:"signed_in_at"`
	Expires  time.Time `json:"expires_at"`
	// Hash is the SHA-256 of the newest refresh token, in hexadecimal digits.
	Hash string `json:"token_sha256"`
	// Code is the SHA-256 of the authorization code that the client exchanged, or "". If a code is
	// used twice, the sign-in ends.
	Code string `json:"code_sha256,omitempty"`
}

// grants stores the sign-ins in a file of the data folder, which this process has locked. If path is "",
// changeState stores the sign-ins in shared records instead.
type grants struct {
	path string
	now  func() time.Time
	mu   sync.Mutex
	byID map[string]grant
}

func openGrants(dir string, now func() time.Time) (*grants, error) {
	g := &grants{path: filepath.Join(dir, grantsFile), now: now, byID: map[string]grant{}}
	data, err := atomicfile.Read(g.path)
	if errors.Is(err, fs.ErrNotExist) {
		return g, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sign-ins of the development provider: %w", err)
	}
	var list []grant
	if json.Unmarshal(data, &list) != nil {
		return nil, fmt.Errorf("%s is damaged: remove it, then everybody must sign in again", g.path)
	}
	for _, kept := range list {
		g.byID[kept.ID] = kept
	}
	return g, nil
}

func (g *grants) beginGrant(begun grant) (grant, string, error) {
	begun.ID, begun.SignedIn = newSecret(), g.now().UTC()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.renewGrant(begun)
}

func (g *grants) renewGrant(of grant) (grant, string, error) {
	token := of.ID + "." + newSecret()
	of.Hash, of.Expires = hashSecret(token), g.now().UTC().Add(grantLifetime)
	next := maps.Clone(g.byID)
	next[of.ID] = of
	return of, token, g.saveGrants(next)
}

var errGrant = errors.New("the refresh token is not valid: sign in again")

// rotateToken exchanges a refresh token for the next one. If the token was exchanged before, the
// token or its successor may be stolen, so the sign-in ends.
func (g *grants) rotateToken(token, client string) (grant, string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	id, _, _ := strings.Cut(token, ".")
	kept, ok := g.byID[id]
	if !ok || kept.Client != client || !g.now().Before(kept.Expires) {
		return grant{}, "", errGrant
	}
	if subtle.ConstantTimeCompare([]byte(hashSecret(token)), []byte(kept.Hash)) != 1 {
		return grant{}, "", errors.Join(errGrant, g.removeGrant(id))
	}
	return g.renewGrant(kept)
}

func (g *grants) endGrant(id string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.removeGrant(id)
}

func (g *grants) endGrantOfCode(hash string) (ended bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for id, kept := range g.byID {
		if kept.Code == hash {
			return true, g.removeGrant(id)
		}
	}
	return false, nil
}

func (g *grants) removeGrant(id string) error {
	if _, ok := g.byID[id]; !ok {
		return nil
	}
	next := maps.Clone(g.byID)
	delete(next, id)
	return g.saveGrants(next)
}

func (g *grants) findGrant(id string) (grant, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept, ok := g.byID[id]
	return kept, ok && g.now().Before(kept.Expires)
}

// saveGrants stores next, without expired sign-ins and without the least recently used ones beyond maxGrants.
// If the file cannot be written, the sign-ins do not change.
func (g *grants) saveGrants(next map[string]grant) error {
	now := g.now()
	maps.DeleteFunc(next, func(_ string, of grant) bool { return !now.Before(of.Expires) })
	list := slices.SortedFunc(maps.Values(next), func(a, b grant) int {
		return cmp.Or(b.Expires.Compare(a.Expires), b.SignedIn.Compare(a.SignedIn), cmp.Compare(a.ID, b.ID))
	})
	for len(list) > maxGrants {
		delete(next, list[len(list)-1].ID)
		list = list[:len(list)-1]
	}
	if g.path != "" {
		data, err := json.MarshalIndent(list, "", "  ")
		if err == nil {
			err = writePrivate(g.path, data, atomicfile.Write)
		}
		if err != nil {
			return fmt.Errorf("store the sign-ins: %w", err)
		}
	}
	g.byID = next
	return nil
}

// newSecret returns a random secret of at least 128 bits, in characters that need no escaping in a
// URL.
func newSecret() string { return rand.Text() }

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
