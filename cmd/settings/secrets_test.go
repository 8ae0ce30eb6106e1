package settings_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
)

// fakeKeyring is a keyring with Windows' limit, and with faults that a test sets.
type fakeKeyring struct {
	mu     sync.Mutex
	items  map[string]string
	fault  error
	faults map[string]error // by the beginning of an item's name, for Set
	hang   chan struct{}
	broken bool
}

const windowsLimit = 2560

func newRing() *fakeKeyring { return &fakeKeyring{items: map[string]string{}} }

func (r *fakeKeyring) beginCall() error {
	if r.hang != nil {
		<-r.hang
	}
	if r.broken {
		panic("interface conversion: nobody expected that")
	}
	return r.fault
}

func (r *fakeKeyring) Get(name string) (string, error) {
	if err := r.beginCall(); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	secret, ok := r.items[name]
	if !ok {
		return "", settings.ErrNoSecret
	}
	return secret, nil
}

func (r *fakeKeyring) Set(name, secret string) error {
	if err := r.beginCall(); err != nil {
		return err
	}
	if len(secret) > windowsLimit {
		return errors.New("data passed to Set was too big")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for begin, err := range r.faults {
		if strings.HasPrefix(name, begin) {
			return err
		}
	}
	r.items[name] = secret
	return nil
}

func (r *fakeKeyring) Delete(name string) error {
	if err := r.beginCall(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.items[name]; !ok {
		return settings.ErrNoSecret
	}
	delete(r.items, name)
	return nil
}

const address = "https://npc.example.com"

func inRing() settings.SecretRecord { return settings.SecretRecord{Stored: settings.StoredKeyring} }

func TestSecretsOfAnyLength(t *testing.T) {
	for _, length := range []int{0, 1, 1999, 2000, 2001, 4000, 4001, 20_000} {
		r := newRing()
		s := settings.OpenSecrets(t.TempDir(), r)
		secret := strings.Repeat("0123456789", length/10+1)[:length]
		assert.NoError(t, s.Keep(address, secret, inRing()), length)
		assert.Equal(t, assert.Value(s.Read(address))(t), secret, "%d bytes", length)
		// A shorter one leaves no parts of the longer one behind.
		if err := s.Keep(address, "short", inRing()); err != nil || len(r.items) != 1 {
			t.Errorf("%d: %d items stay, %v", length, len(r.items), err)
		}
		assert.NoError(t, s.Keep(address, secret, inRing()))
		if err := s.Forget(address); err != nil || len(r.items) != 0 {
			t.Errorf("%d: %d items stay after forgetting, %v", length, len(r.items), err)
		}
		_, err := s.Read(address)
		assert.ErrorIs(t, err, settings.ErrNoSecret, "forgotten")
		assert.ErrorIs(t, s.Forget(address), settings.ErrNoSecret, "forgotten twice")
	}
}

// TestSplitIsWhole: after any interrupted writes, a read returns one of the written secrets, or none.
func TestSplitIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRing()
		ring := settings.SplitSecrets(r)
		written := map[string]bool{}
		for i := range rapid.IntRange(1, 4).Draw(t, "writes") {
			secret := strings.Repeat(fmt.Sprint(i), rapid.IntRange(1, 7000).Draw(t, "length"))
			before := maps.Clone(r.items)
			assert.NoError(t, ring.Set("a", secret))
			written[secret] = true
			// As if the process had ended before the head was written.
			if rapid.Bool().Draw(t, "broken off") && before["a"] != "" {
				maps.Copy(r.items, before)
			}
		}
		got, err := ring.Get("a")
		if err != nil || !written[got] {
			t.Fatalf("read %d bytes that nobody wrote, %v", len(got), err)
		}
	})
}

func TestSplitDamaged(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, damage := range map[string]func(map[string]string){
		"a part is gone":    func(items map[string]string) { delete(items, partOf(items)) },
		"a part is another": func(items map[string]string) { items[partOf(items)] = "y" },
		"a strange head":    func(items map[string]string) { items["a"] = "secret" },
		"too many parts":    func(items map[string]string) { items["a"] = "parley1 1000000 a b\nc" },
		"negative parts":    func(items map[string]string) { items["a"] = "parley1 -1 a b\nc" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRing()
			ring := settings.SplitSecrets(r)
			assert.NoError(t, ring.Set("a", long))
			damage(r.items)
			_, err := ring.Get("a")
			assert.ErrorContains(t, err, "sign in again", name)
			// It can still be written and deleted.
			assert.NoError(t, ring.Set("a", "new"), "%s: written anew", name)
			assert.Equal(t, assert.Value(ring.Get("a"))(t), "new", name)
		})
	}
}

func partOf(items map[string]string) string {
	for name := range items {
		if name != "a" {
			return name
		}
	}
	return ""
}

func TestPatientKeyring(t *testing.T) {
	hanging := newRing()
	hanging.hang = make(chan struct{})
	defer close(hanging.hang)
	slow := settings.BoundWaits(hanging, time.Millisecond)
	_, getErr := slow.Get("a")
	for _, err := range []error{getErr, slow.Set("a", "b"), slow.Delete("a")} {
		failed, ok := errors.AsType[*settings.KeyringError](err)
		assert.Must(t, ok, "hanging: %v", err)
		assert.Equal(t, failed.After, time.Millisecond)
		assert.ErrorContains(t, err, "locked")
	}
	failing := newRing()
	failing.fault = errors.New("no bus")
	broken := newRing()
	broken.broken = true
	for want, r := range map[string]*fakeKeyring{"no bus": failing, "its answer is invalid": broken} {
		t.Run(want, func(t *testing.T) {
			_, err := settings.BoundWaits(r, time.Minute).Get("a")
			_, ok := errors.AsType[*settings.KeyringError](err)
			assert.True(t, ok, "%v", err)
			assert.ErrorContains(t, err, want)
			assert.True(t, settings.OpenSecrets(t.TempDir(), r).Probe() != nil, "probed well")
		})
	}
	assert.NoError(t, settings.OpenSecrets(t.TempDir(), newRing()).Probe())
}

