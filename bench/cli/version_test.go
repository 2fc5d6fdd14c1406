package cli

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	commit := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "95be577040df1c3d"}}
	modified := append(commit[:len(commit):len(commit)], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"", nil, "(devel)"},
		{"(devel)", commit, "(devel) 95be577040df"},
		{"v1.2.3", commit, "v1.2.3 95be577040df"},
		{"v1.2.4", modified, "v1.2.4 95be577040df+dirty"},
		{"v0.0.0-20261122070000-95be577040df", commit, "v0.0.0-20261122070000-95be577040df"},
		{"v0.0.0-20261122070000-95be577040df+dirty", modified, "v0.0.0-20261122070000-95be577040df+dirty"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := versionOf(info); got != c.want {
			t.Errorf("version %q: %q; want %q", c.version, got, c.want)
		}
	}
}

// TestRelease checks the version of a prebuilt program. Its build information has neither version
// nor commit.
func TestRelease(t *testing.T) {
	release, commit = "v0.1.0", "95be577040df1c3d"
	defer func() { release, commit = "", "" }()
	if got, want := Version(), "v0.1.0 95be577040df"; got != want {
		t.Errorf("Version() = %q; want %q", got, want)
	}
	if got := Released(); got != "v0.1.0" {
		t.Errorf("Released() = %q; want v0.1.0", got)
	}
}
