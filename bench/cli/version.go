package cli

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// The build of a prebuilt program sets release and commit (-ldflags=-X): the version, as in v0.1.0,
// and the whole hash of the commit.
var release, commit string

// Released returns the version of a prebuilt program, as in v0.1.0, or "" for any other program.
func Released() string { return release }

// Version returns the version of this program's main module, with the commit if the build
// recorded it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	switch {
	case release != "":
		return withCommit(release, commit, false)
	case !ok:
		return "(unknown)"
	}
	return versionOf(info)
}

// versionOf returns the version of a build.
func versionOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	return withCommit(cmp.Or(info.Main.Version, "(devel)"), settings["vcs.revision"], settings["vcs.modified"] == "true")
}

// withCommit returns a version that ends with the commit, if it does not contain it already. It
// adds +dirty if files were changed since.
func withCommit(v, commit string, modified bool) string {
	if commit = commit[:min(12, len(commit))]; !strings.Contains(v, commit) {
		v += " " + commit
	}
	if modified && !strings.Contains(v, "+dirty") {
		v += "+dirty"
	}
	return v
}
