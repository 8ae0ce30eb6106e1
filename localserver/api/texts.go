package api

import (
	"fmt"

	"github.com/parley-npc/parley/personas/wire"
)

// aboutInterface is the description's introduction.
const aboutInterface = `Stores non-player characters (personas) and lets players converse with them. A persona is an identity prompt plus state machines with scores, outcomes and links that unlock one machine through another.

Web endpoints take a bearer token where they need to know who calls. Endpoints of the Game SDK take an API key in X-API-Key and work on the published personas of the key's owner. A player is known by a user_session_id that the client makes up; whoever knows it is that player, unless the session was opened with a token: then only that user goes on with it.

Readers ignore members that they do not know: more may come. Every answer carries X-Request-Id.`

// operationText describes an operation for people.
type operationText struct {
	tag, summary, description string
	// errors are the additional statuses of the operation, besides those that follow from its row.
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

// tags are the groups of operations, in display order.
var tags = []struct{ name, text string }{
	{tagPersonas, "Write, publish and read characters."},
	{tagChat, "Play: open a session, talk, look back, begin again."},
	{tagProgress, "What a player has reached over all machines of a persona."},
	{tagAccount, "Who is signed in, and the keys of games."},
	{tagSDK, "The same play for games, with an API key and the caller's own LLM key."},
	{tagServer, "What this server says about itself."},
}

// operationTexts are by operation id.
var operationTexts = map[string]operationText{
	"list-personas":      {tagPersonas, "List personas", "Published personas, the newest first. my_personas=true lists the caller's own instead, published or not, and needs a token.", nil},
	"get-persona":        {tagPersonas, "Show a persona", "The basic view. A persona that is not published is shown to its owner only; to everybody else it does not exist.", nil},
	"get-full-persona":   {tagPersonas, "Show a persona with everything", "The persona with machines, variables and links as they were saved, for rendering and editing.", nil},
	"delete-persona":     {tagPersonas, "Delete a persona", "Deletes the persona with its machines, sessions and histories, for good. Only its owner may.", nil},
	"save":               {tagPersonas, "Create or update a persona", "Without persona_id it creates a persona, with it it replaces the caller's own. The document passes the checks of `parley persona lint` at level error, else the answer is 422 with every fault and its path. A machine keeps its id while its machine_key stays.", []int{404, 412}},
	"publish":            {tagPersonas, "Publish a persona", "Makes the persona public and returns the link under which it is played. Only its owner may.", []int{404}},
	"generate":           {tagPersonas, "Have a persona drafted", "The server's model drafts a persona of a description: identity, machines, criteria, scores, and lines for play without a model. What comes back passes the checks of save and the proof that its endings can be reached; nothing is saved. A server that plays offline answers 409 with the code no-model, a draft that stays unsound is a 422 with the code draft-unsound, one that the model does not want to write a 422 with the code model-declined: asking again costs again, so clients do not by themselves. Counts as generation. An addition of this server to the interface.", []int{409, 502, 504}},
	"get-progress":       {tagProgress, "Show a player's progress", "Completed and available machines, the route, scores, and the variables carried from machine to machine.", nil},
	"reset-progress":     {tagProgress, "Forget a player's progress", "Clears completed machines, route, carried variables and all sessions of this player with this persona; of an unknown player there are none.", nil},
	"available-machines": {tagProgress, "List the machines a player can enter", "Machines without an incoming link, and those that the player has unlocked.", nil},
	"init-session":       {tagChat, "Open a session", "Opens a session with a machine, the primary one without machine_id, and returns the character's opening line. A machine that is still locked is refused with 403 and the code machine-locked; a persona that is saved again and again while the character thinks of its line with 409 and the code conflict, and then nothing was kept. With `Accept: text/event-stream` the line comes as it is written, in the events of message/stream: `metadata`, the answer without its message, `text_delta`, and last `done`, the whole answer, when the session is kept. Clients that do not ask for events get JSON; what fails before the stream begins is JSON for all.", []int{409, 502, 504}},
	"message":            {tagChat, "Say something", "Sends the player's words and returns the character's reply with the state, score and outcome after it. Either the whole turn counts or nothing of it: after a 5xx it may be sent again. Without machine_id it goes to the session that was opened last.", []int{409, 502, 504}},
	"message-stream":     {tagChat, "Say something and hear the reply as it comes", streamText, []int{409, 502, 504}},
	"history":            {tagChat, "Read a session back", "All messages, oldest first; the first is the opening line. Without machine_id it is the session that was opened last. The answer is written as it is read: one whose JSON does not end was broken off, and may be asked for again. Additions of this server: with limit it is at most so many messages, the newest ones, and with before only those that come before the message with this id; where limit leaves earlier ones out, the header Link leads to them.", []int{409}},
	"trace":              {tagChat, "See why a session went as it did", "For each of the character's messages why the player's was judged so, which transitions held and which counted, where the text comes from, and what each step cost in tokens. The persona's owner reads the session of any player: of several with that user_session_id the owner's own, else that of a player without a token, else the one begun last. Other callers read their own sessions where the server lets them direct (--director), else the answer is 403, or 401 without a token. limit and before are as in history, and count turns. An addition of this server to the interface.", []int{409}},
	"fork":               {tagChat, "Branch a conversation", "Makes a new player session with exactly the past that this one had after `at` of the player's messages (0 is after the opening): state, score, redirects, follow-up, asides, variables, unlocked machines, the sessions on other machines, and the texts. Nothing of the session that is forked changes, so to undo is to fork at an earlier message and to go on under the user_session_id of the answer; to redo is to go back to the `parent`. The new session belongs to whom the old one does. A turn that cannot be returned to exactly, because a machine was begun again since or an older server did not keep enough, is 409 with the code past-not-kept. With `latest` the named machine continues in the latest version of the persona: where the verdicts on the messages lead to another state, score or ending there it is 409 with the code another-past. A tree takes 1,000 branches and 1,000,000 messages in them, else it is 409 with the code too-many-branches. Counts as sending a message. An addition of this server to the interface.", []int{409}},
	"branches":           {tagChat, "List the branches of a conversation", "The tree to which the player's session belongs, in the order in which its branches were made: each with the session that was played last. An addition of this server to the interface.", nil},
	"list-sessions":      {tagChat, "List the sessions of a persona", "The sessions of all players with a persona, for its owner, those begun last first; the header Link leads to the next ones. It does not say who played. Sessions with is_branch were forked from another one. An addition of this server to the interface.", nil},
	"delete-session":     {tagChat, "Delete a session of a persona", "Deletes a session with its messages, for the persona's owner, and the player with the last one. An addition of this server to the interface.", nil},
	"reset":              {tagChat, "Begin a session again", "Clears the history and returns the machine to its initial state with its opening line. Without machine_id it resets all sessions of this player with this persona.", []int{409}},
	"me":                 {tagAccount, "Who am I", "The user whose token this is.", nil},
	"migrate-progress":   {tagAccount, "Take anonymous play into the account", "Gives all sessions that were played without a token under a user_session_id to the caller. Where the caller has played one of the personas under the same user_session_id too, the answer is 409 and nothing changes. Sessions of other users are not there: 404.", []int{404, 409}},
	"create-api-key":     {tagAccount, "Create an API key", "Creates a key for games. The answer shows it this once; the server keeps a hash. An account has at most 50 keys: one more is refused with 409 and the code conflict.", []int{409}},
	"list-api-keys":      {tagAccount, "List API keys", "The caller's keys without the keys themselves.", nil},
	"revoke-api-key":     {tagAccount, "Revoke an API key", "The key is refused from the next request on.", nil},

	"sdk-list-personas":    {tagSDK, "List the personas of the key", "Published personas of the key's owner.", nil},
	"sdk-machines":         {tagSDK, "List the machines a player can enter", "Machines without an incoming link, and those that the player has unlocked.", nil},
	"sdk-session":          {tagSDK, "Look at a session", "Where a session stands, without its messages; 404 when there is none.", nil},
	"sdk-validate-llm-key": {tagSDK, "Would this model key work", "Asks the model's provider whether it takes the key. The body may be empty or name a model.", []int{502, 504}},
}

const streamText = "As message, but the reply comes as server-sent events: `event: NAME`, one line `data: JSON`, an empty line. `metadata` is first and once, the reply without its text; `text_delta` follows, each with a piece of the text; `done` is last, the whole reply, and only then has the turn counted. `error` comes instead of `done` when the reply could not be finished. X-LLM-Tokens-In and X-LLM-Tokens-Out come as trailers. What is refused at once is answered as by message, with a status and a JSON body. A reply that takes longer begins with the head of the answer, and every 10 seconds comes a comment, a line that begins with a colon and says nothing; what fails from then on is an `error`."

// responseHeaders are the headers of answers.
var responseHeaders = map[string]struct {
	kind   string
	always bool
	text   string
}{
	"X-Request-Id":          {"string", true, "The request's id; the server's log names it."},
	"Retry-After":           {"integer", true, "Whole seconds after which the next request is let through."},
	wire.HeaderShouldRetry:  {"string", false, "false where sending the call again by itself is of no use: the server has tried a second time, or it is a matter for whoever runs it."},
	"WWW-Authenticate":      {"string", true, "Which credentials are needed, for a bearer token with the address of the metadata (RFC 9728) as resource_metadata, and why those that were sent were not accepted."},
	wire.HeaderLLMTokensIn:  {"integer", false, "The tokens that the model's provider read for this call; absent where none was asked."},
	wire.HeaderLLMTokensOut: {"integer", false, "The tokens that the model's provider wrote for this call; absent where none was asked."},
	HeaderReplayed:          {"string", false, "true when this is the stored answer of an earlier request with this Idempotency-Key."},
	wire.HeaderLink:         {"string", false, "Where there are more: the address of the next page, with rel=\"next\". An addition of this server."},
	wire.HeaderTotal:        {"integer", false, "With include=total: how many personas public_only and my_personas choose, on all pages and whatever they are called."},
	"RateLimit-Limit":       {"integer", false, "How many requests a minute the category of this endpoint allows; absent when limits are off."},
	"RateLimit-Remaining":   {"integer", false, "How many of them are left now."},
	"RateLimit-Reset":       {"integer", false, "Whole seconds until one more is left."},
}

// errorTexts are the errors by status: the name of the description's response,
// and when it is given.
var errorTexts = map[int]struct{ name, text string }{
	400: {"BadRequest", "The JSON is malformed, a query value has the wrong type, or a header that is needed is missing."},
	401: {"Unauthenticated", "There is no valid token or key, or the model's provider refuses the caller's key for it (code llm-key-refused). A token that is sent must be valid, also where none is needed."},
	403: {"Forbidden", "The caller may not: it belongs to somebody else, the machine is still locked (code machine-locked), or the request comes from another site's page."},
	404: {"NotFound", "There is no such persona, machine, session or key. A persona that is not published exists for its owner only."},
	405: {"MethodNotAllowed", "The path takes other methods."},
	408: {"RequestTimeout", "The body did not come in time."},
	409: {"Conflict", "The machine has ended (code machine-finished), the session has as many turns as it takes (code session-full), another call of the session was first, the persona was saved or deleted meanwhile, or the account has all the API keys that it may have (code conflict), or the server has no model for it (code no-model)."},
	412: {"ChangedMeanwhile", "Somebody saved the persona in between."},
	413: {"TooLarge", "The body is too large: at most 1 MiB, 8 MiB for save."},
	415: {"UnsupportedMediaType", "The body is not JSON by its Content-Type."},
	422: {"Invalid", "The request has the wrong shape: error says the first fault, details lists all."},
	429: {"RateLimited", "A rate limit is exceeded. A request made after Retry-After is let through."},
	500: {"Internal", "Something failed that is no fault of the caller's; the log has it under the request id."},
	502: {"ModelFailed", "The model provider failed. Nothing was kept, it may be sent again."},
	503: {"Unavailable", "The server is stopping or not ready, or other requests take all the memory that there is for bodies or for answers."},
	504: {"ModelTimeout", "The model provider did not answer in time. Nothing was kept, it may be sent again."},
}

// nullMembers may be null although their types do not show it to huma.
var nullMembers = []string{"Key.last_used_at"}

// parameterTexts are by name, of paths, queries and request headers.
var parameterTexts = map[string]string{
	"persona_id":      "The persona's id.",
	"user_session_id": "The player's session id, made up by the client: 1 to 200 characters. It may stand in a JSON body instead; two different values are refused with 422.",
	"machine_id":      "A machine, by its id or its machine_key. It may stand in a JSON body instead; two different values are refused with 422.",
	"public_only":     "Only published personas. False adds the caller's own that are not published.",
	"my_personas":     "Only the caller's personas; needs a token.",
	"limit":           "How many at most.",
	"outcome":         "Only sessions that ended so; none is those that have not ended. An addition of this server.",
	"state":           "Only sessions in the state with this key. An addition of this server.",
	"version":         "Only sessions that play this version of the persona: 1 is the first save. An addition of this server.",
	"since":           "Only sessions whose last message is not before this time, ISO 8601. An addition of this server.",
	"session_id":      "The session's id.",
	"name":            "Only those whose name is this or begins so, in capitals or not. An addition of this server.",
	"before":          "Only what comes before the message with this id. An addition of this server.",
	"after":           "Where the list goes on: what the header Link of the page before says. An addition of this server.",
	"include":         "What is told too: updated_at of each persona; total, the header X-Total-Count. An addition of this server.",
	"key_id":          "The key's id.",
	"If-Match":        "The updated_at that the caller last saw, in quotes: when somebody saved in between, the answer is 412.",
	"Idempotency-Key": "Any text of at most 255 bytes. The same key with the same request within 24 hours gets the stored answer again, with another request 422.",

	wire.HeaderLLMKey:                "The caller's key for its model provider, used for this request only and never stored.",
	wire.HeaderLLMModel:              "The model to use instead of the server's choice.",
	wire.HeaderLLMEvalKey:            "A separate provider key for the evaluation.",
	wire.HeaderLLMEvalModel:          "A separate model for the evaluation.",
	wire.HeaderLLMResponseKey:        "A separate provider key for the reply.",
	wire.HeaderLLMResponseModel:      "A separate model for the reply.",
	wire.HeaderLLMSummarizationKey:   "A separate provider key for the summary.",
	wire.HeaderLLMSummarizationModel: "A separate model for the summary.",
}

const aboutBodyName = "The same as the query parameter, in whose place it may stand; null and an empty text count as absent."

// memberTexts are the meanings of members, "Schema.member" or "member" where
// it means the same everywhere.
var memberTexts = map[string]string{ //nolint:gosec // a member is called bearer_methods_supported
	"id":                       "The id, a UUID.",
	"name":                     "The display name.",
	"description":              "A short text.",
	"created_at":               "When it was created.",
	"updated_at":               "When it was last saved; what If-Match takes.",
	"is_public":                "Whether it is published.",
	"persona_id":               "The persona's id.",
	"persona_identity_prompt":  "The system prompt that says who the character is.",
	"perplexity_description":   "A text for search and discovery.",
	"user_id":                  "The owner's user id, a UUID.",
	"user_session_id":          "The player's session id, made up by the client.",
	"session_id":               "The session's id, given by the server.",
	"machine_id":               "The machine's id.",
	"machine_key":              "The machine's key in the document.",
	"player_name":              "The player's name, which the character uses.",
	"player_gender":            "How the player is spoken of: female, male or non-binary.",
	"outcome":                  "How the machine ended: ACCEPT, REJECT or KICK_OUT; null while it runs.",
	"score":                    "The score, a whole number.",
	"current_state":            "The key of the state in which the session is.",
	"decision":                 "What the character decided: pass, redirect, reject or kick_out; null when it decided nothing.",
	"has_session":              "Whether the player has entered it.",
	"session_outcome":          "How the player's last session with it ended; null when it has not.",
	"is_linked":                "Whether it had to be unlocked through another machine.",
	"available_machines":       "The machines that the player can enter now.",
	"completed_machines":       "The machines that the player has brought to an ending.",
	"cross_machine_vars":       "What was taken from finished conversations and is known to the next.",
	"current_machine_id":       "The machine in which the player is, or null.",
	"has_links":                "Whether machines of the persona unlock one another.",
	"relationship_level":       "How the character thinks of the player, over all machines.",
	"total_score":              "The sum of the scores of completed machines.",
	"route_path":               "The machines that the player entered, in order.",
	"completed_at":             "When it was completed.",
	"entered_at":               "When it was entered.",
	"deleted_sessions":         "How many sessions are gone.",
	"migrated_sessions":        "How many sessions now belong to the caller.",
	"personas":                 "The ids of the personas that these sessions are with.",
	"old_session_id":           "The anonymous user_session_id.",
	"play_link":                "The address under which anybody can play it.",
	"started_at":               "When the session was opened.",
	"last_message_at":          "When the last message was written.",
	"messages":                 "The messages, oldest first.",
	"issuer":                   "The OpenID provider, exactly as it names itself.",
	"client_id":                "The public client as which commands sign in; absent where the server names none.",
	"audience":                 "What tokens must be for.",
	"scopes":                   "What a client asks for.",
	"resource":                 "The URL by which clients know the server: what they name to the provider as resource.",
	"authorization_servers":    "The issuers of the tokens that are taken; absent where tokens are signed with a shared secret and come from elsewhere.",
	"scopes_supported":         "What a client asks for.",
	"bearer_methods_supported": "Where in a request a token may stand.",
	"resource_name":            "What the server is called.",
	"resource_documentation":   "The address of a page for developers.",
	"development":              "Whether the provider is the one for development, which believes whatever address it is told.",
	"email":                    "The user's e-mail address.",
	"display_name":             "The name to show.",
	"key":                      "The key itself. It is shown this once.",
	"key_prefix":               "The key's beginning, to tell it from others.",
	"last_used_at":             "When it was last used; null when it never was.",
	"is_auto_advance":          "Whether the client should lead the player straight on to it.",
	"unlocked_machines":        "What this message unlocked; empty when there is nothing.",
	"wait_reason":              "Why the wait is asked for: rate-limit or busy. There only where a model's provider asks for one.",
	"request_id":               "The id that X-Request-Id carries and the server's log names.",
	"code":                     "The error as a word for programs.",
	"details":                  "All that is wrong with the request.",
	"model":                    "The model's name.",
	"valid":                    "Whether the provider accepts the key.",
	"text":                     "The next piece of the reply.",

	"Detail.path":                        "Where: a member like machines[1].states[0].state_key, or a parameter.",
	"Detail.message":                     "What is wrong with it.",
	"Error.error":                        "The error in one sentence.",
	"RateLimited.error":                  "That the limit is exceeded, and how many seconds to wait.",
	"SDKError.error":                     "The error.",
	"SDKErrorText.message":               "The error in one sentence.",
	"SDKErrorText.retry_after":           "In an event alone: whole seconds to wait before sending the call again, as Retry-After says of other errors.",
	"SDKErrorText.should_retry":          "In an event alone: false where sending the call again by itself is of no use, as X-Should-Retry says of other errors.",
	"LLMKeyValidity.error":               "Why the key is not valid, or null.",
	"LLMKeyValidity.model":               "The model that would answer.",
	"FullPersona.persona":                "The basic view, with what else stands at the top of the document.",
	"PersonaCore.language":               "The language in which the persona is written, as a tag such as en or pt-BR; absent where there is none.",
	"PersonaCore.portrait":               "A picture of the character as a data URI; absent where there is none.",
	"PersonaCore.hue":                    "The character's colour, an angle of the colour circle in degrees from 0 to 359; absent where nobody says.",
	"FullPersona.machines":               "The machines with their states and transitions.",
	"FullPersona.variables":              "The persona's variables.",
	"FullPersona.machine_links":          "The conditions under which one machine unlocks another.",
	"HistoryMessage.role":                "Who speaks: user or assistant.",
	"HistoryMessage.content":             "The words.",
	"HistoryMessage.state_key_at_time":   "The state in which the session then was.",
	"HistoryMessage.score_at_time":       "The score that the session then had.",
	"History.ending":                     "As in a reply; there only at an ending that has a name.",
	"HistoryMessage.aside":               "As in a reply.",
	"HistoryMessage.follow_up_triggered": "Whether the character asked on.",
	"MessageBody.message":                fmt.Sprintf("The player's words: 1 to %d,%03d characters.", wire.MaxMessage/1000, wire.MaxMessage%1000),
	"Opening.message":                    "The character's opening line.",
	"Opening.persona_name":               "The character's name.",
	"Opening.persona_description":        "The character's short description, or null.",
	"Opening.machine_id":                 "The machine that was opened.",
	"Trace.turns":                        "One for each of the character's messages, the opening line first.",
	"TurnTrace.message_id":               "The character's message, by its id in the history.",
	"TurnTrace.evaluation":               "Why the player's message was judged so.",
	"TurnTrace.holds":                    "The transitions whose conditions held.",
	"TurnTrace.aside":                    "Whether the message was judged to decide nothing, also where the state's patience was used up and it counted as a redirect; there only where it was.",
	"TurnTrace.transition":               "The transition that counted, as its position in the machine's list; null where none did.",
	"TurnTrace.choices":                  "What the message could have meant, each with its probability; not where a rule, a mark or a model without probabilities decided.",
	"TurnTrace.method":                   "How the judge was asked: offline, decisions, letter or json; there only where a model was asked.",
	"TurnTrace.milliseconds":             "How long the judge's model was waited for; there only where it was.",
	"TraceChoice.decision":               "The decision of the transition, follow_up or aside.",
	"TraceChoice.transition":             "The transition, as its position in the machine's list; null where the choice has none.",
	"TraceChoice.probability":            "From 0 to 1.",
	"TurnTrace.reply":                    "Where the text comes from.",
	"TurnTrace.summary":                  "Why the running summary was not brought up to date; empty where all is well.",
	"TurnTrace.extraction":               "What was done where the model could not read the output variables; there only then.",
	"TurnTrace.usage":                    "What each step cost: open, evaluation, response, summarization, extraction. A step in which no provider was asked is not in it.",
	"TurnTrace.created_at":               "When it was said.",
	"Hold.transition":                    "The transition's position in the machine's list.",
	"Hold.why":                           "Why it held.",
	"Usage.model":                        "Who answered, as provider/model.",
	"Usage.in":                           "Tokens read.",
	"Usage.out":                          "Tokens written.",
	"Usage.cached":                       "Tokens of those read that the provider had in its cache, where it reports that.",
	"Reply.message":                      "The character's words.",
	"Reply.ending":                       "The name that the persona gives to the ending that this message reached (persona file, ending); there only where it has one.",
	"Reply.aside":                        "Whether the message decided nothing and counted as nothing; there only where it did, with a follow_up that is true.",
	"Reply.follow_up":                    "Whether the character wants to hear more before it decides.",
	"History.redirect_count":             "How often the player was redirected in the state; absent at an ending.",
	"Reply.redirect_count":               "How often the player was redirected in this state; null at an ending.",
	"Reply.scoring_mode":                 "scoring or pass_fail.",
	"Reply.machine_completed":            "Whether the machine has ended.",
	"ResetDone.message":                  "The opening line, said again.",
	"ResetDone.session_id":               "The session; the newest where several were reset.",
	"GenerateBody.description":           "Who the character is, in any language: 1 to 2,000 characters.",
	"GenerateBody.name":                  "Its name, at most 200 characters; without one the model finds one.",
	"Generated.persona":                  "The document, as save takes it.",
	"Generated.warnings":                 "What could be better: findings that do not keep it from being saved.",
	"Generated.rounds":                   "How often the model was asked, 1 to 3.",
	"NewKeyBody.name":                    "What the key is for: 1 to 200 characters.",
	"InitBody.player_name":               "The player's name: 1 to 80 characters.",
	"InitBody.user_session_id":           "The player's session id: 1 to 200 characters.",
	"InitBody.machine_id":                aboutBodyName,
	"MessageBody.machine_id":             aboutBodyName,
	"MessageBody.same_verdict":           "In a branch that was forked just before the same words: the character says it in other words, and what the message was judged to be before counts again. Anywhere else it is 409 with the code nothing-to-repeat. An addition of this server.",
	"ForkBody.machine_id":                aboutBodyName,
	"ForkBody.at":                        "After how many of the player's messages in the session; 0 is after the opening.",
	"ForkBody.latest":                    "Continue the named machine in the latest version of the persona. An addition of this server.",
	"ForkBody.name":                      "A label for the branch, at most 80 characters.",
	"ForkBody.user_session_id":           "The session to fork.",
	"Branch.user_session_id":             "The player session of this branch: under it the play goes on.",
	"Branch.label":                       "Its label; empty where it has none.",
	"Branch.parent":                      "The user_session_id of the branch that it was forked from; null for the first one, and where that was deleted.",
	"Branch.forked_at":                   "After how many of the player's messages it was forked; null for the first one.",
	"Branch.forked_machine_key":          "In the conversation with which machine it was forked; null for the first one.",
	"Branch.session_id":                  "The session of the branch that was played last.",
	"Branch.turn":                        "How many messages the player has sent in that session.",
	"Branch.redirect_count":              "How often the player was redirected in the state; null at an ending.",
	"Branches.branches":                  "The branches, in the order in which they were made.",
	"OwnedSession.version":               "Which save of the persona it plays: 1 is the first.",
	"OwnedSession.turn":                  "How many messages the player has sent.",
	"OwnedSession.is_branch":             "Whether it was forked from another one, so that its beginning is in both.",
	"NamesBody.machine_id":               aboutBodyName,
	"NamesBody.user_session_id":          aboutBodyName,
	"CompletedMachine.outcome":           "How it ended: ACCEPT, REJECT or KICK_OUT.",
	"ProgressReset.user_session_id":      "The player whose progress is gone.",
	"Migrated.user_session_id":           "The session id under which play goes on.",
}
