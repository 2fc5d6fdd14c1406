package duel

import (
	"slices"
	"strings"
	"testing"
)

// TestEnvironment: a measured process records if the name of the trace has %p, and otherwise the
// user is told.
func TestEnvironment(t *testing.T) {
	for name, traced := range map[string]bool{"": false, "/tmp/trace": false, "/tmp/%p.sluice": true} {
		t.Setenv(traceVariable, name)
		env, note := Environment("aio"), UntracedNote()
		if slices.Contains(env, "SLUICE_TRACE=") == traced || !slices.Contains(env, "SLUICE_DRIVER=aio") {
			t.Errorf("with SLUICE_TRACE=%s the environment is %q", name, env)
		}
		if (note != "") != (name != "" && !traced) || note != "" && !strings.Contains(note, "%p") {
			t.Errorf("with SLUICE_TRACE=%s the note is %q", name, note)
		}
	}
}
