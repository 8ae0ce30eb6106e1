// Package chat implements `parley chat`. It connects package tui to a service, to remembered
// sessions, and to the editor, clipboard and files of the player. The chat saves personas only on
// its own local server.
package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/lines"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// chatOptions are the arguments and flags. They do not change after parsing.
type chatOptions struct {
	*service.Access
	player  service.PlayerFlags
	named   string // a persona, a session, a file, or ""
	machine string
	local   bool
	watch   bool
	plain   bool

	newSession   bool
	save, noSave bool
	light        bool
	theme        string
	noMotion     bool
	noMouse      bool
	debug        bool
	llm          service.LLMFlags
	given        []givenFlag
	modelGiven   bool
}

const chatLong = `Talk to a character, full screen or with --plain line by line.

PERSONA is an id, a play link, or the beginning of a name on the service. Without it
you choose from a list. SESSION is a session in ` + "`parley session list`" + `: its label, or
the beginning of its id. A FILE is played on a local server, as are the sample personas
with --local. Both work without a network and without a key. A local chat is stored in
the data directory, and the next one continues it. --new starts again, and --no-save
stores nothing. A chat with piped input always starts again, and is stored only with
--save.

If you have edited the FILE, the chat continues in the new version; with --watch after
each save. Your messages are judged again by the built-in model; verdicts of another
model are reused. If a message now has another effect, the chat shows the first such
message, and F9 or /update continues before it. --machine starts in any machine of a
FILE, even a locked one; such a chat is not stored.

Line mode (--plain) reads one message per line. It prints the reply, then a line with
the state, the score and the ending. It is the default without a terminal. On a terminal
it prints sentences instead, for screen readers. /help lists the commands; on the screen
F1 also lists the keys.

F2 shows a persona's author how each message was judged, and --debug prints it after
each reply. F5 lets the author choose the verdict of the offline model.

A local chat uses the built-in offline model. --llm PROVIDER/MODEL uses another one,
with the key in the provider's usual environment variable (see
` + "`parley help environment`" + `).`

const chatExample = `  parley chat --local
  parley chat Biscuit
  parley chat 'the polite one'
  parley chat my-cat.yaml
  parley chat my-cat.yaml --watch
  parley chat my-cat.yaml --llm ollama/llama3.2
  printf 'hello\n' | parley chat --local --plain`

func NewCmd(access *service.Access) *cobra.Command {
	o := &chatOptions{Access: access}
	c := &cobra.Command{
		Use:     "chat [PERSONA | SESSION | FILE | PLAY_LINK]",
		Short:   "Talk to a character",
		Long:    chatLong,
		Example: chatExample,
		Args:    cli.OptionalArg,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.named = args[0]
			}
			o.modelGiven = o.llm.IsGiven(c)
			o.given = listGivenFlags(c)
			return runChat(c.Context(), o)
		},
	}
	o.player.AddPlayerFlags(c)
	c.Flags().StringVar(&o.machine, "machine", "", "begin with this `MACHINE`, by key or id")
	c.Flags().BoolVar(&o.local, "local", false, "play the sample personas on a local server")
	c.Flags().BoolVar(&o.watch, "watch", false, "with a FILE: continue in the new version after each save")
	c.Flags().BoolVar(&o.plain, "plain", false, "print plain lines of text, for pipes and screen readers")
	c.Flags().BoolVar(&o.newSession, "new", false, "begin a new session")
	c.Flags().BoolVar(&o.noSave, "no-save", false, "with --local or a FILE: do not store the chat")
	c.Flags().BoolVar(&o.save, "save", false, "with --local or a FILE: store the chat even if the input is piped")
	o.llm.AddFlags(c)
	o.llm.AddSeedFlag(c)
	c.Flags().BoolVar(&o.light, "light", false, "use colours for a light background")
	c.Flags().StringVar(&o.theme, "theme", "", "colours, `THEME`: "+strings.Join(builtInThemes(), ", ")+
		", or your own theme (default: the setting chat_theme)")
	c.Flags().BoolVar(&o.noMotion, "no-motion", false, "disable animation")
	c.Flags().BoolVar(&o.noMouse, "no-mouse", false, "let the terminal handle the mouse (default: the setting chat.mouse)")
	c.Flags().BoolVar(&o.debug, "debug", false, "explain each reply to the persona's author")
	_ = c.RegisterFlagCompletionFunc("theme", CompleteTheme(access))
	return c
}

