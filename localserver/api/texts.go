package api

import (
	"fmt"

	"github.com/parley-npc/parley/personas/wire"
)

const aboutInterface = `Stores non-player characters (personas) and lets players converse with them. A persona is an identity prompt plus state machines with scores, outcomes and links that unlock one machine through another.

Web endpoints identify the caller by a bearer token. Endpoints of the Game SDK require an API key in X-API-Key and can access the published personas of the key's owner. A player is identified by a user_session_id, which the client chooses. Every caller who knows the user_session_id can play as that player, unless the session was opened with a token: then only the user of that token can continue the session.

Clients must ignore unknown members, because new ones may be added. Every answer has the header X-Request-Id.`

type operationText struct {
	tag, summary, description string
	// errors lists statuses that do not follow from the route.
	errors []int
}

const (
	tagPersonas = "Personas"
	tagChat     = "Chat"
	tagProgress = "Progress"
	tagAccount  = "Account"
	tagSDK      = "Game SDK"
	tagServer   = "This server"
)

var tags = []struct{ name, text string }{
	{tagPersonas, "Write, publish and read characters."},
	{tagChat, "Open a session, send messages, read the history, and start again."},
	{tagProgress, "What a player has reached in all machines of a persona."},
	{tagAccount, "The signed-in user, and API keys for games."},
	{tagSDK, "The same conversations for games, with an API key and the caller's own LLM key."},
	{tagServer, "Information about this server."},
}

