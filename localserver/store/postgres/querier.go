package postgres

import (
	"context"
	"database/sql"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/postgres/statements"
)

// querier runs the queries of db.Queries on PostgreSQL. Parameters and rows are the same; otherwise
// it does not compile.
type querier struct {
	answers
	keys
	past
	personas
	players
	sessions
}

func newQuerier(on statements.DBTX) db.Querier {
	q := statements.New(cleanTexts{on})
	return querier{answers{q}, keys{q}, past{q}, personas{q}, players{q}, sessions{q}}
}

// The queries, by subject.
type (
	answers  struct{ q *statements.Queries }
	keys     struct{ q *statements.Queries }
	past     struct{ q *statements.Queries }
	personas struct{ q *statements.Queries }
	players  struct{ q *statements.Queries }
	sessions struct{ q *statements.Queries }
)

// asRows converts rows of one package into those of the other.
func asRows[From, To any](rows []From, err error, as func(From) To) ([]To, error) {
	list := make([]To, len(rows))
	for i := range rows {
		list[i] = as(rows[i])
	}
	return list, err
}

func (x answers) Answer(ctx context.Context, arg db.AnswerParams) (db.AnswerRow, error) {
	row, err := x.q.Answer(ctx, statements.AnswerParams(arg))
	return db.AnswerRow(row), err
}

func (x answers) KeepAnswer(ctx context.Context, arg db.KeepAnswerParams) error {
	return x.q.KeepAnswer(ctx, statements.KeepAnswerParams(arg))
}

func (x answers) DropSessionAnswers(ctx context.Context, sessionID sql.NullString) error {
	return x.q.DropSessionAnswers(ctx, sessionID)
}

func (x answers) PurgeAnswers(ctx context.Context, since int64) error {
	return x.q.PurgeAnswers(ctx, since)
}

func (x keys) CountKeys(ctx context.Context, owner string) (int64, error) {
	return x.q.CountKeys(ctx, owner)
}

func (x keys) DropRevokedKeys(ctx context.Context, arg db.DropRevokedKeysParams) error {
	return x.q.DropRevokedKeys(ctx, statements.DropRevokedKeysParams(arg))
}

func (x keys) HoldKeys(ctx context.Context, owner string) error {
	return x.q.HoldKeys(ctx, owner)
}

func (x keys) InsertKey(ctx context.Context, arg db.InsertKeyParams) error {
	return x.q.InsertKey(ctx, statements.InsertKeyParams(arg))
}

func (x keys) KeyByHash(ctx context.Context, hash string) (db.ApiKey, error) {
	row, err := x.q.KeyByHash(ctx, hash)
	return db.ApiKey(row), err
}

func (x keys) Keys(ctx context.Context, owner string) ([]db.ApiKey, error) {
	rows, err := x.q.Keys(ctx, owner)
	return asRows(rows, err, func(r statements.ApiKey) db.ApiKey { return db.ApiKey(r) })
}

func (x keys) RevokeKey(ctx context.Context, arg db.RevokeKeyParams) (int64, error) {
	return x.q.RevokeKey(ctx, statements.RevokeKeyParams(arg))
}

func (x keys) TouchKey(ctx context.Context, arg db.TouchKeyParams) error {
	return x.q.TouchKey(ctx, statements.TouchKeyParams(arg))
}

func (x past) Branches(ctx context.Context, arg db.BranchesParams) ([]db.BranchesRow, error) {
	rows, err := x.q.Branches(ctx, statements.BranchesParams(arg))
	return asRows(rows, err, func(r statements.BranchesRow) db.BranchesRow { return db.BranchesRow(r) })
}

func (x past) CopyEarlierProgress(ctx context.Context, arg db.CopyEarlierProgressParams) error {
	return x.q.CopyEarlierProgress(ctx, statements.CopyEarlierProgressParams(arg))
}

func (x past) CopyMessages(ctx context.Context, arg db.CopyMessagesParams) error {
	return x.q.CopyMessages(ctx, statements.CopyMessagesParams(arg))
}

func (x past) EarlierProgress(ctx context.Context, arg db.EarlierProgressParams) (db.EarlierProgressRow, error) {
	row, err := x.q.EarlierProgress(ctx, statements.EarlierProgressParams(arg))
	return db.EarlierProgressRow(row), err
}

func (x past) InsertFork(ctx context.Context, arg db.InsertForkParams) error {
	return x.q.InsertFork(ctx, statements.InsertForkParams(arg))
}