func runChat(ctx context.Context, o *chatOptions) error {
	p, err := o.openPlace(ctx)
	if err != nil {
		return err
	}
	defer p.leave()
	if p.own != nil {
		var over func()
		ctx, over = withServer(ctx, p.own.Server)
		defer over()
	}
	current, err := o.Settings()
	if err != nil {
		return err
	}
	themes := readThemes(o.Access)
	theme, err := o.chooseTheme(current, themes)
	if err != nil {
		return err
	}
	timeout, err := p.llm.TurnTimeout(current)
	if err != nil {
		return err
	}
	chat := o.screenOptions(p, current, timeout)
	if o.isLineMode() {
		err = o.playLines(ctx, chat, p.file)
	} else {
		err = o.playScreen(ctx, chat, p.file, current, theme, themes)
	}
	if p.own != nil && p.own.Server.Err() != nil {
		err = p.own.Server.Err()
	}
	return withExitCode(service.AddMachineName(o.machine, err))
}

type temporaryServer interface {
	Done() <-chan struct{}
	Err() error
}

// withServer ends the chat with the server, because a chat must restore the terminal.
func withServer(ctx context.Context, server temporaryServer) (_ context.Context, release func()) {
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-server.Done():
			end(server.Err())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { end(nil) }
}

func withExitCode(err error) error {
	unsent, isUnsent := errors.AsType[*lines.UnsentError](err)
	refusal, isRefused := errors.AsType[*wire.Error](err)
	if isUnsent && isRefused {
		switch refusal.Code {
		case wire.CodeModelFailed, wire.CodeModelTimeout:
			return &cli.Failure{Code: cli.ExitNo, Err: unsent}
		}
	}
	for _, refusal := range []error{lines.ErrNoPersona, conversation.ErrGender, conversation.ErrPlayerName,
		views.ErrTheme} {
		if errors.Is(err, refusal) {
			return cli.UsageError("%w", err)
		}
	}
	return err
}

func (o *chatOptions) isLineMode() bool {
	return o.plain || !o.TTY.In || !o.TTY.Out || o.Env("TERM") == "dumb"
}

// place is the service or the local server of a chat. Call leave at the end of the chat.
type place struct {
	service  *service.Service
	own      *service.OwnServer       // the chat's own server, or nil
	llm      service.LLMFlags         // resolved for an own server
	persona  string                   // at the start of the chat, or "" if the player chooses one
	file     string                   // the persona file, or ""
	keptIn   string                   // directory of the own server's data, or ""
	partGone bool                     // the player's machine was removed from the file
	edits    <-chan conversation.Edit // saves of the file, or nil
	leave    func()
}

func (o *chatOptions) openPlace(ctx context.Context) (*place, error) {
	isFile := o.named != "" && personafiles.IsFile(o.named)
	if err := o.checkPlace(isFile); err != nil {
		return nil, err
	}
	switch {
	case isFile:
		return o.openFile(ctx, o.named)
	case o.local:
		return o.openSamples(ctx)
	}
	return o.openService(ctx)
}

func (o *chatOptions) checkPlace(isFile bool) error {
	isLocal := o.local || isFile
	var err error
	switch {
	case o.named == "-":
		return cli.UsageError("chat reads your messages from stdin, so the persona cannot be -: name a persona file")
	case !isLocal && o.modelGiven:
		return cli.UsageError("--llm and the other model flags need a local chat: add --local or name a persona file")
	case o.save && o.noSave:
		err = cli.UsageError("--save and --no-save are mutually exclusive")
	case !isLocal && (o.save || o.noSave):
		err = cli.UsageError("--save and --no-save need a local chat: add --local or give a persona file; " +
			"a service always keeps its chats")
	}
	if o.watch && !isFile {
		err = errors.Join(err, cli.UsageError("--watch needs a persona file: parley chat FILE --watch"))
	}
	return err
}

func (o *chatOptions) openService(ctx context.Context) (*place, error) {
	p := &place{llm: o.llm, leave: func() {}}
	var err error
	switch {
	case o.named == "":
		p.service, err = o.Connect()
	case o.newSession:
		p.service, p.persona, err = o.ConnectNearPersona(ctx, o.named)
	default:
		var known settings.Session
		p.service, p.persona, known, err = service.ConnectNamed(ctx, o.Access, o.named)
		if err == nil && known.UserSessionID != "" {
			err = p.service.Sessions.Remember(p.service.Address, known)
		}
	}
	return p, err
}

