package settings

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/wire"
)

// A Key is the name of a setting in files. The variable of player_name is PARLEY_PLAYER_NAME.
type Key string

const (
	Server       Key = "server"
	ProfileName  Key = "profile"
	Issuer       Key = "issuer"
	ClientID     Key = "client_id"
	Audience     Key = "audience"
	Resource     Key = "resource"
	PlayerName   Key = "player_name"
	PlayerGender Key = "player_gender"
	Timeout      Key = "timeout"
	LLMModel     Key = "llm_model"
	// LLMEvalMethod is the method for asking a model for a judgement.
	LLMEvalMethod Key = "llm_eval_method"
	// LLMTimeout is the timeout of a model for each step of a turn.
	LLMTimeout Key = "llm_timeout"
	ChatTheme  Key = "chat_theme"
	ChatPanel  Key = "chat.panel"
	ChatMouse  Key = "chat.mouse"
	ChatPreset Key = "chat.keys.preset"
)

const chatKeys = "chat.keys."

// Variable returns the environment variable of a setting.
func (k Key) Variable() string {
	return "PARLEY_" + strings.ReplaceAll(strings.ToUpper(string(k)), ".", "_")
}

// ChatAction returns ACTION of the setting chat.keys.ACTION, or "".
func (k Key) ChatAction() string {
	if action, ok := strings.CutPrefix(string(k), chatKeys); ok && k != ChatPreset {
		return action
	}
	return ""
}

// ChatActionKey returns the setting for the keys of a chat action.
func ChatActionKey(action string) Key { return Key(chatKeys + action) }

// Members returns the path of a setting in a file.
func (k Key) Members() []string {
	if strings.HasPrefix(string(k), "chat.") {
		return strings.SplitN(string(k), ".", 3)
	}
	return []string{string(k)}
}

// A Definition describes a setting. A project's file must not contain a UserOnly setting.
type Definition struct {
	Key      Key
	Default  string
	Says     string
	Check    func(string) error
	UserOnly bool
	// Outside means that profiles cannot contain the setting.
	Outside bool
}

var definitions = []Definition{
	{Key: Server, Default: DefaultServer, Says: "address of the service", Check: checkAddress},
	{Key: ProfileName, Default: LocalProfile, Says: "the profile that is used", Check: checkProfileName, Outside: true},
	{Key: Issuer, Says: "OpenID provider to sign in with", Check: checkAddress, UserOnly: true},
	{Key: ClientID, Says: "Parley's client ID at that provider", Check: checkWord, UserOnly: true},
	{Key: Audience, Says: "audience of that provider's tokens, or none", Check: checkWord, UserOnly: true},
	{Key: Resource, Says: "the audience as a URI (RFC 8707), or none", Check: checkResource, UserOnly: true},
	{Key: PlayerName, Says: "how characters call you", Check: checkPlayerName},
	{Key: PlayerGender, Says: strings.Join(wire.Genders, ", "), Check: oneOf(wire.Genders...)},
	{Key: Timeout, Says: "time limit for one attempt of a request, such as 30s", Check: checkTimeout},
	{Key: LLMModel, Says: "the model that writes personas, PROVIDER/MODEL or auto", Check: checkModel},
	{Key: LLMEvalMethod, Default: "auto", Says: "how a model is asked for a judgement", Check: oneOf("auto", "decisions", "letter", "json")},
	{Key: LLMTimeout, Says: "how long a model may take to judge, to reply, or to write, such as 90s", Check: checkTimeout},
	{Key: ChatTheme, Default: "auto", Says: "the chat's colours", Check: oneOf("auto", "dark", "light", "high-contrast", "none")},
	{Key: ChatPanel, Default: "on", Says: "the chat's side panel, on or off", Check: oneOf("on", "off"), UserOnly: true, Outside: true},
	{Key: ChatMouse, Default: "on", Says: "mouse support of the chat, on or off", Check: oneOf("on", "off"), UserOnly: true, Outside: true},
	{Key: ChatPreset, Default: "usual", Says: "the chat's keys: usual or vim; chat.keys.ACTION sets the keys of one action", Check: oneOf("usual", "vim"), UserOnly: true, Outside: true},
}

// DefaultServer is the default address of `parley localserver`.
const DefaultServer = "http://127.0.0.1:8787"

// Definitions returns all settings in display order.
func Definitions() []Definition { return slices.Clone(definitions) }

// FindDefinition returns a setting by its name. The error suggests a similar name.
func FindDefinition(name string) (Definition, error) {
	for _, d := range definitions {
		if string(d.Key) == name {
			return d, nil
		}
	}
	if k := Key(name); k.ChatAction() != "" {
		says := "the keys of " + k.ChatAction() + " in the chat"
		return Definition{Key: k, Says: says, Check: checkText, UserOnly: true, Outside: true}, nil
	}
	if name == lintIgnore || name == lintSeverity {
		return Definition{}, fmt.Errorf("%s is a list or a group: write it into %s by hand (docs/lint.md)", name, ProjectFile)
	}
	return Definition{}, fmt.Errorf("unknown setting %q (%s)", name, suggestName(name, keyNames()))
}

func keyNames() []string {
	names := make([]string, 0, len(definitions))
	for _, d := range definitions {
		names = append(names, string(d.Key))
	}
	return names
}

func checkAddress(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !wire.IsPort(u) {
		return errors.New("must be an address such as https://play.example.com")
	}
	if u.User != nil {
		return errors.New("must be an address without a user name or password: " +
			"sign in with `parley auth login`, or set PARLEY_TOKEN")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return errors.New("must be an address without ? and #")
	}
	return nil
}

func checkText(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("must be keys such as ctrl+b or f7, or the word none")
	}
	return nil
}

func checkWord(text string) error {
	isInvalid := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	if text == "" || strings.ContainsFunc(text, isInvalid) {
		return errors.New("must be a single word")
	}
	return nil
}

// NoTarget is the value of audience or resource that omits the parameter from requests.
const NoTarget = "none"

// IsResource reports whether a text is an absolute URI without a fragment (RFC 8707 section 2).
func IsResource(text string) bool {
	u, err := url.Parse(text)
	if err != nil || !u.IsAbs() || u.User != nil || u.Host == "" && u.Opaque == "" {
		return false
	}
	return !strings.Contains(text, "#") && checkWord(text) == nil
}

func checkResource(text string) error {
	if text != NoTarget && !IsResource(text) {
		return errors.New("must be the word none or a URI, such as https://play.example.com or urn:example:play")
	}
	return nil
}

func checkPlayerName(text string) error {
	if strings.TrimSpace(text) == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return errors.New("must be a name")
	}
	if n := utf8.RuneCountInString(text); n > wire.MaxPlayerName {
		return fmt.Errorf("must have at most %d characters, but has %d", wire.MaxPlayerName, n)
	}
	return nil
}

func checkTimeout(text string) error {
	if d, err := time.ParseDuration(text); err != nil || d <= 0 {
		return errors.New("must be a time such as 30s")
	}
	return nil
}

func checkModel(text string) error {
	if text == "auto" {
		return nil
	}
	provider, model, ok := strings.Cut(text, "/")
	if !ok || checkWord(provider) != nil || checkWord(model) != nil {
		return errors.New("must be PROVIDER/MODEL, such as ollama/llama3.2, or auto for a model on this machine")
	}
	return nil
}

func oneOf(words ...string) func(string) error {
	return func(text string) error {
		if !slices.Contains(words, text) {
			return errors.New("must be " + strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1])
		}
		return nil
	}
}