func (x past) KeepEarlierProgress(ctx context.Context, arg db.KeepEarlierProgressParams) error {
	return x.q.KeepEarlierProgress(ctx, statements.KeepEarlierProgressParams(arg))
}

func (x past) MessageAt(ctx context.Context, arg db.MessageAtParams) (db.MessageAtRow, error) {
	row, err := x.q.MessageAt(ctx, statements.MessageAtParams(arg))
	return db.MessageAtRow(row), err
}

func (x past) PastMessage(ctx context.Context, arg db.PastMessageParams) (db.PastMessageRow, error) {
	row, err := x.q.PastMessage(ctx, statements.PastMessageParams(arg))
	return db.PastMessageRow(row), err
}

func (x past) PastSummary(ctx context.Context, arg db.PastSummaryParams) (db.PastSummaryRow, error) {
	row, err := x.q.PastSummary(ctx, statements.PastSummaryParams(arg))
	return db.PastSummaryRow(row), err
}

func (x past) RepeatedReply(ctx context.Context, arg db.RepeatedReplyParams) (db.RepeatedReplyRow, error) {
	row, err := x.q.RepeatedReply(ctx, statements.RepeatedReplyParams(arg))
	return db.RepeatedReplyRow(row), err
}

func (x past) CountSessions(ctx context.Context, playerID string) (int64, error) {
	return x.q.CountSessions(ctx, playerID)
}

func (x past) NamedPersonas(ctx context.Context, name string) ([]db.NamedPersonasRow, error) {
	rows, err := x.q.NamedPersonas(ctx, name)
	return asRows(rows, err, func(r statements.NamedPersonasRow) db.NamedPersonasRow { return db.NamedPersonasRow(r) })
}

func (x past) PersonaSessions(ctx context.Context, arg db.PersonaSessionsParams) ([]db.Session, error) {
	rows, err := x.q.PersonaSessions(ctx, statements.PersonaSessionsParams(arg))
	return asRows(rows, err, func(r statements.Session) db.Session { return db.Session(r) })
}

func (x past) IdlePlayers(ctx context.Context, arg db.IdlePlayersParams) ([]db.IdlePlayersRow, error) {
	rows, err := x.q.IdlePlayers(ctx, statements.IdlePlayersParams(arg))
	return asRows(rows, err, func(r statements.IdlePlayersRow) db.IdlePlayersRow { return db.IdlePlayersRow(r) })
}

func (x past) DeleteIdlePlayer(ctx context.Context, arg db.DeleteIdlePlayerParams) (int64, error) {
	return x.q.DeleteIdlePlayer(ctx, statements.DeleteIdlePlayerParams(arg))
}

func (x past) DropOwnedSession(ctx context.Context, id string) error {
	return x.q.DropOwnedSession(ctx, id)
}

func (x past) OwnedPlayer(ctx context.Context, arg db.OwnedPlayerParams) (string, error) {
	return x.q.OwnedPlayer(ctx, statements.OwnedPlayerParams(arg))
}

func (x past) OwnedSessions(ctx context.Context, arg db.OwnedSessionsParams) ([]db.OwnedSessionsRow, error) {
	rows, err := x.q.OwnedSessions(ctx, statements.OwnedSessionsParams(arg))
	return asRows(rows, err, func(r statements.OwnedSessionsRow) db.OwnedSessionsRow { return db.OwnedSessionsRow(r) })
}

func (x past) PlayerRow(ctx context.Context, id string) (db.Player, error) {
	row, err := x.q.PlayerRow(ctx, id)
	return db.Player(row), err
}

func (x past) RepliesTo(ctx context.Context, arg db.RepliesToParams) ([]db.RepliesToRow, error) {
	rows, err := x.q.RepliesTo(ctx, statements.RepliesToParams(arg))
	return asRows(rows, err, func(r statements.RepliesToRow) db.RepliesToRow { return db.RepliesToRow(r) })
}

func (x past) TreeSize(ctx context.Context, id string) (db.TreeSizeRow, error) {
	row, err := x.q.TreeSize(ctx, id)
	return db.TreeSizeRow(row), err
}

func (x past) TrimEarlierProgress(ctx context.Context, arg db.TrimEarlierProgressParams) error {
	return x.q.TrimEarlierProgress(ctx, statements.TrimEarlierProgressParams(arg))
}

func (x personas) CountOwnPersonas(ctx context.Context, arg db.CountOwnPersonasParams) (int64, error) {
	return x.q.CountOwnPersonas(ctx, statements.CountOwnPersonasParams(arg))
}