func (o *chatOptions) openSamples(ctx context.Context) (*place, error) {
	samples, err := service.ReadSamples()
	if err != nil {
		return nil, err
	}
	p, err := o.startLocal(ctx, "", false)
	if err != nil {
		return nil, err
	}
	first, err := p.own.SavePersonas(ctx, samples)
	switch {
	case err != nil:
	case o.named != "":
		p.persona, err = o.findSample(ctx, p.own, samples)
	case o.isLineMode() && !o.TTY.In:
		p.persona = first
	}
	if err != nil {
		p.leave()
		return nil, err
	}
	return p, nil
}

func (o *chatOptions) findSample(ctx context.Context, own *service.OwnServer,
	samples []personafiles.Document) (string, error) {
	var names []string
	for _, sample := range samples {
		if plaintext.SameName(sample.Name, o.named) {
			return own.FindPersona(ctx, sample.Doc.Name)
		}
		names = append(names, sample.Doc.Name)
	}
	id, err := own.FindNearPersona(ctx, o.named)
	if f, ok := errors.AsType[*cli.Failure](err); ok && f.Hint == service.HintListPersonas {
		return "", &cli.Failure{Code: f.Code, Err: f.Err, Hint: "the samples are " + strings.Join(names, ", ")}
	}
	return id, err
}

func (o *chatOptions) openFile(ctx context.Context, file string) (*place, error) {
	stateBefore := cli.FileState(file) // a state from after the read would hide an edit
	doc, err := personafiles.ReadPlayablePersona(o.Streams, file)
	if err != nil {
		return nil, err
	}
	wasLocked, err := o.openAskedMachine(&doc)
	if err != nil {
		return nil, err
	}
	p, err := o.startLocal(ctx, file, wasLocked)
	if err != nil {
		return nil, err
	}
	p.persona, err = p.own.SavePersonas(ctx, []personafiles.Document{{Name: file, Doc: doc}})
	if err == nil {
		err = o.followFile(ctx, p, &doc, wasLocked, stateBefore)
	}
	if err != nil {
		p.leave()
		return nil, err
	}
	return p, nil
}

// startLocal starts the server of a chat with a file, or with the samples if file is "".
func (o *chatOptions) startLocal(ctx context.Context, file string, wasLocked bool) (*place, error) {
	p := &place{file: file, llm: o.llm}
	if err := p.llm.Resolve(ctx, o.Access); err != nil {
		return nil, err
	}
	if err := o.startServer(ctx, p, wasLocked); err != nil {
		return nil, err
	}
	if note := p.own.Server.Recording().Note; note != "" {
		o.Say("%s", terminal.Clean(note))
	}
	p.service, p.leave = p.own.Service, p.own.Stop
	return p, nil
}

func (o *chatOptions) screenOptions(p *place, current *settings.Settings,
	timeout time.Duration) conversation.Options {
	s := p.service
	chat := conversation.Options{
		Service: chatService{s, s.Client}, Memory: screenMemory{s, o.Now},
		Persona: p.persona, Machine: o.machine, NewSession: o.newSession || p.partGone,
		PlayerName: o.player.Name, PlayerGender: o.player.Gender,
		NewID: o.NewID, Now: o.Now, Debug: o.debug, TurnTimeout: timeout, Edits: p.edits,
		Describe: func(err error) string { return describeError(o.Access, err) }, Lost: isLost, Unsent: isUnsent,
		Author: p.file != "", Directed: p.own != nil && p.llm.IsBuiltIn(),
	}
	chat.Fleeting, chat.Leave = s.ThrowAway, func(f conversation.Farewell) { o.sayFarewell(p, f) }
	if p.keptIn != "" {
		chat.Keeping = p.keepingWords()
	}
	o.setPlayer(&chat, current)
	chat.Endings, chat.KeepPlayer = o.endingMemory(p), func(name, gender string) error {
		return service.KeepPlayer(o.Environment, name, gender)
	}
	if !o.isLineMode() || o.TTY.In { // a user sees each failure and can retry
		chat.Service = newNoRetryService(s)
	}
	return chat
}

