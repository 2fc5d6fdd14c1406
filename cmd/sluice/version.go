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
	_, err := fmt.Fprintf(s.out, "sluice %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version returns the module's version, with the commit where the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	v := cmp.Or(info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		if s.Key != "vcs.revision" {
			continue
		}
		// The version of a commit that has no tag ends with it.
		if commit := s.Value[:min(12, len(s.Value))]; !strings.Contains(v, commit) {
			v += " " + commit
		}
	}
	return v
}
