package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// UnreachableError means that the connection failed or broke before the response was complete.
type UnreachableError struct {
	// URL is the service's address without user and password.
	URL string
	Err error
	// Broken means that an open connection failed. The service may have received the request.
	Broken bool
	// Proxy is the address of the failed proxy without user and password, or "".
	Proxy string
}

func (e *UnreachableError) Error() string { return e.Problem() + "; " + e.Advice() }

// Problem returns the cause of the failure.
func (e *UnreachableError) Problem() string {
	problem, _ := e.explain()
	return problem
}

// Advice returns what the user can do.
func (e *UnreachableError) Advice() string {
	_, advice := e.explain()
	return advice
}

func (e *UnreachableError) explain() (problem, advice string) {
	switch {
	case e.Broken:
		return fmt.Sprintf("the connection to %s broke off before the answer was complete: %v", e.URL, e.Err), "try again"
	case e.isUntrusted():
		return fmt.Sprintf("the certificate of %s is not trusted: %v", e.URL, e.Err), e.trustAdvice()
	case e.isPlain():
		return e.URL + " answers without TLS", "use http:// in the address"
	case e.Proxy != "":
		problem = fmt.Sprintf("%s cannot be reached through the proxy %s: %v", e.URL, e.Proxy, e.Err)
		return problem, "check the proxy, or change HTTP_PROXY, HTTPS_PROXY or NO_PROXY"
	case wire.IsLoopbackURL(e.URL):
		problem = fmt.Sprintf("nothing answers at %s: %v", e.URL, e.Err)
		return problem, "start the service with `parley localserver`, or use another address"
	}
	return fmt.Sprintf("%s cannot be reached: %v", e.URL, e.Err), "check the address and the network"
}

func (e *UnreachableError) isUntrusted() bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](e.Err)
	return ok
}

func (e *UnreachableError) isPlain() bool {
	_, ok := errors.AsType[tls.RecordHeaderError](e.Err)
	return ok || e.Err != nil && strings.Contains(e.Err.Error(), "server gave HTTP response to HTTPS client")
}

func (e *UnreachableError) trustAdvice() string {
	if _, ok := errors.AsType[x509.HostnameError](e.Err); ok {
		return "use a host name of the certificate"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](e.Err); ok && invalid.Reason == x509.Expired {
		return "check this machine's clock, and have the certificate renewed"
	}
	return "to trust the certificate, add that of its authority to the system's store, or set SSL_CERT_FILE to its path (Linux)"
}

// IsNobody reports whether no program listens at the address. Starting a service there may help.
func (e *UnreachableError) IsNobody() bool {
	return !e.Broken && e.Proxy == "" && !e.isUntrusted() && !e.isPlain()
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// TimeoutError means that an attempt exceeded its timeout.
type TimeoutError struct {
	URL   string
	After time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s did not answer within %s; try again later, or check that the address is a persona chat service",
		e.URL, e.After)
}

// Timeout implements net.Error.
func (e *TimeoutError) Timeout() bool { return true }

func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// NotServiceError means that the response is not from a persona chat service. Examples are an HTML
// page, an empty body, and a redirect to another host.
type NotServiceError struct {
	// URL is the called address without user, password and query.
	URL    string
	Status int
	// Problem continues a sentence that begins with URL, such as "answered 502 with a page of
	// HTML".
	Problem string
}

func (e *NotServiceError) Error() string {
	return fmt.Sprintf("%s %s; this is not the persona chat service: check the address", e.URL, e.Problem)
}

// findCause unwraps an error of net/http. The outer errors repeat the address and may contain a
// password.
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
	if clean := plaintext.RedactText(text); clean != text {
		return errors.New(clean)
	}
	return err
}

func isHTML(contentType string, body []byte) bool {
	begin := bytes.TrimSpace(body[:min(len(body), 64)])
	return mediaType(contentType) == "text/html" || bytes.HasPrefix(begin, []byte("<"))
}

func mediaType(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return media
}

// describeBadJSON does not quote the body, because the body may contain a key.
func describeBadJSON(contentType string, body []byte) string {
	media := cmp.Or(mediaType(contentType), "no content type")
	switch {
	case len(body) == 0:
		return "answered with an empty body"
	case isHTML(contentType, body), !strings.Contains(media, "json"):
		return "answered " + media
	}
	return "answered invalid " + media
}
