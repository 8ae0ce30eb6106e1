package postgres

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// errAddress refuses a malformed address. It quotes none of it: if a password has an unescaped
// character, any part may be the password.
var errAddress = errors.New("the address of the database cannot be read: it must look like postgres://USER@HOST:5432/NAME?sslmode=verify-full, with %XX for each character that has a meaning in a URL")

// IsAddress reports whether an address is one of PostgreSQL.
func IsAddress(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// CheckAddress refuses an address that cannot be read, without quoting it.
func CheckAddress(address string) error {
	_, err := parseAddress(address)
	return err
}

// HasPassword reports whether an address has a password in it, or something that may be
// one.
func HasPassword(address string) bool {
	at, err := parseAddress(address)
	return err != nil || len(at.secrets()) > 0
}

// DescribeAddress returns the address without secrets.
func DescribeAddress(address string) string {
	at, err := parseAddress(address)
	if err != nil {
		return "postgres://"
	}
	return at.String()
}

// location is an address that was read.
type location struct{ url *url.URL }

func parseAddress(address string) (location, error) {
	u, err := url.Parse(address)
	if err != nil || !IsAddress(address) || strings.Contains(u.Path, "@") || strings.Count(address, "@") > 1 || u.Fragment != "" {
		return location{}, errAddress
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return location{}, errAddress
	}
	return location{u}, nil
}

// secretParameters are the parameters of libpq with secret values.
var secretParameters = [...]string{"password", "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret"}

// secrets returns the passwords in the address.
func (l location) secrets() []string {
	var found []string
	if password, ok := l.url.User.Password(); ok {
		found = append(found, password)
	}
	query := l.url.Query()
	for _, name := range secretParameters {
		found = append(found, query[name]...)
	}
	return found
}

// shownParameters are the parameters that identify the database.
var shownParameters = [...]string{"host", "port", "dbname", "user", "service"}

// String is user, host and name of the database, and nothing else.
func (l location) String() string {
	shown, said, query := url.URL{Scheme: l.url.Scheme, Host: l.url.Host, Path: l.url.Path}, l.url.Query(), url.Values{}
	for _, name := range shownParameters {
		if said.Has(name) {
			query[name] = said[name]
		}
	}
	shown.RawQuery = query.Encode()
	if name := l.url.User.Username(); name != "" {
		shown.User = url.User(name)
	}
	return shown.String()
}

// hideSecrets is an error's text in one line, without the address that it may begin with
// and without the passwords of it.
func (l location) hideSecrets(err error) error {
	text := err.Error()
	if _, behind, ok := strings.Cut(text, "`: "); ok && strings.HasPrefix(text, "cannot parse") {
		text = behind
	}
	for _, secret := range l.secrets() {
		if secret != "" {
			text = strings.NewReplacer(secret, "***", url.QueryEscape(secret), "***", url.PathEscape(secret), "***").Replace(text)
		}
	}
	var lines []string // pgx names the same place twice, with TLS and without
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return &hiddenError{strings.Join(lines, " "), findReason(err)}
}

// hiddenError has the printable text of an error, and wraps its reason.
type hiddenError struct {
	text   string
	reason error
}

func (e *hiddenError) Error() string { return e.text }

func (e *hiddenError) Unwrap() error { return e.reason }