func (o *chatOptions) setPlayer(chat *conversation.Options, current *settings.Settings) {
	if chat.PlayerName == "" {
		chat.PlayerName = current.Get(settings.PlayerName).Value
	}
	if chat.PlayerGender == "" {
		chat.PlayerGender = current.Get(settings.PlayerGender).Value
	}
	alone := o.isLineMode() && !o.TTY.In
	if alone {
		chat.UsualName = o.PlayerName(current)
	} else if name := o.PlayerName(current); name != service.UsualPlayer {
		chat.SuggestedName = name
	}
	if alone || o.player.Name != "" { // with a name from a flag, nothing else is asked
		chat.UsualGender = service.DefaultGender
	}
}

func (o *chatOptions) playLines(ctx context.Context, chat conversation.Options, file string) error {
	out, talk := io.Writer(o.Out), o.Err
	if o.TTY.Out {
		out = o.Repertoire().LimitWriter(out)
	}
	if o.TTY.Err {
		talk = o.Repertoire().LimitWriter(talk)
	}
	var columns func() int
	if o.TTY.In && o.TTY.Out {
		columns = o.Width
	}
	return lines.Play(ctx, lines.Options{
		Options: chat, In: o.In, Out: out, Err: talk, Interactive: o.TTY.In, Hints: !o.Quiet,
		Files: newPlayerFiles(o.Access, file), Columns: columns,
	})
}

func (o *chatOptions) playScreen(ctx context.Context, chat conversation.Options, file string,
	current *settings.Settings, theme views.Theme, themes []views.OwnTheme) error {
	keys, err := chooseKeys(current)
	if err != nil {
		return err
	}
	o.FullScreen = true
	return tui.Run(ctx, tui.Options{
		Options: chat, In: o.TTY.Stdin, Out: o.TTY.Stdout,
		Theme: theme, Themes: themes, Light: o.light, NoColor: !o.UsesColorOn(o.TTY.Out), NoMotion: o.noMotion,
		Repertoire: o.Repertoire(), Pictures: o.findPictures(),
		PanelHidden: current.Get(settings.ChatPanel).Value == "off", KeepPanel: o.keepPanel,
		Keys: keys, Mouse: !o.noMouse && current.Get(settings.ChatMouse).Value != "off",
		Suspends: program.HasShell(), Multiplexed: o.Env("TMUX") != "" || strings.HasPrefix(o.Env("TERM"), "tmux"),
		Files: newPlayerFiles(o.Access, file), Copy: copyToClipboard, CopyTmux: newTmuxCopy(o.Env),
		Edit: func(text string) (string, error) { return editText(o.Streams, text) },
	})
}

func (o *chatOptions) keepPanel(shown bool) error {
	path, err := o.Dirs().UserFile()
	if err != nil {
		return err
	}
	value := "off"
	if shown {
		value = "on"
	}
	return settings.Edit(path, o.LockMarks(), func(src []byte) ([]byte, error) {
		return settings.Put(src, value, settings.ChatPanel.Members()...)
	})
}

func (o *chatOptions) findPictures() views.PictureTerminal {
	if !o.ShowsUnicode() {
		return views.PictureTerminal{}
	}
	return views.PictureTerminal{Way: views.FindPictureWay(o.Env), CellSize: func() (int, int) {
		return program.MeasureCell(o.TTY.Stdout)
	}}
}

func describeError(access *service.Access, err error) string {
	f := access.Explain(context.Background(), err)
	text := f.Err.Error()
	if f.Hint != "" {
		text += " (" + f.Hint + ")"
	}
	return text
}

func chooseKeys(s *settings.Settings) (views.KeyMap, error) {
	own, table := s.ChatKeys(), map[string]string{}
	for action, set := range own {
		table[action] = set.Value
	}
	preset := s.Get(settings.ChatPreset)
	own["preset"] = preset
	keys, faults := views.MakeKeyMap(preset.Value, table)
	var refused []error
	for _, f := range faults {
		set := own[f.Action]
		refused = append(refused, fmt.Errorf("%s: %s %q: %w", set.Origin, settings.ChatActionKey(f.Action), set.Value, f.Err))
	}
	if len(refused) > 0 {
		return keys, cli.UsageError("%w", errors.Join(refused...))
	}
	return keys, nil
}
