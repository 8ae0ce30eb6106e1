package identity

import (
	"context"
	"net/netip"
	"strings"

	"github.com/google/uuid"
)

// RequestInfo contains the properties of a request that are known from the start.
type RequestInfo struct {
	// ID is ours and not the caller's, which would be text from outside in our log.
	ID string
	// Address is the caller's address; the zero Addr if unknown.
	Address netip.Addr
	// Forwarded means that the request came through a proxy, trusted or not.
	Forwarded bool
	// ResourceMetadata returns the absolute URL at which this caller can read which tokens the
	// server accepts (RFC 9728); it may be nil.
	ResourceMetadata func() string
	// refused is the code of the refusal, if the request was refused.
	refused *string
}

type infoKey struct{}

// WithRequestInfo is a context that knows of a request.
func WithRequestInfo(ctx context.Context, info RequestInfo) context.Context {
	info.refused = new(string)
	return context.WithValue(ctx, infoKey{}, info)
}

func infoOf(ctx context.Context) RequestInfo {
	info, _ := ctx.Value(infoKey{}).(RequestInfo)
	return info
}

// RequestID is the request's id, "" outside of requests.
func RequestID(ctx context.Context) string { return infoOf(ctx).ID }

// NoteRefusal notes the code of the error with which a request is answered, for the log.
func NoteRefusal(ctx context.Context, code string) {
	if noted := infoOf(ctx).refused; noted != nil {
		*noted = code
	}
}

// Refusal is the code that was noted, "" for none.
func Refusal(ctx context.Context) string {
	if noted := infoOf(ctx).refused; noted != nil {
		return *noted
	}
	return ""
}

// IsLocal reports whether the caller is on this machine. It returns false for a call through a
// proxy, regardless of the headers.
func IsLocal(ctx context.Context) bool {
	info := infoOf(ctx)
	return info.Address.IsLoopback() && !info.Forwarded
}

// WasForwarded reports whether the request of a context came through a proxy (IsForwarded).
func WasForwarded(ctx context.Context) bool { return infoOf(ctx).Forwarded }

// ResourceMetadata returns the URL at which the caller can read which tokens the server accepts, ""
// outside of requests.
func ResourceMetadata(ctx context.Context) string {
	if say := infoOf(ctx).ResourceMetadata; say != nil {
		return say()
	}
	return ""
}

// FoldID returns an id in the service's form: a UUID in lower case. It returns other texts
// unchanged.
func FoldID(text string) string {
	const length = 36 // with its hyphens; package uuid reads shorter and longer forms too
	if len(text) != length || uuid.Validate(text) != nil {
		return text
	}
	return strings.ToLower(text)
}

const networkBits = 64 // of an IPv6 address: the usual assignment for a household

// Network returns the unit that counts as one caller: an IPv4 address, or the network of an IPv6
// address, because its owner can use any number of addresses in it.
func Network(ctx context.Context) string { return networkOf(infoOf(ctx).Address) }

func networkOf(address netip.Addr) string {
	if !address.Is6() {
		return address.String()
	}
	network, _ := address.Prefix(networkBits) // fails for no Addr of version 6
	return network.String()
}