func (x personas) CountPublicPersonas(ctx context.Context) (int64, error) {
	return x.q.CountPublicPersonas(ctx)
}

func (x personas) HasPersona(ctx context.Context) (int64, error) {
	return x.q.HasPersona(ctx)
}

func (x personas) CountVisiblePersonas(ctx context.Context, viewer string) (int64, error) {
	return x.q.CountVisiblePersonas(ctx, viewer)
}

func (x personas) DeletePersona(ctx context.Context, arg db.DeletePersonaParams) (int64, error) {
	if err := x.q.DropPlayers(ctx, statements.DropPlayersParams{PersonaID: arg.ID, Owner: arg.Owner}); err != nil {
		return 0, err
	}
	return x.q.DeletePersona(ctx, statements.DeletePersonaParams(arg))
}

func (x personas) DropVersions(ctx context.Context, personaID string) error {
	return x.q.DropVersions(ctx, personaID)
}

func (x personas) InsertPersona(ctx context.Context, arg db.InsertPersonaParams) error {
	return x.q.InsertPersona(ctx, statements.InsertPersonaParams(arg))
}

func (x personas) InsertVersion(ctx context.Context, arg db.InsertVersionParams) error {
	return x.q.InsertVersion(ctx, statements.InsertVersionParams(arg))
}

func (x personas) KeepMachine(ctx context.Context, arg db.KeepMachineParams) error {
	return x.q.KeepMachine(ctx, statements.KeepMachineParams(arg))
}

func (x personas) Machines(ctx context.Context, personaID string) ([]db.MachinesRow, error) {
	rows, err := x.q.Machines(ctx, personaID)
	return asRows(rows, err, func(r statements.MachinesRow) db.MachinesRow { return db.MachinesRow(r) })
}

func (x personas) OwnPersona(ctx context.Context, arg db.OwnPersonaParams) (db.Persona, error) {
	row, err := x.q.OwnPersona(ctx, statements.OwnPersonaParams(arg))
	return db.Persona(row), err
}

func (x personas) OwnPersonas(ctx context.Context, arg db.OwnPersonasParams) ([]db.OwnPersonasRow, error) {
	rows, err := x.q.OwnPersonas(ctx, statements.OwnPersonasParams(arg))
	return asRows(rows, err, func(r statements.OwnPersonasRow) db.OwnPersonasRow { return db.OwnPersonasRow(r) })
}

func (x personas) PublicPersonas(ctx context.Context, arg db.PublicPersonasParams) ([]db.PublicPersonasRow, error) {
	rows, err := x.q.PublicPersonas(ctx, statements.PublicPersonasParams(arg))
	return asRows(rows, err, func(r statements.PublicPersonasRow) db.PublicPersonasRow { return db.PublicPersonasRow(r) })
}

func (x personas) PublishPersona(ctx context.Context, arg db.PublishPersonaParams) (int64, error) {
	return x.q.PublishPersona(ctx, statements.PublishPersonaParams(arg))
}

func (x personas) UpdatePersona(ctx context.Context, arg db.UpdatePersonaParams) error {
	return x.q.UpdatePersona(ctx, statements.UpdatePersonaParams(arg))
}

func (x personas) UpsertUser(ctx context.Context, arg db.UpsertUserParams) error {
	return x.q.UpsertUser(ctx, statements.UpsertUserParams(arg))
}

func (x personas) UserIs(ctx context.Context, arg db.UserIsParams) (int64, error) {
	return x.q.UserIs(ctx, statements.UserIsParams(arg))
}

func (x personas) Version(ctx context.Context, arg db.VersionParams) (string, error) {
	return x.q.Version(ctx, statements.VersionParams(arg))
}

func (x personas) VersionSize(ctx context.Context, arg db.VersionSizeParams) (int64, error) {
	return x.q.VersionSize(ctx, statements.VersionSizeParams(arg))
}

func (x personas) VisiblePersona(ctx context.Context, arg db.VisiblePersonaParams) (db.Persona, error) {
	row, err := x.q.VisiblePersona(ctx, statements.VisiblePersonaParams(arg))
	return db.Persona(row), err
}

func (x personas) VisiblePersonas(ctx context.Context, arg db.VisiblePersonasParams) ([]db.VisiblePersonasRow, error) {
	rows, err := x.q.VisiblePersonas(ctx, statements.VisiblePersonasParams(arg))
	return asRows(rows, err, func(r statements.VisiblePersonasRow) db.VisiblePersonasRow { return db.VisiblePersonasRow(r) })
}

