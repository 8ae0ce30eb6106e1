package cmd

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/signin"
)

// findBrowser returns the first installed command of $BROWSER, or else the opener of the system.
func findBrowser(streams *cli.Streams) (words []string, found bool) {
	var commands [][]string
	if named := streams.Env("BROWSER"); named != "" {
		commands = browserCommands(named, runtime.GOOS)
	}
	commands = append(commands, findSystemOpener(streams, runtime.GOOS))
	for _, words := range commands {
		if len(words) == 0 {
			continue
		}
		if path, err := exec.LookPath(words[0]); err == nil {
			return append([]string{path}, words[1:]...), true
		}
	}
	return nil, false
}

// browserCommands splits $BROWSER into commands. On Windows a colon is part of a path.
func browserCommands(named, system string) [][]string {
	if system == "windows" {
		return [][]string{{named}}
	}
	var commands [][]string
	for command := range strings.SplitSeq(named, ":") {
		commands = append(commands, strings.Fields(command))
	}
	return commands
}

func findSystemOpener(streams *cli.Streams, system string) []string {
	switch {
	case system == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case streams.Env("SSH_CONNECTION") != "" && streams.Env("DISPLAY") == "":
		return nil
	case system == "darwin":
		return []string{"open"}
	case streams.Env("DISPLAY") != "" || streams.Env("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open"}
	}
	return nil
}

func launchBrowser(streams *cli.Streams, browser []string, address string) error {
	if !signin.IsOpenable(address) {
		return fmt.Errorf("a browser cannot open this address")
	}
	arguments := withAddress(browser[1:], address)
	command := exec.Command(browser[0], arguments...) //nolint:gosec,noctx // the browser outlives this command
	if err := command.Start(); err != nil {
		return err
	}
	go func() { _ = command.Wait() }() // avoids a zombie process
	return nil
}

func withAddress(words []string, address string) []string {
	all := make([]string, 0, len(words)+1)
	placed := false
	for _, word := range words {
		placed = placed || strings.Contains(word, "%s")
		all = append(all, strings.ReplaceAll(word, "%s", address))
	}
	if !placed {
		all = append(all, address)
	}
	return all
}