var operationTexts = map[string]operationText{
	"list-personas":      {tagPersonas, "List personas", "Published personas, newest first. With my_personas=true, it lists the caller's own instead, published or not, and requires a token.", nil},
	"get-persona":        {tagPersonas, "Show a persona", "The basic view. Only its owner can see an unpublished persona; for other callers the answer is 404.", nil},
	"get-full-persona":   {tagPersonas, "Show a persona with everything", "The persona with its machines, variables and links as they were saved, for display and editing.", nil},
	"delete-persona":     {tagPersonas, "Delete a persona", "Deletes the persona with its machines, sessions and histories permanently. Only its owner may do this.", nil},
	"save":               {tagPersonas, "Create or update a persona", "Without persona_id, it creates a persona. With persona_id, it replaces that persona, which must be the caller's own. The document must pass the checks of `parley persona lint` without errors; otherwise the answer is 422 with every error and its path. A machine keeps its id as long as its machine_key does not change.", []int{404, 412}},
	"publish":            {tagPersonas, "Publish a persona", "Makes the persona public and returns the link for playing it. Only its owner may do this.", []int{404}},
	"generate":           {tagPersonas, "Have a persona drafted", "The server's model drafts a persona from a description: identity, machines, criteria, scores, and lines for play without a model. The returned draft passes the checks of save, and all its endings can be reached. Nothing is saved. The answer is 409 with the code no-model if the server has no model that can write, 422 with the code draft-unsound if the model does not produce a valid draft, and 422 with the code model-declined if the model declines to write it. Clients should not retry these automatically, because each attempt uses tokens. Counts toward the rate limit generation. An addition of this server to the interface.", []int{409, 502, 504}},
	"get-progress":       {tagProgress, "Show a player's progress", "Completed and available machines, the route, scores, and the variables that later machines can use.", nil},
	"reset-progress":     {tagProgress, "Delete a player's progress", "Deletes the completed machines, route, variables and all sessions of this player with this persona. An unknown player is not an error.", nil},
	"available-machines": {tagProgress, "List the machines a player can enter", "Machines without an incoming link, and those that the player has unlocked.", nil},
	"init-session":       {tagChat, "Open a session", "Opens a session with a machine and returns the character's opening line. Without machine_id, it opens the primary machine. The answer is 403 with the code machine-locked if the machine is locked, and 409 with the code conflict if the persona is saved repeatedly while the model writes the line; then nothing is stored. With `Accept: text/event-stream` the line is sent while it is written, in the events of message/stream: `metadata` is the answer without its message, then `text_delta` events, and last `done`, the whole answer, after the session was stored. Without that header the answer is JSON. An error before the stream begins is always JSON.", []int{409, 502, 504}},
	"message":            {tagChat, "Say something", "Sends the player's message and returns the character's reply with the state, score and outcome after it. A turn is stored completely or not at all: after a 5xx the message can be sent again. Without machine_id, the message goes to the session that was opened last.", []int{409, 502, 504}},
	"message-stream":     {tagChat, "Say something and stream the reply", streamText, []int{409, 502, 504}},
	"history":            {tagChat, "Read the history of a session", "All messages, oldest first; the first is the opening line. Without machine_id, it is the session that was opened last. The answer is sent while it is read from the database: if its JSON is incomplete, the answer was interrupted and can be requested again. Additions of this server: limit is the maximum number of messages, of which the newest are returned; before selects only messages before the message with this id; if limit omits earlier messages, the header Link contains their URL.", []int{409}},
	"trace":              {tagChat, "Read the trace of a session", "For each of the character's messages: why the player's message was judged as it was, the transitions whose conditions were true, the transition that was taken, the source of the text, and the tokens that each step used. The persona's owner can read the session of any player. If several players have that user_session_id, it is the owner's own session, else that of a player without a token, else the one opened last. Other callers can read their own sessions if the server allows them to direct (--director); otherwise the answer is 403, or 401 without a token. limit and before are as in history, but apply to turns. An addition of this server to the interface.", []int{409}},
	"fork":               {tagChat, "Branch a conversation", "Creates a new player session with exactly the state that this session had after `at` of the player's messages (0 means after the opening): state, score, redirects, follow-up, asides, variables, unlocked machines, the sessions on other machines, and all texts. The original session does not change. So a client can undo by forking at an earlier message and continuing with the user_session_id of the answer, and redo by returning to the `parent`. The new session has the same owner. The answer is 409 with the code past-not-kept if that state cannot be restored exactly, because a machine was opened again since then or an older server did not store enough. With `latest`, the machine continues in the latest version of the persona: if the same verdicts lead to another state, score or ending there, the answer is 409 with the code another-past. A tree can have 1,000 branches with 1,000,000 messages in total; beyond that the answer is 409 with the code too-many-branches. Counts toward the rate limit for messages. An addition of this server to the interface.", []int{409}},
	"branches":           {tagChat, "List the branches of a conversation", "All branches of the tree that contains the player's session, in the order of their creation, each with the session that was played last. An addition of this server to the interface.", nil},
	"list-sessions":      {tagChat, "List the sessions of a persona", "The sessions of all players with a persona, newest first, for the persona's owner. The header Link contains the URL of the next page. The list does not identify the players. is_branch means that a session was forked from another one. An addition of this server to the interface.", nil},
	"delete-session":     {tagChat, "Delete a session of a persona", "Deletes a session of any player with its messages, for the persona's owner. If it was the player's last session, it deletes the player too. An addition of this server to the interface.", nil},
	"reset":              {tagChat, "Reset a session", "Deletes the history and resets the machine to its initial state with its opening line. Without machine_id, it resets all sessions of this player with this persona.", []int{409}},
	"me":                 {tagAccount, "Who am I", "The user who is identified by the token.", nil},
	"migrate-progress":   {tagAccount, "Move anonymous sessions to the account", "Makes the caller the owner of all sessions that were played without a token under a user_session_id. If the caller already has sessions with one of the personas under the same user_session_id, the answer is 409 and nothing changes. If there are only sessions of other users, or none, the answer is 404.", []int{404, 409}},
	"create-api-key":     {tagAccount, "Create an API key", "Creates a key for games. Only this answer contains the key; the server stores a hash. An account can have at most 50 keys: beyond that the answer is 409 with the code conflict.", []int{409}},
	"list-api-keys":      {tagAccount, "List API keys", "The names and prefixes of the caller's keys, but not the keys themselves.", nil},
	"revoke-api-key":     {tagAccount, "Revoke an API key", "The next request with the key is rejected.", nil},

	"sdk-list-personas":    {tagSDK, "List the personas of the key", "Published personas of the key's owner.", nil},
	"sdk-machines":         {tagSDK, "List the machines a player can enter", "Machines without an incoming link, and those that the player has unlocked.", nil},
	"sdk-session":          {tagSDK, "Show a session", "The state of a session without its messages; 404 if there is no session.", nil},
	"sdk-validate-llm-key": {tagSDK, "Check a model key", "Asks the model provider whether it accepts the key. The body can be empty or contain a model.", []int{502, 504}},
}

const streamText = "Like message, but the reply is sent as server-sent events, each with a line `event: NAME`, a line `data: JSON` and an empty line. The first event is `metadata`, the reply without its text. Then come `text_delta` events, each with a piece of the text. The last event is `done`, the whole reply, after the turn was stored. If the reply cannot be finished, the last event is `error` instead, and nothing is stored. X-LLM-Tokens-In and X-LLM-Tokens-Out are trailers. An early error is an ordinary answer with a status and a JSON body, as for message. If the reply takes longer, the server sends the head of the answer and, every 10 seconds, a comment, which is a line that begins with a colon; an error after that is an `error` event."

