//go:build amd64 || arm64

package sys

import "testing"

func TestKnowsEnd(t *testing.T) {
	for release, want := range map[string]bool{
		"6.1.0-18-amd64": true, "10.0": true, "6.18.5": true,
		"5.10.0-28-amd64": false, "5.19.0": false, "4.4.0": false, "": false, "unknown": false,
	} {
		if got := knowsEnd(release); got != want {
			t.Errorf("knowsEnd(%q) = %v; want %v", release, got, want)
		}
	}
}
