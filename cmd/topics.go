package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/localserver"
)

// topics are help texts that belong to no command.
var topics = []struct{ name, short, text string }{
	{"environment", "Environment variables", environmentText},
	{"exit-codes", "Exit codes", exitCodesText},
	{"formatting", "Tables, JSON and colour", formattingText},
	{"persona-file", "What a persona file says", personaFileText},
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

// providersMark is where a topic lists the providers' variables.
const providersMark = "{providers}"

// providersText lists the environment variables of model providers, a line for each.
func providersText() string {
	var lines []string
	for _, p := range localserver.Providers() {
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
  PARLEY_TOKEN           bearer token; wins over every other sign-in. Neither it nor a key
                         goes to a server that only a project's file names, also on
                         this machine
  PARLEY_PROFILE         the profile that is used (parley profile list)
  PARLEY_ISSUER          OpenID provider to sign in with
  PARLEY_CLIENT_ID       what that provider calls Parley
  PARLEY_AUDIENCE        what tokens of that provider are to be for, or none
  PARLEY_RESOURCE        the same as a URI (RFC 8707), or none
  PARLEY_API_KEY         API key with which ` + "`parley api`" + ` calls the Game SDK's paths
  PARLEY_INSECURE_HTTP   1: tokens go to other machines by http too, where others can read them
  BROWSER                the browser that parley auth login opens, %s in it is the address
  PARLEY_PLAYER_NAME     how characters call you
  PARLEY_PLAYER_GENDER   female, male or non-binary
  PARLEY_LLM_MODEL       the model that writes for persona new and polish
  PARLEY_CHAT_THEME      the chat's colours: auto, dark, light, high-contrast, none or one of your own
  PARLEY_CHAT_PANEL      the chat's side panel: on or off
  PARLEY_CHAT_MOUSE      on or off: whether the chat takes the mouse
  PARLEY_CHAT_KEYS_PRESET  the chat's keys: usual or vim
  PARLEY_TIMEOUT         how long one attempt of a call may take, such as 30s
  PARLEY_CONFIG_DIR      folder of config.yaml
  PARLEY_DATA_DIR        folder of the local server's database
  PARLEY_DATABASE        the local server's database, sqlite:PATH or postgres://USER@HOST/NAME
  PGPASSWORD             its password, where the address has none; PGPASSFILE, PGSERVICE and
                         the others of PostgreSQL count too
  PARLEY_STATE_DIR       folder of the memory of chat sessions, of sign-ins, and of marks of files in use
  CI                     true: what asks about a parley.lock of another machine goes on
  GITHUB_STEP_SUMMARY    file to which --format github adds its summary
  PARLEY_PAGER, PAGER    what long lists are shown in on a terminal; less without them,
                         cat or nothing for none
  VISUAL, EDITOR         the editor that Ctrl+O opens in the chat
  NO_COLOR               no colour, whatever its value; an empty one counts as none
  CLICOLOR               0: no colour, unless CLICOLOR_FORCE asks for it
  CLICOLOR_FORCE         colour also where there is no terminal
  TERM                   dumb: no colour, no screen; linux: ASCII instead of signs
  LC_ALL, LC_CTYPE, LANG of the first that is set: without UTF-8 in it the chat shows ASCII,
                         and ? for letters that have none

A flag wins over the environment, the environment over .parley.yaml (looked for in
this folder and all above it), that over config.yaml, and that over the default. The
values of a profile count right below those of the place that chose it, in config.yaml
right above. ` + "`parley config list`" + ` shows every setting and where it came from.
The settings of both files are server, profile, player_name, player_gender, chat_theme,
timeout, llm_model and llm_eval_method; of config.yaml also issuer, client_id, audience, resource and
profiles, and chat with mouse and keys (docs/chat.md), of .parley.yaml also lint.ignore (docs/lint.md). A secret is never read from
them: a file with one is refused.

Keys and addresses of model providers, for --llm PROVIDER/MODEL of every command that
has it; of several variables the first that is set counts:

{providers}

PARLEY_LLM_API_KEY is the key for the provider of the model that --llm names, before the
provider's own variable. PARLEY_LLM_EVAL_API_KEY, PARLEY_LLM_RESPONSE_API_KEY and
PARLEY_LLM_SUMMARIZATION_API_KEY are those for the addresses of --llm-eval-base-url and
its kind, which get no other key. Servers of this machine need no key. ` + "`parley api`" + ` sends it with
the calls of the Game SDK that take such a key.`

const exitCodesText = `Exit codes

  0    done
  1    the answer is no: findings in a file, a difference, or refused by the service
  2    wrong command line or settings
  3    could not be done: a file, the network, the server's own failure
  4    sign in first
  8    rate-limited, also after the retries
  130  interrupted

Of many personas at once it is 1 when some were not done, and the reason's own code
when all failed for one reason. ` + "`parley localserver exec`" + ` ends with the code of its
command, 126 when that cannot be run and 127 when it is not found. Where the reader of
stdout has gone, a command ends as SIGPIPE ends it: 141 in a shell, without a word.`

const formattingText = `Tables, JSON and colour

stdout is data, stderr is talk, which --quiet silences but for errors. On a terminal
lists are tables with a head that fit its width, and long ones go through a pager
(PARLEY_PAGER, PAGER, else less); in a pipe they are one line a row, columns separated
by tabs, without a head, whole, with tabs and line ends in a value as \t, \n and \r.

--json prints the whole answer as JSON. --json id,name (or --json=id,name) prints only
these members; a name that is no member is an error that lists them. The word behind
--json is its list where it consists of members of this command; where it could also
be an argument, nothing is done, and both spellings are named. docs/schemas has a JSON
Schema of each command's answer, of --format json too; members may be added to it, and
none goes.

--jq EXPRESSION prints what jq makes of that JSON, strings as they are and other values
as JSON, one a line: no jq needs to be installed. --template TEXT prints what a Go
template makes of it, with these functions beside Go's own:

  join SEP LIST, pluck MEMBER LIST, json VALUE
  truncate WIDTH TEXT, color NAME TEXT
  timeago TIME, timefmt LAYOUT TIME
  tablerow VALUE...      a row of a table; the table is printed at the end,
  tablerender            or here

A mistake in either is found before anything is done, but one that shows only with the
answer is not: then the command has done its work, and the exit code is 2.

  parley persona list --jq '.[] | select(.is_public) | .id'
  parley persona list --template '{{range .}}{{tablerow .name (timeago .created_at)}}{{end}}'

Text that comes from a service is shown without its control characters: an escape
code in a name or a reply is made visible and never obeyed by the terminal.

Colour is used on terminals only. NO_COLOR, CLICOLOR=0, TERM=dumb and --no-color end
it, CLICOLOR_FORCE=1 asks for it elsewhere.

Times are local on a terminal, and UTC in JSON and where stdout is no terminal.`

const personaFileText = `What a persona file says

A persona file is YAML or JSON: a name, a description, an identity prompt, and one
or more state machines. ` + "`parley persona schema`" + ` prints its JSON Schema; begin a
YAML file with

  # yaml-language-server: $schema=https://parley-npc.github.io/schema/persona.schema.json

and an editor completes and checks it. A machine has states (one initial, at least
one terminal) and transitions between them. Each message of a player is judged:

  pass       the score changes by score_delta and the state moves on
  redirect   the state stays; after max_redirects it becomes a reject
  reject     in scoring mode points are lost and the play moves on;
             in pass_fail mode the machine ends with REJECT
  kick_out   the machine ends with KICK_OUT at once
  follow_up  the character wants to hear more; nothing moves
  aside      small talk, or words not understood; nothing moves or counts

A machine ends at a terminal state: with ACCEPT if the score has reached
pass_threshold (3 unless set), else with REJECT. A score at or below
early_fail_bound (-3 unless set) ends it with REJECT at once. machine_links unlock
one machine through the ending of another.

offline: holds examples of what players say and lines that the character answers,
for play without a model. In such play a message that ends in [[pass]],
[[redirect]], [[reject]], [[kick_out]], [[follow_up]], [[aside]] or
[[N]] forces that verdict, of the persona's owner everywhere, of players on a
throw-away server and elsewhere by localserver --director.

All members, defaults and rules: docs/persona-file.md.`

const pipelinesText = `Checks in a pipeline

No check needs a network, a key or a server, and the same files give the same answer.

  parley persona lint                     what is wrong in the files of this folder
  parley persona lint --fail-on warning   stricter: warnings fail, too
  parley persona fmt --check personas/     whether files are in their canonical form
  parley persona test plays/              the play-throughs, with coverage
  parley persona prove PATH               whether every ending can be reached

The exit code is 1 when the answer is no, 2 for a wrong command line, 3 when something
could not be read. --format github writes annotations and a summary, --output adds
reports: --output sarif=lint.sarif, --output junit=report.xml.

pre-commit: the hooks parley-lint, parley-fmt and parley-test of the repository.
GitHub: the action parley-npc/parley. docs/ci.md has both, with GitLab and a shell.`
