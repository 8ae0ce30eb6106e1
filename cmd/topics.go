package cmd

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/spf13/cobra"
)

var topics = []struct{ name, short, text string }{
	{"environment", "Environment variables", environmentText},
	{"exit-codes", "Exit codes", exitCodesText},
	{"formatting", "Tables, JSON and colour", formattingText},
	{"persona-file", "The persona file", personaFileText},
	{"pipelines", "Checks in a pipeline: pre-commit, GitHub, GitLab, shell", pipelinesText},
}

func newTopics() []*cobra.Command {
	commands := make([]*cobra.Command, 0, len(topics))
	for _, t := range topics {
		text := strings.Replace(t.text, providersMark, providersText(), 1)
		commands = append(commands, &cobra.Command{Use: t.name, Short: t.short, Long: text})
	}
	return commands
}

const providersMark = "{providers}"

func providersText() string {
	var lines []string
	for _, p := range provider.Providers {
		line := fmt.Sprintf("  %-12s %s", p.Name, strings.Join(p.KeyVariables, ", "))
		if len(p.AddressVariables) > 0 {
			line += "; address " + strings.Join(p.AddressVariables, ", ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

const environmentText = `Environment variables

  PARLEY_SERVER          address of the service
  PARLEY_TOKEN           bearer token; overrides every sign-in. Neither it nor a key
                         is sent to a server that only a project's file names, even
                         on this machine
  PARLEY_PROFILE         the profile that is used (parley profile list)
  PARLEY_ISSUER          OpenID provider to sign in with
  PARLEY_CLIENT_ID       Parley's client ID at that provider
  PARLEY_AUDIENCE        audience of that provider's tokens, or none
  PARLEY_RESOURCE        the audience as a URI (RFC 8707), or none
  PARLEY_API_KEY         API key for Game SDK calls of ` + "`parley api`" + `
  PARLEY_INSECURE_HTTP   1: allow tokens over plain http to other machines, where others can read them
  BROWSER                browser of parley auth login; %s is the address
  PARLEY_PLAYER_NAME     how characters call you
  PARLEY_PLAYER_GENDER   female, male or non-binary
  PARLEY_LLM_MODEL       the model that writes for persona new and polish
  PARLEY_LLM_EVAL_METHOD how a model judges: auto, decisions, letter or json
  PARLEY_LLM_TIMEOUT     how long a model may take to judge, and then to reply, such as 90s
  PARLEY_CHAT_THEME      the chat's colours: auto, dark, light, high-contrast, none or one of your own
  PARLEY_CHAT_PANEL      the chat's side panel: on or off
  PARLEY_CHAT_MOUSE      on or off: mouse support of the chat
  PARLEY_CHAT_KEYS_PRESET  the chat's keys: usual or vim
  PARLEY_TIMEOUT         how long one attempt of a call may take, such as 30s
  PARLEY_CONFIG_DIR      folder of config.yaml
  PARLEY_DATA_DIR        folder of the local server's database
  PARLEY_DATABASE        the local server's database, sqlite:PATH or postgres://USER@HOST/NAME
  PGPASSWORD             its password; PGPASSFILE, PGSERVICE and PostgreSQL's other
                         variables work too
  PARLEY_STATE_DIR       folder of remembered sessions, sign-ins and locks of files in use
  CI                     true: do not ask about a parley.lock of another machine
  GITHUB_STEP_SUMMARY    file to which --format github adds its summary
  PARLEY_PAGER, PAGER    pager for long lists on a terminal; less by default, cat or
                         an empty value for none
  VISUAL, EDITOR         the editor that Ctrl+O opens in the chat
  NO_COLOR               any value that is not empty: no colour
  CLICOLOR               0: no colour, unless CLICOLOR_FORCE is set
  CLICOLOR_FORCE         colour even without a terminal
  TERM                   dumb: no colour, no screen; linux: ASCII
  LC_ALL, LC_CTYPE, LANG the first that is set: without UTF-8 the chat shows ASCII,
                         and ? for other letters

Flags override the environment, which overrides .parley.yaml (in this directory or
above), config.yaml and the default, in this order. A profile's values count just
below the place that chose it, or just above config.yaml if that chose it.
` + "`parley config list`" + ` shows every setting and its origin. Both files may set server,
profile, player_name, player_gender, chat_theme, timeout, llm_model, llm_eval_method
and llm_timeout; config.yaml also issuer, client_id, audience, resource, profiles
and chat with mouse and keys (docs/chat.md); .parley.yaml also lint.ignore
(docs/lint.md). A file with a secret is refused.

Keys and addresses of model providers, for --llm PROVIDER/MODEL. The first variable
that is set counts:

{providers}

PARLEY_LLM_API_KEY is the key for the provider of --llm's model and overrides the
provider's own variable. PARLEY_LLM_EVAL_API_KEY, PARLEY_LLM_RESPONSE_API_KEY and
PARLEY_LLM_SUMMARIZATION_API_KEY are the only keys for the addresses of
--llm-eval-base-url and the like. Servers on this machine need no key. ` + "`parley api`" + `
sends PARLEY_LLM_API_KEY with calls of the Game SDK that need one.`

const exitCodesText = `Exit codes

  0    done
  1    the answer is no: findings in a file, a difference, refused by the service, or
       a piped chat for a line of which no model had an answer
  2    wrong command line or settings
  3    could not be done: a file, the network, the server's own failure
  4    sign in first
  8    rate-limited, also after the retries
  130  interrupted

With several personas the code is 1 if some failed, and the reason's own code if all
failed for one reason. ` + "`parley localserver exec`" + ` exits with the code of its command,
126 if that cannot be run and 127 if it is not found. If the reader of stdout is
gone, a command ends silently as by SIGPIPE (141 in a shell).`

const formattingText = `Tables, JSON and colour

stdout is data, stderr is messages; --quiet prints only errors there. On a terminal,
lists are tables with a header that fit its width, and long ones go through a pager
(PARLEY_PAGER, PAGER, else less). In a pipe they are one line a row without a
header, uncut, columns separated by tabs; tabs and line ends in values are written
as \t, \n and \r.

--json prints the whole answer as JSON; --json id,name (or --json=id,name) only
these members. An unknown member is an error that lists them all. A word after
--json is its list if it consists of members of the command; if it is also a file,
the command stops and shows both spellings. docs/schemas has a JSON Schema of each
answer, also of --format json. Members may be added but are never removed.

--jq EXPRESSION filters that JSON with jq syntax and prints strings raw and other
values as JSON, one a line; jq need not be installed. --template TEXT formats it
with a Go template, with these additional functions:

  join SEP LIST, pluck MEMBER LIST, json VALUE
  truncate WIDTH TEXT, color NAME TEXT
  timeago TIME, timefmt LAYOUT TIME
  tablerow VALUE...      a row of a table; the table is printed at the end,
  tablerender            or here

Mistakes in either are reported before the command runs. If one does not fit the
answer, the command has already done its work and the exit code is 2.

  parley persona list --jq '.[] | select(.is_public) | .id'
  parley persona list --template '{{range .}}{{tablerow .name (timeago .created_at)}}{{end}}'

Control characters in text from a service are made visible and never sent to the
terminal.

Colour is used on terminals only. NO_COLOR, CLICOLOR=0, TERM=dumb and --no-color
disable it; CLICOLOR_FORCE=1 enables it elsewhere.

Times are local on a terminal, and UTC in JSON and in a pipe.`

const personaFileText = `The persona file

A persona file is YAML or JSON with a name, a description, an identity prompt, and
one or more state machines. ` + "`parley persona schema`" + ` prints its JSON Schema. Begin a
YAML file with

  # yaml-language-server: $schema=https://parley-npc.github.io/schema/persona.schema.json

and editors complete and check it. A machine has states (one initial, at least one
terminal) and transitions between them. Each message is judged:

  pass       the score changes by score_delta and the state moves on
  redirect   the state stays; after max_redirects it becomes a reject
  reject     in scoring mode points are lost and the play moves on;
             in pass_fail mode the machine ends with REJECT
  kick_out   the machine ends with KICK_OUT at once
  follow_up  the character wants to hear more; nothing moves
  aside      small talk, or words not understood; nothing moves or counts

A machine ends at a terminal state, with ACCEPT if the score has reached
pass_threshold (default 3), else REJECT. A score at or below early_fail_bound
(default -3) ends it with REJECT at once. machine_links unlock one machine through
the ending of another.

offline: has examples of what players say and lines of the character, for play
without a model. There, a message that ends in [[pass]], [[redirect]], [[reject]],
[[kick_out]], [[follow_up]], [[aside]] or [[N]] forces that verdict, for the
persona's owner everywhere, and for players on a temporary server or as localserver
--director allows.

docs/persona-file.md has all members, defaults and rules.`

const pipelinesText = `Checks in a pipeline

These checks need no network, key or server, and give the same result everywhere.

  parley persona lint                     what is wrong in the files of this folder
  parley persona lint --fail-on warning   stricter: warnings fail, too
  parley persona fmt --check personas/     whether files are in their canonical form
  parley persona test plays/              the play-throughs, with coverage
  parley persona prove PATH               whether every ending can be reached

The exit code is 1 if the answer is no, 2 for a wrong command line, 3 if something
could not be read. --format github writes annotations and a summary; --output adds
reports: --output sarif=lint.sarif, --output junit=report.xml.

pre-commit: the hooks parley-lint, parley-fmt and parley-test of the repository.
GitHub: the action parley-npc/parley. docs/ci.md has both, with GitLab and a shell.`