func (x personas) VisibleSingle(ctx context.Context, arg db.VisibleSingleParams) (db.VisibleSingleRow, error) {
	row, err := x.q.VisibleSingle(ctx, statements.VisibleSingleParams(arg))
	return db.VisibleSingleRow(row), err
}

func (x players) ClaimPlayer(ctx context.Context, arg db.ClaimPlayerParams) error {
	return x.q.ClaimPlayer(ctx, statements.ClaimPlayerParams(arg))
}

func (x players) ClaimPlayers(ctx context.Context, arg db.ClaimPlayersParams) error {
	return x.q.ClaimPlayers(ctx, statements.ClaimPlayersParams(arg))
}

func (x players) Completions(ctx context.Context, playerID string) ([]db.CompletionsRow, error) {
	rows, err := x.q.Completions(ctx, playerID)
	return asRows(rows, err, func(r statements.CompletionsRow) db.CompletionsRow { return db.CompletionsRow(r) })
}

func (x players) DeletePlayer(ctx context.Context, id string) error {
	return x.q.DeletePlayer(ctx, id)
}

func (x players) DropCompletion(ctx context.Context, arg db.DropCompletionParams) error {
	return x.q.DropCompletion(ctx, statements.DropCompletionParams(arg))
}

func (x players) DoublePlayer(ctx context.Context, arg db.DoublePlayerParams) (string, error) {
	return x.q.DoublePlayer(ctx, statements.DoublePlayerParams(arg))
}

func (x players) InsertCompletion(ctx context.Context, arg db.InsertCompletionParams) error {
	return x.q.InsertCompletion(ctx, statements.InsertCompletionParams(arg))
}

func (x players) InsertEntry(ctx context.Context, arg db.InsertEntryParams) error {
	return x.q.InsertEntry(ctx, statements.InsertEntryParams(arg))
}

func (x players) InsertPlayer(ctx context.Context, arg db.InsertPlayerParams) error {
	return x.q.InsertPlayer(ctx, statements.InsertPlayerParams(arg))
}

func (x players) NextEntry(ctx context.Context, playerID string) (int64, error) {
	return x.q.NextEntry(ctx, playerID)
}

func (x players) OwnPlayers(ctx context.Context, arg db.OwnPlayersParams) ([]db.OwnPlayersRow, error) {
	rows, err := x.q.OwnPlayers(ctx, statements.OwnPlayersParams(arg))
	return asRows(rows, err, func(r statements.OwnPlayersRow) db.OwnPlayersRow { return db.OwnPlayersRow(r) })
}

func (x players) Player(ctx context.Context, arg db.PlayerParams) (string, error) {
	return x.q.Player(ctx, statements.PlayerParams(arg))
}

func (x players) PlayerMarks(ctx context.Context, arg db.PlayerMarksParams) (db.PlayerMarksRow, error) {
	row, err := x.q.PlayerMarks(ctx, statements.PlayerMarksParams(arg))
	return db.PlayerMarksRow(row), err
}

func (x players) Route(ctx context.Context, playerID string) ([]db.RouteRow, error) {
	rows, err := x.q.Route(ctx, playerID)
	return asRows(rows, err, func(r statements.RouteRow) db.RouteRow { return db.RouteRow(r) })
}

func (x players) SetVariable(ctx context.Context, arg db.SetVariableParams) error {
	return x.q.SetVariable(ctx, statements.SetVariableParams(arg))
}

func (x players) TrimRoute(ctx context.Context, arg db.TrimRouteParams) error {
	return x.q.TrimRoute(ctx, statements.TrimRouteParams(arg))
}

func (x players) Unlock(ctx context.Context, arg db.UnlockParams) error {
	return x.q.Unlock(ctx, statements.UnlockParams(arg))
}

func (x players) Unlocked(ctx context.Context, playerID string) ([]string, error) {
	return x.q.Unlocked(ctx, playerID)
}

func (x players) Variables(ctx context.Context, playerID string) ([]db.VariablesRow, error) {
	rows, err := x.q.Variables(ctx, playerID)
	return asRows(rows, err, func(r statements.VariablesRow) db.VariablesRow { return db.VariablesRow(r) })
}

func (x players) WebPlayers(ctx context.Context, arg db.WebPlayersParams) ([]db.WebPlayersRow, error) {
	rows, err := x.q.WebPlayers(ctx, statements.WebPlayersParams(arg))
	return asRows(rows, err, func(r statements.WebPlayersRow) db.WebPlayersRow { return db.WebPlayersRow(r) })
}

