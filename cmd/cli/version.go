package cli

import (
	"runtime"
	"runtime/debug"
)

var version = "" // set by the linker in a release

// VersionText returns the version of the release, else of the Go module, else "dev".
func VersionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// BuildInfo is the output of `parley version --json`.
type BuildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Date     string `json:"date"`     // of the commit, RFC 3339
	Modified bool   `json:"modified"` // the build includes uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func ReadBuildInfo() BuildInfo {
	b := BuildInfo{Version: VersionText(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (b BuildInfo) String() string {
	text := "parley " + b.Version + "\n"
	if b.Commit != "" {
		text += "commit " + b.Commit[:min(12, len(b.Commit))]
		if b.Date != "" {
			text += " of " + b.Date
		}
		if b.Modified {
			text += ", locally modified"
		}
		text += "\n"
	}
	return text + b.Go + " " + b.Platform + "\n"
}
