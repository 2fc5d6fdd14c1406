package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// versionCmd prints what bug reports need.
type versionCmd struct{}

// Run prints one line.
func (versionCmd) Run(s streams) error {
	_, err := fmt.Fprintln(s.out, versionLine("sluice"))
	return err
}

// versionLine returns what a command of that name is: its version, what built it, and
// for which system.
func versionLine(name string) string {
	return fmt.Sprintf("%s %s %s %s/%s", name, version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version returns the module's version, with the commit where the build knows it.
func version() string {
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