func (x sessions) AdvanceSession(ctx context.Context, arg db.AdvanceSessionParams) (int64, error) {
	return x.q.AdvanceSession(ctx, statements.AdvanceSessionParams(arg))
}

func (x sessions) AuthorsSession(ctx context.Context, arg db.AuthorsSessionParams) (db.Session, error) {
	row, err := x.q.AuthorsSession(ctx, statements.AuthorsSessionParams(arg))
	return db.Session(row), err
}

func (x sessions) DropConversation(ctx context.Context, sessionID string) error {
	return x.q.DropConversation(ctx, sessionID)
}

func (x sessions) DropSession(ctx context.Context, arg db.DropSessionParams) error {
	return x.q.DropSession(ctx, statements.DropSessionParams(arg))
}

func (x sessions) InsertMessage(ctx context.Context, arg db.InsertMessageParams) error {
	return x.q.InsertMessage(ctx, statements.InsertMessageParams(arg))
}

func (x sessions) InsertSession(ctx context.Context, arg db.InsertSessionParams) error {
	return x.q.InsertSession(ctx, statements.InsertSessionParams(arg))
}

func (x sessions) MessagePlace(ctx context.Context, arg db.MessagePlaceParams) (int64, error) {
	return x.q.MessagePlace(ctx, statements.MessagePlaceParams(arg))
}

func (x sessions) MessageSizes(ctx context.Context, arg db.MessageSizesParams) ([]db.MessageSizesRow, error) {
	rows, err := x.q.MessageSizes(ctx, statements.MessageSizesParams(arg))
	return asRows(rows, err, func(r statements.MessageSizesRow) db.MessageSizesRow { return db.MessageSizesRow(r) })
}

func (x sessions) Messages(ctx context.Context, arg db.MessagesParams) ([]db.MessagesRow, error) {
	rows, err := x.q.Messages(ctx, statements.MessagesParams(arg))
	return asRows(rows, err, func(r statements.MessagesRow) db.MessagesRow { return db.MessagesRow(r) })
}

func (x sessions) InsertTurnMessages(ctx context.Context, arg db.InsertTurnMessagesParams) error {
	return x.q.InsertTurnMessages(ctx, statements.InsertTurnMessagesParams(arg))
}

func (x sessions) MessagesBetween(ctx context.Context, arg db.MessagesBetweenParams) ([]db.MessagesBetweenRow, error) {
	rows, err := x.q.MessagesBetween(ctx, statements.MessagesBetweenParams(arg))
	return asRows(rows, err, func(r statements.MessagesBetweenRow) db.MessagesBetweenRow { return db.MessagesBetweenRow(r) })
}

func (x sessions) NextMoment(ctx context.Context, playerID string) (int64, error) {
	return x.q.NextMoment(ctx, playerID)
}

func (x sessions) NewestSession(ctx context.Context, playerID string) (db.Session, error) {
	row, err := x.q.NewestSession(ctx, playerID)
	return db.Session(row), err
}

func (x sessions) RestartSession(ctx context.Context, arg db.RestartSessionParams) (int64, error) {
	return x.q.RestartSession(ctx, statements.RestartSessionParams(arg))
}

func (x sessions) SayOpeningAgain(ctx context.Context, arg db.SayOpeningAgainParams) (string, error) {
	return x.q.SayOpeningAgain(ctx, statements.SayOpeningAgainParams(arg))
}

func (x sessions) SessionOn(ctx context.Context, arg db.SessionOnParams) (db.Session, error) {
	row, err := x.q.SessionOn(ctx, statements.SessionOnParams(arg))
	return db.Session(row), err
}

func (x sessions) SessionResets(ctx context.Context, id string) (int64, error) {
	return x.q.SessionResets(ctx, id)
}

func (x sessions) TracePlace(ctx context.Context, arg db.TracePlaceParams) (int64, error) {
	return x.q.TracePlace(ctx, statements.TracePlaceParams(arg))
}

func (x sessions) Traces(ctx context.Context, arg db.TracesParams) ([]db.TracesRow, error) {
	rows, err := x.q.Traces(ctx, statements.TracesParams(arg))
	return asRows(rows, err, func(r statements.TracesRow) db.TracesRow { return db.TracesRow(r) })
}

func (x sessions) Sessions(ctx context.Context, playerID string) ([]db.Session, error) {
	rows, err := x.q.Sessions(ctx, playerID)
	return asRows(rows, err, func(r statements.Session) db.Session { return db.Session(r) })
}
