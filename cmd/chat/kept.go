package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
)

const maxKeptChats = 200 // persona files

// isKept is false for pipes with repeatable output, and for trials of a locked machine.
func (o *chatOptions) isKept() bool { return !o.noSave && !o.startsLocked && (o.save || o.TTY.In) }

func (o *chatOptions) checkSave(file bool) error {
	switch {
	case o.save && o.noSave:
		return cli.UsageError("--save and --no-save are mutually exclusive")
	case !o.local && !file && (o.save || o.noSave):
		return cli.UsageError("--save and --no-save need a local chat: add --local or give a persona file; " +
			"a service always keeps its chats")
	}
	return nil
}

func (o *chatOptions) startLocalServer(ctx context.Context) (*service.OwnServer, error) {
	options := localserver.Options{LLM: o.llm.Options(o.Access)}
	options.LLM.Prepares = true
	if !o.isKept() {
		return o.StartThrowAway(ctx, options)
	}
	dir, err := o.prepareKeptDir()
	switch {
	case err != nil && o.save:
		return nil, cli.WrapTrouble(err, "")
	case err != nil: // the chat works without a directory
		o.Say("this chat is not saved: %v", err)
		return o.StartThrowAway(ctx, options)
	}
	t, err := o.StartKept(ctx, options, dir)
	switch {
	case errors.Is(err, datafolder.ErrBusy):
		err = fmt.Errorf("another chat with %s is open", cmp.Or(o.personaFile(), "the samples"))
		return nil, cli.WrapTrouble(err, "leave that chat first, or open a second chat with --no-save, which is not saved")
	case err != nil:
		err = service.ExplainStart("open the saved chat in "+dir, err)
		if f, ok := errors.AsType[*cli.Failure](err); ok && f.Hint == "" {
			f.Hint = "move that directory away, or play without it: --no-save"
		}
		return nil, err
	}
	o.keptIn = dir
	return t, nil
}

func (o *chatOptions) prepareKeptDir() (string, error) {
	data, err := o.Dirs().Data()
	if err != nil {
		return "", err
	}
	chats, name := filepath.Join(data, "chats"), "samples"
	if file := o.personaFile(); file != "" {
		if name, err = keptName(file); err != nil {
			return "", err
		}
	}
	dir := filepath.Join(chats, name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		dropOldest(chats)
	}
	if err := service.CheckWritable(dir); err != nil {
		return "", err
	}
	return dir, nil
}

func keptName(file string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	digest := sha256.Sum256([]byte(path))
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return record.FileSlug(stem) + "-" + hex.EncodeToString(digest[:6]), nil
}

// dropOldest ignores errors, because too many chats are harmless.
func dropOldest(chats string) {
	entries, err := os.ReadDir(chats)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && datafolder.IsUsed(filepath.Join(chats, e.Name())) {
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept[:max(len(kept)-maxKeptChats+1, 0)] {
		_ = datafolder.Remove(filepath.Join(chats, info.Name()))
	}
}

func (o *chatOptions) keepingWords() string {
	kept := "Kept in " + terminal.Clean(shortenHome(o.keptIn))
	if o.partGone {
		return "The part you were in was removed from the file, so the story starts again; " +
			"/sessions lists the earlier chat. " + kept + "."
	}
	return kept + "; /new starts a new chat."
}

func shortenHome(path string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return filepath.Join("~", rest)
	}
	return path
}