// An optional header may be absent where it is listed.
var responseHeaders = map[string]struct {
	kind   string
	always bool
	text   string
}{
	"X-Request-Id":          {"string", true, "The request's id, which is also in the server's log."},
	"Retry-After":           {"integer", true, "The number of whole seconds to wait before sending the request again."},
	wire.HeaderShouldRetry:  {"string", false, "false if clients should not retry automatically: the server has already retried, or the operator must solve the problem."},
	"WWW-Authenticate":      {"string", true, "The required credentials, and why the credentials that were sent were rejected. For a bearer token, resource_metadata is the URL of the metadata (RFC 9728)."},
	wire.HeaderLLMTokensIn:  {"integer", false, "The number of input tokens of the model for this call; absent if no provider was called."},
	wire.HeaderLLMTokensOut: {"integer", false, "The number of output tokens of the model for this call; absent if no provider was called."},
	HeaderReplayed:          {"string", false, "true if this is the stored answer of an earlier request with the same Idempotency-Key."},
	wire.HeaderLink:         {"string", false, "The URL of the next page, with rel=\"next\", if there is one. An addition of this server."},
	wire.HeaderTotal:        {"integer", false, "With include=total: the number of personas that public_only and my_personas select, on all pages and with any name."},
	"RateLimit-Limit":       {"integer", false, "The maximum number of requests per minute in the category of this endpoint; absent if rate limits are disabled."},
	"RateLimit-Remaining":   {"integer", false, "The number of requests that are still allowed now."},
	"RateLimit-Reset":       {"integer", false, "Whole seconds until one more request is allowed."},
}

var errorTexts = map[int]struct{ name, text string }{
	400: {"BadRequest", "The JSON is malformed, a query value has the wrong type, or a required header is missing."},
	401: {"Unauthenticated", "The token or the API key is missing or invalid, or the model provider rejects the caller's key (code llm-key-refused). A token that is sent must be valid even if the endpoint does not require one."},
	403: {"Forbidden", "The resource belongs to another user, the machine is locked (code machine-locked), or the request comes from a page of another site."},
	404: {"NotFound", "The persona, machine, session or key does not exist, or the caller may not see it."},
	405: {"MethodNotAllowed", "The path does not support this method."},
	408: {"RequestTimeout", "The body was not received in time."},
	409: {"Conflict", "The machine has ended (code machine-finished); the session has the maximum number of turns (code session-full); another call changed the session first, the persona was saved or deleted meanwhile, or the account has the maximum number of API keys (code conflict); or the server has no model that can write (code no-model)."},
	412: {"ChangedMeanwhile", "The persona was saved since the updated_at in If-Match."},
	413: {"TooLarge", "The body is too large: at most 1 MiB, 8 MiB for save."},
	415: {"UnsupportedMediaType", "The Content-Type of the body is not JSON."},
	422: {"Invalid", "The request is invalid: error is the first problem, details lists all problems."},
	429: {"RateLimited", "A rate limit is exceeded. Send the request again after Retry-After."},
	500: {"Internal", "The server failed. The server's log contains the cause with the request id."},
	502: {"ModelFailed", "The model provider failed. Nothing was stored; the request can be sent again."},
	503: {"Unavailable", "The server is stopping or not ready, or other requests use all the memory for bodies or for answers."},
	504: {"ModelTimeout", "The model provider did not answer in time. Nothing was stored; the request can be sent again."},
}

// huma cannot derive nullable members from types.
var nullMembers = []string{"Key.last_used_at"}

