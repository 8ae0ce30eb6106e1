package localserver

import (
	"context"
	"net/netip"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
)

// Types of other packages that commands use. Each is documented at its definition.
type (
	LLM          = models.Settings
	LLMError     = models.SettingsError
	Recording    = models.Recording
	ProviderInfo = models.ProviderInfo
	Listing      = provider.Listing
	TokenUsage   = llm.Usage
	Fault        = api.Rule

	Restored     = datafolder.Restored
	CopyProgress = store.Progress

	Judge        = models.Judge
	Drafter      = models.Drafter
	Wish         = draft.Brief
	Draft        = draft.Draft
	StepProgress = draft.StepProgress
	Revision     = draft.Revision
	Rewrite      = draft.Rewrite
	ProseField   = draft.Field
	OfflineBrief = draft.OfflineBrief
	OfflineDraft = draft.OfflineDraft
	OfflinePart  = draft.OfflinePart
	Addition     = draft.Addition
)

// Values of Options.LLM and Options.Data, environment variables, and limits.
const (
	ModelOffline   = models.ModelOffline
	ModelCallers   = models.ModelCallers
	OpeningsAuthor = models.OpeningsAuthor
	EnvKey         = models.EnvKey
	MinLLMTimeout  = models.MinTimeout
	MaxLLMTimeout  = models.MaxTimeout
	Memory         = datafolder.Memory
)

// Errors of data folders, databases and snapshots.
var (
	ErrBusy   error = datafolder.ErrBusy
	ErrNoData error = datafolder.ErrNoData
	ErrExists error = datafolder.ErrExists
	// ErrChanged means that a snapshot was not restored because its file has changed since it was
	// written.
	ErrChanged error = datafolder.ErrChanged
	// ErrDamaged means that a snapshot was not made because the database is damaged.
	ErrDamaged error = store.ErrDamaged
	// ErrEmptied means that the database file is empty although a server has used it. The server
	// does not start with a new database.
	ErrEmptied error = store.ErrEmptied
	// ErrLinked means that a database was not opened because its file has several hard links.
	ErrLinked error = store.ErrLinked
	ErrKept   error = store.ErrKept
	ErrInUse  error = store.ErrInUse

	ErrRestoring  error = store.ErrRestoring
	ErrUnfinished error = store.ErrUnfinished
)

// Providers returns the model providers. The prefix of a model's name can be the name of any of
// them.
func Providers() []ProviderInfo { return models.Providers() }

// KeyVariables returns the environment variables with keys that are not bound to one provider:
// EnvKey, and the variables for the separate addresses of the steps.
func KeyVariables() []string { return append([]string{models.EnvKey}, models.EnvStepKeys[:]...) }

// Models calls models.ListModels.
func Models(ctx context.Context, l LLM, version string, ask bool) []Listing {
	return models.ListModels(ctx, l, version, ask)
}

// FindLocalModels calls models.FindLocal.
func FindLocalModels(ctx context.Context, l LLM, version string) []Listing {
	return models.FindLocal(ctx, l, version)
}

// TryMethods calls models.TryMethods.
func TryMethods(ctx context.Context, l LLM, version string) ([]models.Attempt, error) {
	return models.TryMethods(ctx, l, version)
}

// NewJudge calls models.NewJudge.
func NewJudge(l LLM, version string) (*Judge, error) { return models.NewJudge(l, version) }

// NewDrafter calls models.NewDrafter.
func NewDrafter(l LLM, version string) (*Drafter, error) { return models.NewDrafter(l, version) }

// ProseFields lists the texts of a persona that a Drafter can rewrite.
func ProseFields(p *personas.Persona) []ProseField { return draft.ListFields(p) }

// OfflineParts returns the steps of a Drafter for writing a state's material for play without a
// model.
func OfflineParts() []OfflinePart { return draft.OfflineParts }

// OfflineStates lists the states that a Drafter can write material for play without a model for.
// Each element is the index of a machine and the index of a state in it.
func OfflineStates(p *personas.Persona) [][2]int { return draft.ListOfflineStates(p) }

// IsBadWish calls models.IsBadWish.
func IsBadWish(err error) bool { return models.IsBadWish(err) }

// IsUnusable calls models.IsUnusable.
func IsUnusable(err error) bool { return models.IsUnusable(err) }

// ParseFault parses a rule such as status=503,rate=0.1. Its errors contain the rule and the invalid
// member.
func ParseFault(text string) (Fault, error) { return api.Parse(text) }

// ParseNetwork parses a network such as 10.0.0.0/8, or a single address.
func ParseNetwork(text string) (netip.Prefix, error) { return identity.ParseNetwork(text) }

// ParseOrigin calls api.ParseOrigin.
func ParseOrigin(text string) (string, error) { return api.ParseOrigin(text) }

// DescribeCopied calls store.DescribeCopied.
func DescribeCopied(copied []store.Copied) string { return store.DescribeCopied(copied) }

// IsUsed reports whether a folder contains the data of a server.
func IsUsed(dir string) bool { return datafolder.IsUsed(dir) }

// CheckData calls datafolder.CheckDatabase.
func CheckData(ctx context.Context, dir string) error { return datafolder.CheckDatabase(ctx, dir) }

// RemoveData calls datafolder.Remove.
func RemoveData(dir string) error { return datafolder.Remove(dir) }
