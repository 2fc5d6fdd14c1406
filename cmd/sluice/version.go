package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd prints what bug reports need.
type versionCmd struct{}

// Run prints one line.
func (versionCmd) Run(s streams) error {
	_, err := fmt.Fprintf(s.out, "sluice %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version returns the module's version, with the commit where the build
// knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v += " " + s.Value[:min(12, len(s.Value))]
		}
	}
	return v
}