var parameterTexts = map[string]string{
	"persona_id":      "The persona's id.",
	"user_session_id": "The player's session id, chosen by the client: 1 to 200 characters. It can be in a JSON body instead; two different values are a 422.",
	"machine_id":      "The id or the machine_key of a machine. It can be in a JSON body instead; two different values are a 422.",
	"public_only":     "true lists only published personas; false also lists the caller's own unpublished ones.",
	"my_personas":     "Lists only the caller's personas; requires a token.",
	"limit":           "The maximum number of items.",
	"outcome":         "Only sessions with this outcome; none selects those that have not ended. An addition of this server.",
	"state":           "Only sessions in the state with this key. An addition of this server.",
	"version":         "Only sessions that use this version of the persona: 1 is the first save. An addition of this server.",
	"since":           "Only sessions with a message at or after this time, ISO 8601. An addition of this server.",
	"session_id":      "The session's id.",
	"name":            "Only personas with a name that begins with this text, ignoring case. An addition of this server.",
	"before":          "Only what comes before the message with this id. An addition of this server.",
	"after":           "Where the list continues: the value from the header Link of the previous page. An addition of this server.",
	"include":         "Additional data: updated_at adds that member to each persona; total adds the header X-Total-Count. An addition of this server.",
	"key_id":          "The key's id.",
	"If-Match":        "The updated_at that the caller last read, in quotes: if the persona was saved since then, the answer is 412.",
	"Idempotency-Key": "Any text of at most 255 bytes. Repeating a request with the same key within 24 hours returns the stored answer; another request with the same key is a 422.",

	wire.HeaderLLMKey:                "The caller's key for its model provider, used for this request only and never stored.",
	wire.HeaderLLMModel:              "The model to use instead of the server's choice.",
	wire.HeaderLLMEvalKey:            "A separate provider key for the evaluation.",
	wire.HeaderLLMEvalModel:          "A separate model for the evaluation.",
	wire.HeaderLLMResponseKey:        "A separate provider key for the reply.",
	wire.HeaderLLMResponseModel:      "A separate model for the reply.",
	wire.HeaderLLMSummarizationKey:   "A separate provider key for the summary.",
	wire.HeaderLLMSummarizationModel: "A separate model for the summary.",
}

const aboutBodyName = "The same as the query parameter, which it can replace; null and an empty text count as absent."

