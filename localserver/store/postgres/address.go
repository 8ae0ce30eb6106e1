package postgres

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// errAddress omits the address, because any part may belong to a password with an unescaped
// character.
var errAddress = errors.New("the address of the database is malformed: it must look like " +
	"postgres://USER@HOST:5432/NAME?sslmode=verify-full, with special characters escaped as %XX")

// IsAddress reports whether an address has the scheme of PostgreSQL.
func IsAddress(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// CheckAddress returns an error for a malformed address. The error omits the address.
func CheckAddress(address string) error {
	_, err := parseAddress(address)
	return err
}

// HasPassword reports whether an address contains a password. HasPassword returns true for a
// malformed address.
func HasPassword(address string) bool {
	parsed, err := parseAddress(address)
	return err != nil || len(parsed.secrets()) > 0
}

// DescribeAddress returns the address without secrets.
func DescribeAddress(address string) string {
	parsed, err := parseAddress(address)
	if err != nil {
		return "postgres://"
	}
	return parsed.String()
}

type location struct{ url *url.URL }

func parseAddress(address string) (location, error) {
	u, err := url.Parse(address)
	if err != nil || !IsAddress(address) || u.Fragment != "" {
		return location{}, errAddress
	}
	if strings.Contains(u.Path, "@") || strings.Count(address, "@") > 1 {
		return location{}, errAddress
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return location{}, errAddress
	}
	return location{u}, nil
}

var secretParameters = [...]string{
	"password", "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret",
}

func (l location) secrets() []string {
	var secrets []string
	if password, ok := l.url.User.Password(); ok {
		secrets = append(secrets, password)
	}
	query := l.url.Query()
	for _, name := range secretParameters {
		secrets = append(secrets, query[name]...)
	}
	return secrets
}

var shownParameters = [...]string{"host", "port", "dbname", "user", "service"}

func (l location) String() string {
	redacted := url.URL{Scheme: l.url.Scheme, Host: l.url.Host, Path: l.url.Path}
	query, shownQuery := l.url.Query(), url.Values{}
	for _, name := range shownParameters {
		if query.Has(name) {
			shownQuery[name] = query[name]
		}
	}
	redacted.RawQuery = shownQuery.Encode()
	if name := l.url.User.Username(); name != "" {
		redacted.User = url.User(name)
	}
	return redacted.String()
}

func (l location) hideSecrets(err error) error {
	text := err.Error()
	if _, after, ok := strings.Cut(text, "`: "); ok && strings.HasPrefix(text, "cannot parse") {
		text = after
	}
	for _, secret := range l.secrets() {
		if secret != "" {
			escaped, pathEscaped := url.QueryEscape(secret), url.PathEscape(secret)
			text = strings.NewReplacer(secret, "***", escaped, "***", pathEscaped, "***").Replace(text)
		}
	}
	var lines []string // pgx reports the same host twice, with and without TLS
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return &hiddenError{strings.Join(lines, " "), findReason(err)}
}

type hiddenError struct {
	text   string
	reason error
}

func (e *hiddenError) Error() string { return e.text }

func (e *hiddenError) Unwrap() error { return e.reason }
