package cli

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// Version returns the version of this program's main module, with the commit if the build
// recorded it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return versionOf(info)
}

// versionOf returns the version of a build. The version of a commit that has no tag ends
// with the commit, and with +dirty if files were changed since.
func versionOf(info *debug.BuildInfo) string {
	v := cmp.Or(info.Main.Version, "(devel)")
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	if commit = commit[:min(12, len(commit))]; !strings.Contains(v, commit) {
		v += " " + commit
	}
	if settings["vcs.modified"] == "true" && !strings.Contains(v, "+dirty") {
		v += "+dirty"
	}
	return v
}
