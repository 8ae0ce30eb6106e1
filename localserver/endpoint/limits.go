package endpoint

// Category is a row of the interface's table of rate limits.
type Category string

// The categories.
const (
	LimitGeneration Category = "generation"
	LimitChat       Category = "chat"
	LimitGeneral    Category = "general"
	LimitSDKChat    Category = "sdk-chat"
	LimitSDKGeneral Category = "sdk-general"
	LimitPages      Category = "pages"
)

// RateLimit is how many requests of a category go through in any minute, of one
// address or of one API key.
type RateLimit struct {
	PerMinute int
	PerKey    bool
}

// RateLimits are the interface's rate limits (section Limits).
var RateLimits = map[Category]RateLimit{
	LimitGeneration: {PerMinute: 10},
	LimitChat:       {PerMinute: 60},
	LimitGeneral:    {PerMinute: 120},
	LimitSDKChat:    {PerMinute: 30, PerKey: true},
	LimitSDKGeneral: {PerMinute: 60, PerKey: true},
	// An addition of this server: more than a person reads, and few enough that repeated reading is
	// cheap.
	LimitPages: {PerMinute: 300},
}

// OwnerMultiple is how many times the limit of one API key all keys of an account have
// together. The interface counts by key alone, so a caller who makes keys would have
// no limit.
const OwnerMultiple = 10

// Headers with the state of a rate limit on every counted answer (docs/interface.md, how often).
// Package http writes the names as RateLimit-Limit and so on.
const (
	HeaderLimit     = "Ratelimit-Limit"
	HeaderRemaining = "Ratelimit-Remaining"
	HeaderReset     = "Ratelimit-Reset"
)