// A key is "Schema.member", or "member" for all schemas.
var memberTexts = map[string]string{ //nolint:gosec // a member is called bearer_methods_supported
	"id":                       "The id, a UUID.",
	"name":                     "The display name.",
	"description":              "A short text.",
	"created_at":               "When it was created.",
	"updated_at":               "When it was last saved; the value for If-Match.",
	"is_public":                "Whether it is published.",
	"persona_id":               "The persona's id.",
	"persona_identity_prompt":  "The system prompt that describes the character.",
	"perplexity_description":   "A text for search and discovery.",
	"user_id":                  "The owner's user id, a UUID.",
	"user_session_id":          "The player's session id, chosen by the client.",
	"session_id":               "The session's id, assigned by the server.",
	"machine_id":               "The machine's id.",
	"machine_key":              "The machine's key in the document.",
	"player_name":              "The player's name, which the character uses.",
	"player_gender":            "The player's gender: female, male or non-binary.",
	"outcome":                  "How the machine ended: ACCEPT, REJECT or KICK_OUT; null if it has not ended.",
	"score":                    "The score, a whole number.",
	"current_state":            "The key of the session's current state.",
	"decision":                 "What the character decided: pass, redirect, reject or kick_out; null if it decided nothing.",
	"has_session":              "Whether the player has a session with the machine.",
	"session_outcome":          "How the player's last session with the machine ended; null if it has not ended.",
	"is_linked":                "Whether another machine must unlock this one.",
	"available_machines":       "The machines that the player can enter now.",
	"completed_machines":       "The machines that the player has finished.",
	"cross_machine_vars":       "Values extracted from finished conversations, which later machines can use.",
	"current_machine_id":       "The machine that the player is playing, or null.",
	"has_links":                "Whether machines of the persona unlock one another.",
	"relationship_level":       "How the character feels about the player, as a whole number over all machines.",
	"total_score":              "The sum of the scores of completed machines.",
	"route_path":               "The machines that the player entered, in order.",
	"completed_at":             "When it was completed.",
	"entered_at":               "When it was entered.",
	"deleted_sessions":         "The number of deleted sessions.",
	"migrated_sessions":        "The number of sessions that now belong to the caller.",
	"personas":                 "The ids of the personas of these sessions.",
	"old_session_id":           "The anonymous user_session_id.",
	"play_link":                "The URL where everybody can play the persona.",
	"started_at":               "When the session was opened.",
	"last_message_at":          "When the last message was written.",
	"messages":                 "The messages, oldest first.",
	"issuer":                   "The URL of the OpenID provider, exactly as the provider writes it in tokens.",
	"client_id":                "The public client for commands that sign in; absent if none is configured.",
	"audience":                 "The required audience of tokens.",
	"scopes":                   "The scopes that a client requests.",
	"resource":                 "The URL that identifies the server: clients send it to the provider as resource.",
	"authorization_servers":    "The issuers of accepted tokens; absent if tokens are signed with a shared secret.",
	"scopes_supported":         "The scopes that a client requests.",
	"bearer_methods_supported": "The parts of a request that can contain a token.",
	"resource_name":            "The name of the server.",
	"resource_documentation":   "The address of a page for developers.",
	"development":              "Whether the provider is the development provider, which accepts any e-mail address without a password.",
	"email":                    "The user's e-mail address.",
	"display_name":             "The name to show.",
	"key":                      "The key itself. Only this answer contains it.",
	"key_prefix":               "The beginning of the key, to recognise it.",
	"last_used_at":             "When it was last used; null if it was never used.",
	"is_auto_advance":          "Whether the client should open this machine next without asking the player.",
	"unlocked_machines":        "The machines that this message unlocked; empty if there are none.",
	"wait_reason":              "Why the model provider requires a wait: rate-limit or busy. Absent if it does not.",
	"request_id":               "The id of the request, as in X-Request-Id and in the server's log.",
	"code":                     "A short code of the error for programs.",
	"details":                  "All problems of the request.",
	"model":                    "The model's name.",
	"valid":                    "Whether the provider accepts the key.",
	"text":                     "The next piece of the reply.",

	"Detail.path":                        "The location: a member such as machines[1].states[0].state_key, or a parameter.",
	"Detail.message":                     "The problem.",
	"Error.error":                        "The error in one sentence.",
	"RateLimited.error":                  "A sentence with the limit and the number of seconds to wait.",
	"SDKError.error":                     "The error.",
	"SDKErrorText.message":               "The error in one sentence.",
	"SDKErrorText.retry_after":           "Only in events: whole seconds to wait before sending the call again, like Retry-After for other errors.",
	"SDKErrorText.should_retry":          "Only in events: false if clients should not retry automatically, like X-Should-Retry for other errors.",
	"LLMKeyValidity.error":               "Why the key is not valid, or null.",
	"LLMKeyValidity.model":               "The model that would answer.",
	"FullPersona.persona":                "The basic view, and the other members at the top of the document.",
	"PersonaCore.language":               "The language of the persona's texts, as a tag such as en or pt-BR; absent if not set.",
	"PersonaCore.portrait":               "A picture of the character as a data URI; absent if not set.",
	"PersonaCore.hue":                    "The character's colour as a hue in degrees, from 0 to 359; absent if not set.",
	"FullPersona.machines":               "The machines with their states and transitions.",
	"FullPersona.variables":              "The persona's variables.",
	"FullPersona.machine_links":          "The conditions under which one machine unlocks another.",
	"HistoryMessage.role":                "Who speaks: user or assistant.",
	"HistoryMessage.content":             "The text of the message.",
	"HistoryMessage.state_key_at_time":   "The key of the session's state at that time.",
	"HistoryMessage.score_at_time":       "The session's score at that time.",
	"History.ending":                     "As in a reply; present only at an ending with a name.",
	"HistoryMessage.aside":               "As in a reply.",
	"HistoryMessage.follow_up_triggered": "Whether the character asked for more before it decided.",
	"MessageBody.message":                fmt.Sprintf("The player's message: 1 to %d,%03d characters.", wire.MaxMessage/1000, wire.MaxMessage%1000),
	"Opening.message":                    "The character's opening line.",
	"Opening.persona_name":               "The character's name.",
	"Opening.persona_description":        "The character's short description, or null.",
	"Opening.machine_id":                 "The machine that was opened.",
	"Trace.turns":                        "One element for each of the character's messages, beginning with the opening line.",
	"TurnTrace.message_id":               "The id of the character's message in the history.",
	"TurnTrace.evaluation":               "Why the player's message was judged as it was.",
	"TurnTrace.holds":                    "The transitions whose conditions were true.",
	"TurnTrace.aside":                    "Whether the message was judged to decide nothing, also if it counted as a redirect because too many such messages came before; present only if true.",
	"TurnTrace.transition":               "The index of the transition that was taken in the machine's list; null if none was taken.",
	"TurnTrace.choices":                  "The possible meanings of the message, each with its probability; absent if a rule, a director's mark or a model without probabilities decided.",
	"TurnTrace.method":                   "How the message was judged: offline, decisions, letter or json; present only if a model judged it.",
	"TurnTrace.milliseconds":             "How long the model took to judge the message, in milliseconds; present only if a model judged it.",
	"TraceChoice.decision":               "The decision of the transition, follow_up or aside.",
	"TraceChoice.transition":             "The index of the transition in the machine's list; null if the choice has none.",
	"TraceChoice.probability":            "From 0 to 1.",
	"TurnTrace.reply":                    "The source of the text.",
	"TurnTrace.summary":                  "Why the running summary was not updated; empty if there was no problem.",
	"TurnTrace.extraction":               "What the server did because the model could not extract the output variables; present only then.",
	"TurnTrace.usage":                    "The tokens that each step used: open, evaluation, response, summarization, extraction. A step in which no provider was called is absent.",
	"TurnTrace.created_at":               "When the message was written.",
	"Hold.transition":                    "The index of the transition in the machine's list.",
	"Hold.why":                           "Why its condition was true.",
	"Usage.model":                        "The model that answered, as provider/model.",
	"Usage.in":                           "Input tokens.",
	"Usage.out":                          "Output tokens.",
	"Usage.cached":                       "Input tokens that the provider read from its cache, if it reports them.",
	"Reply.message":                      "The text of the character's reply.",
	"Reply.ending":                       "The name of the ending that this message reached (ending in the persona file); present only if the ending has a name.",
	"Reply.aside":                        "Whether the message decided nothing and did not count; present only if true, and then follow_up is true too.",
	"Reply.follow_up":                    "Whether the character wants to hear more before it decides.",
	"History.redirect_count":             "How often the player was redirected in the current state; absent at an ending.",
	"Reply.redirect_count":               "How often the player was redirected in the current state; null at an ending.",
	"Reply.scoring_mode":                 "scoring or pass_fail.",
	"Reply.machine_completed":            "Whether the machine has ended.",
	"ResetDone.message":                  "The opening line, which is sent again.",
	"ResetDone.session_id":               "The session's id; that of the newest session if several were reset.",
	"GenerateBody.description":           "Who the character is, in any language: 1 to 2,000 characters.",
	"GenerateBody.name":                  "The character's name, at most 200 characters; if it is absent, the model chooses one.",
	"Generated.persona":                  "The document, in the format of save.",
	"Generated.warnings":                 "Warnings about the draft, which do not prevent saving it.",
	"Generated.rounds":                   "How many requests the model got, 1 to 3.",
	"NewKeyBody.name":                    "What the key is for: 1 to 200 characters.",
	"InitBody.player_name":               "The player's name: 1 to 80 characters.",
	"InitBody.user_session_id":           "The player's session id: 1 to 200 characters.",
	"InitBody.machine_id":                aboutBodyName,
	"MessageBody.machine_id":             aboutBodyName,
	"MessageBody.same_verdict":           "In a branch that was forked just before the same message: the earlier verdict on the message applies again, and the character replies in other words. In any other session it is a 409 with the code nothing-to-repeat. An addition of this server.",
	"ForkBody.machine_id":                aboutBodyName,
	"ForkBody.at":                        "The session is forked after this number of the player's messages; 0 means after the opening.",
	"ForkBody.latest":                    "Whether the machine continues in the latest version of the persona. An addition of this server.",
	"ForkBody.name":                      "A label for the branch, at most 80 characters.",
	"ForkBody.user_session_id":           "The session to fork.",
	"Branch.user_session_id":             "The user_session_id for continuing this branch.",
	"Branch.label":                       "The branch's label; empty if it has none.",
	"Branch.parent":                      "The user_session_id of the branch from which it was forked; null for the first branch, and if the parent was deleted.",
	"Branch.forked_at":                   "The number of the player's messages before the fork; null for the first branch.",
	"Branch.forked_machine_key":          "The machine_key of the session that was forked; null for the first branch.",
	"Branch.session_id":                  "The id of the branch's session that was played last.",
	"Branch.turn":                        "How many messages the player has sent in that session.",
	"Branch.redirect_count":              "How often the player was redirected in the current state; null at an ending.",
	"Branches.branches":                  "The branches, in the order of their creation.",
	"OwnedSession.version":               "The version of the persona that it uses: 1 is the first save.",
	"OwnedSession.turn":                  "How many messages the player has sent.",
	"OwnedSession.is_branch":             "Whether it was forked from another session, so that both have the same beginning.",
	"NamesBody.machine_id":               aboutBodyName,
	"NamesBody.user_session_id":          aboutBodyName,
	"CompletedMachine.outcome":           "How the machine ended: ACCEPT, REJECT or KICK_OUT.",
	"ProgressReset.user_session_id":      "The player's session id; the progress of that player was deleted.",
	"Migrated.user_session_id":           "The user_session_id for continuing to play.",
}
