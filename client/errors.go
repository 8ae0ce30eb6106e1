package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/remote"
)

// UnreachableError is a connection that could not be made, or that broke off before
// the answer was complete.
type UnreachableError struct {
	// URL is the service's address, without user and password.
	URL string
	// Err is the network error.
	Err error
	// Broken is true when there was a connection: the service may have received
	// the request.
	Broken bool
	// Proxy is the address of the proxy that was to be used, without user and
	// password; "" for none.
	Proxy string
}

// Error returns what failed and what to do.
func (e *UnreachableError) Error() string { return e.Problem() + "; " + e.Advice() }

// Problem returns what failed.
func (e *UnreachableError) Problem() string {
	switch {
	case e.Broken:
		return fmt.Sprintf("the connection to %s broke off before the answer was complete: %v", e.URL, e.Err)
	case e.isUntrusted():
		return fmt.Sprintf("the certificate of %s is not trusted: %v", e.URL, e.Err)
	case e.isPlain():
		return fmt.Sprintf("%s answers without TLS", e.URL)
	case e.Proxy != "":
		return fmt.Sprintf("%s cannot be reached through the proxy %s: %v", e.URL, e.Proxy, e.Err)
	case remote.IsLoopbackURL(e.URL):
		return fmt.Sprintf("nothing answers at %s: %v", e.URL, e.Err)
	}
	return fmt.Sprintf("%s cannot be reached: %v", e.URL, e.Err)
}

// Advice returns what to do about it.
func (e *UnreachableError) Advice() string {
	switch {
	case e.Broken:
		return "try again"
	case e.isUntrusted():
		return e.trustAdvice()
	case e.isPlain():
		return "write the address with http://"
	case e.Proxy != "":
		return "check the proxy, or change HTTP_PROXY, HTTPS_PROXY or NO_PROXY"
	case remote.IsLoopbackURL(e.URL):
		return "start the service with `parley localserver`, or name another address"
	}
	return "check the address and the network"
}

// isUntrusted reports whether the service showed a certificate that does not count.
func (e *UnreachableError) isUntrusted() bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](e.Err)
	return ok
}

// isPlain reports whether the service answered a TLS request without TLS.
func (e *UnreachableError) isPlain() bool {
	_, ok := errors.AsType[tls.RecordHeaderError](e.Err)
	return ok || e.Err != nil && strings.Contains(e.Err.Error(), "server gave HTTP response to HTTPS client")
}

func (e *UnreachableError) trustAdvice() string {
	if _, ok := errors.AsType[x509.HostnameError](e.Err); ok {
		return "use the name that the certificate is for"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](e.Err); ok && invalid.Reason == x509.Expired {
		return "check this machine's clock, and have the certificate renewed"
	}
	return "to trust it, add its authority's certificate to the system's store, or name the file with it in SSL_CERT_FILE (Linux)"
}

// IsNobody reports whether nothing answers at the address at all, so that starting a service
// there may help.
func (e *UnreachableError) IsNobody() bool {
	return !e.Broken && e.Proxy == "" && !e.isUntrusted() && !e.isPlain()
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// TimeoutError is an attempt that had no whole answer in time.
type TimeoutError struct {
	URL   string
	After time.Duration
}

// Error returns how long was waited and what to do.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s did not answer within %s; try again later, or check that the address is a persona chat service", e.URL, e.After)
}

// Timeout marks the error as a time-out, as package net does.
func (e *TimeoutError) Timeout() bool { return true }

func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// NotServiceError is an answer that the persona chat service does not give: a page
// of HTML, nothing where something is due, JSON that breaks off, a redirect to
// elsewhere.
type NotServiceError struct {
	// URL is the address that was called, without user, password and query.
	URL    string
	Status int
	// Problem describes the answer, as the predicate of a sentence.
	Problem string
}

// Error names the address and its answer.
func (e *NotServiceError) Error() string {
	return fmt.Sprintf("%s %s, not what the persona chat service answers; check the address", e.URL, e.Problem)
}

// findCause unwraps an error of net/http: the wrapping repeats the URL, which may
// hold a password, and the address, which the message names already.
func findCause(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if wrapped, ok := errors.AsType[*net.OpError](err); ok {
		err = wrapped.Err
	}
	if wrapped, ok := errors.AsType[*os.SyscallError](err); ok {
		err = wrapped.Err
	}
	text := err.Error()
	if clean := plaintext.RedactUser(text); clean != text {
		return errors.New(clean)
	}
	return err
}

// isHTML reports whether a body is a page, by its content type or its first
// character.
func isHTML(contentType string, body []byte) bool {
	return mediaType(contentType) == "text/html" || strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 64)])), "<")
}

func mediaType(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return media
}

// describeBadJSON describes the problem with a body that cannot be decoded. It repeats nothing of
// the body, which may hold a key.
func describeBadJSON(contentType string, body []byte, err error) string {
	media := mediaType(contentType)
	if media == "" {
		media = "no content type"
	}
	wrong, isShape := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case isHTML(contentType, body), !strings.Contains(media, "json") && len(body) > 0:
		return "answered " + media
	case len(body) == 0:
		return fmt.Sprintf("answered nothing (%s)", media)
	case isShape:
		return fmt.Sprintf("answered %s of another shape (%s is of type %s)", media, shapePlace(wrong.Field), firstWord(wrong.Value))
	case strings.Contains(err.Error(), "unexpected end"):
		return fmt.Sprintf("answered %s that breaks off after %d bytes", media, len(body))
	}
	return fmt.Sprintf("answered %s that cannot be read", media)
}

// shapePlace names the member of the wrong type. encoding/json puts Go's names
// before it.
func shapePlace(field string) string {
	if field == "" {
		return "the whole"
	}
	return strconv.Quote(field[strings.LastIndex(field, ".")+1:])
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
