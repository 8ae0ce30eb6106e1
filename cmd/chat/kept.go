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

// startServer sets the server of p and, if it stores the chat, the directory. A pipe with repeatable
// output and a trial of a locked machine are not stored.
func (o *chatOptions) startServer(ctx context.Context, p *place, wasLocked bool) (err error) {
	options := localserver.Options{LLM: p.llm.Options(o.Access)}
	options.LLM.Prepares = true
	if !o.noSave && !wasLocked && (o.save || o.TTY.In) {
		p.keptIn, err = o.prepareKeptDir(p.file)
		switch {
		case err != nil && o.save:
			return cli.WrapTrouble(err, "")
		case err != nil: // the chat works without a directory
			o.Say("this chat is not saved: %v", err)
		}
	}
	if p.keptIn == "" {
		p.own, err = o.StartThrowAway(ctx, options)
		return err
	}
	p.own, err = o.StartKept(ctx, options, p.keptIn)
	switch {
	case errors.Is(err, datafolder.ErrBusy):
		err = fmt.Errorf("another chat with %s is open", cmp.Or(p.file, "the samples"))
		return cli.WrapTrouble(err, "leave that chat first, or open a second chat with --no-save, which is not saved")
	case err != nil:
		err = service.ExplainStart("open the saved chat in "+p.keptIn, err)
		if f, ok := errors.AsType[*cli.Failure](err); ok && f.Hint == "" {
			f.Hint = "move that directory away, or play without it: --no-save"
		}
	}
	return err
}

func (o *chatOptions) prepareKeptDir(file string) (string, error) {
	data, err := o.Dirs().Data()
	if err != nil {
		return "", err
	}
	chats, name := filepath.Join(data, "chats"), "samples"
	if file != "" {
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

func (p *place) keepingWords() string {
	kept := "Kept in " + terminal.Clean(shortenHome(p.keptIn))
	if p.partGone {
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
