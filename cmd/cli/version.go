package cli

import (
	"runtime"
	"runtime/debug"
)

// version is set by the linker in a release.
var version = ""

// VersionText returns the version of the release. If this is not a release, it returns the version
// of the Go module, or "dev" if that is unknown.
func VersionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// BuildInfo is the output of `parley version --json`. Commit, Date and Modified are empty for a
// build outside a repository.
type BuildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Date     string `json:"date"`     // of the commit, RFC 3339
	Modified bool   `json:"modified"` // the build includes uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ReadBuildInfo returns the build information of this binary.
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

// String returns the build information as two or three lines of text.
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