// TestSecretsInAFile: only the owner can read the file, and the index holds no secret.
func TestSecretsInAFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	r := newRing()
	s := settings.OpenSecrets(dir, r)
	kept := settings.SecretRecord{Stored: settings.StoredFile, Note: json.RawMessage(`{"email":"ann@example.com"}`)}
	assert.NoError(t, s.Keep(address, "the-secret", kept))
	assert.Equal(t, assert.Value(s.Read(address))(t), "the-secret")
	found, ok, err := s.Find(address)
	assert.NoError(t, err)
	assert.True(t, ok, "no secret is found")
	assert.Equal(t, found.Stored, settings.StoredFile)
	assert.Contains(t, string(found.Note), "ann@example.com")
	holders := 0
	for _, name := range listFiles(t, dir) {
		text := assert.Value(os.ReadFile(filepath.Join(dir, name)))(t)
		if strings.Contains(string(text), "the-secret") {
			holders++
		}
		if info, _ := os.Stat(filepath.Join(dir, name)); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", name, info.Mode().Perm())
		}
	}
	assert.Equal(t, holders, 1, "files hold the secret")
	// In the keyring afterwards, it is in no file.
	assert.NoError(t, s.Keep(address, "the-secret", inRing()))
	for _, name := range listFiles(t, dir) {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		assert.NotContains(t, string(text), "the-secret", "%s still holds the secret", name)
	}
	assert.Equal(t, assert.Value(s.Read(address))(t), "the-secret")
	// And back.
	if err := s.Keep(address, "the-secret", kept); err != nil || len(r.items) != 0 {
		t.Errorf("%d items stay in the keyring, %v", len(r.items), err)
	}
}

func listFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries := assert.Value(os.ReadDir(dir))(t)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSecretsThatCannotBeKept(t *testing.T) {
	r := newRing()
	s := settings.OpenSecrets(t.TempDir(), r)
	assert.NoError(t, s.Keep(address, "old", inRing()))
	r.faults = map[string]error{address: errors.New("read-only")}
	assert.True(t, s.Keep(address, "new", inRing()) != nil, "no error")
	assert.Equal(t, assert.Value(s.Read(address))(t), "old")
}

func TestDamagedSecretFiles(t *testing.T) {
	for _, name := range []string{"signins.json", "tokens.json"} {
		dir := t.TempDir()
		s := settings.OpenSecrets(dir, newRing())
		assert.NoError(t, s.Keep(address, "the-secret", settings.SecretRecord{Stored: settings.StoredFile}))
		path := filepath.Join(dir, name)
		writeFile(t, path, `{"https://npc.example.com": "the-secr`)
		_, err := s.Read(address)
		assert.ErrorContains(t, err, path, name)
		assert.NotContains(t, fmt.Sprint(err), "the-secr", name)
		writeFile(t, path, "null")
		assert.NoError(t, s.Keep(address, "x", settings.SecretRecord{Stored: settings.StoredFile}), "%s says null", name)
	}
}

// TestHold: what happens between reading and keeping happens for one at a time.
func TestHold(t *testing.T) {
	dir := t.TempDir()
	const writers = 8
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			s := settings.OpenSecrets(dir, newRing())
			release, err := s.Hold(t.Context(), address)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			before, err := s.Read(address)
			assert.True(t, err == nil || errors.Is(err, settings.ErrNoSecret), err)
			err = s.Keep(address, before+"x", settings.SecretRecord{Stored: settings.StoredFile})
			assert.True(t, err == nil, err)
		})
	}
	all.Wait()
	s := settings.OpenSecrets(dir, newRing())
	got, _ := s.Read(address)
	assert.Equal(t, len(got), writers, "of changes are kept")
	release, err := s.Hold(t.Context(), address)
	assert.NoError(t, err)
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Hold(ctx, address)
	assert.True(t, err != nil, "held twice")
}

// FuzzKeyringItem: for any content of the keyring, a secret that is read was written with its checksum.
func FuzzKeyringItem(f *testing.F) {
	f.Add("parley1 0 ABC 2cf24dba5fb0a30e\nhello", "")
	f.Add("parley1 1 ABC 2cf24dba5fb0a30e\nhel", "lo")
	f.Add("parley1 100 ABC x\n", "y")
	f.Add("parley1 0 ABC wrong\nhello", "")
	f.Fuzz(func(t *testing.T, item, part string) {
		r := newRing()
		r.items["a"], r.items["a #ABC.1"] = item, part
		got, err := settings.SplitSecrets(r).Get("a")
		if err != nil {
			return
		}
		head, _, _ := strings.Cut(item, "\n")
		words, sum := strings.Fields(head), sha256.Sum256([]byte(got))
		assert.Must(t, len(words) == 4, "%q is read", item)
		assert.Equal(t, hex.EncodeToString(sum[:8]), words[3], "%q and %q give %q", item, part, got)
	})
}
