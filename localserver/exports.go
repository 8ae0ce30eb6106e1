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

// Types of the packages below that commands use, under the names that they know. Each is documented
// at its definition.
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

// Words of Options.LLM, Options.Data and of the environment.
const (
	ModelOffline   = models.ModelOffline
	ModelCallers   = models.ModelCallers
	OpeningsAuthor = models.OpeningsAuthor
	EnvKey         = models.EnvKey
	MinLLMTimeout  = models.MinTimeout
	MaxLLMTimeout  = models.MaxTimeout
	Memory         = datafolder.Memory
)

// Refusals of data folders.
var (
	ErrBusy   error = datafolder.ErrBusy
	ErrNoData error = datafolder.ErrNoData
	ErrExists error = datafolder.ErrExists
	// ErrChanged means that a snapshot was changed since it was written, and is not restored.
	ErrChanged error = datafolder.ErrChanged
	// ErrDamaged means that a snapshot of a database could not be made.
	ErrDamaged error = store.ErrDamaged
	// ErrEmptied means that a file has lost its content, and is not replaced by a new database.
	ErrEmptied error = store.ErrEmptied
	// ErrLinked means that a database has several names, and is not used.
	ErrLinked error = store.ErrLinked
	ErrKept   error = store.ErrKept
	ErrInUse  error = store.ErrInUse

	ErrRestoring  error = store.ErrRestoring
	ErrUnfinished error = store.ErrUnfinished
)

// Providers are the model providers that a model's name can name.
func Providers() []ProviderInfo { return models.Providers() }

// KeyVariables are the environment variables with keys that are for no single provider:
// EnvKey, and those for the addresses of single steps.
func KeyVariables() []string { return append([]string{models.EnvKey}, models.EnvStepKeys[:]...) }

// Models is models.ListModels.
func Models(ctx context.Context, l LLM, version string, ask bool) []Listing {
	return models.ListModels(ctx, l, version, ask)
}

// FindLocalModels is models.FindLocal.
func FindLocalModels(ctx context.Context, l LLM, version string) []Listing {
	return models.FindLocal(ctx, l, version)
}

// TryMethods is models.TryMethods.
func TryMethods(ctx context.Context, l LLM, version string) ([]models.Attempt, error) {
	return models.TryMethods(ctx, l, version)
}

// NewJudge is models.NewJudge.
func NewJudge(l LLM, version string) (*Judge, error) { return models.NewJudge(l, version) }

// NewDrafter is models.NewDrafter.
func NewDrafter(l LLM, version string) (*Drafter, error) { return models.NewDrafter(l, version) }

// ProseFields lists the texts of a persona that a Drafter can rewrite.
func ProseFields(p *personas.Persona) []ProseField { return draft.ListFields(p) }

// OfflineParts are the steps in which a Drafter writes a state's material for play without a model.
func OfflineParts() []OfflinePart { return draft.OfflineParts }

// OfflineStates lists the states for which a Drafter can draft what is played without a
// model, by machine and state.
func OfflineStates(p *personas.Persona) [][2]int { return draft.ListOfflineStates(p) }

// IsBadWish is models.IsBadWish.
func IsBadWish(err error) bool { return models.IsBadWish(err) }

// IsUnusable is models.IsUnusable.
func IsUnusable(err error) bool { return models.IsUnusable(err) }

// ParseFault reads a rule such as status=503,rate=0.1. An error names the rule
// and its member.
func ParseFault(text string) (Fault, error) { return api.Parse(text) }

// ParseNetwork reads a network as 10.0.0.0/8, or one address.
func ParseNetwork(text string) (netip.Prefix, error) { return identity.ParseNetwork(text) }

// ParseOrigin is api.ParseOrigin.
func ParseOrigin(text string) (string, error) { return api.ParseOrigin(text) }

// DescribeCopied is store.DescribeCopied.
func DescribeCopied(copied []store.Copied) string { return store.DescribeCopied(copied) }

// IsUsed reports whether a server has kept its data in a folder.
func IsUsed(dir string) bool { return datafolder.IsUsed(dir) }

// CheckData is datafolder.Check.
func CheckData(ctx context.Context, dir string) error { return datafolder.CheckDatabase(ctx, dir) }

// RemoveData is datafolder.Remove.
func RemoveData(dir string) error { return datafolder.Remove(dir) }
