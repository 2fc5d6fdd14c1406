package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestNamesOfAnyBytes gives commands the names of files that are not UTF-8. A command must use
// the name as it is.
func TestNamesOfAnyBytes(t *testing.T) {
	const odd = "a\xff\x1b[31m\nb"
	for _, test := range []struct {
		args []string
		made string // a file that the command makes; "" if none
	}{
		{[]string{"doctor", "--dir", odd}, ""},
		{[]string{"doctor", "--json", odd + ".json"}, odd + ".json"},
		{[]string{"man", "--dir", odd + ".man"}, odd + ".man"},
		{[]string{"trace", "record", "--", "sh", "-c", `test "$0" = "$ODD"`, odd}, ""},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, odd), 0o700); err != nil {
			skip.For(t, skip.Special, err)
		}
		cmd := exec.Command("sluice", test.args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "ODD="+odd)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("sluice %q: %v, %s", test.args, err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, test.made)); err != nil {
			t.Errorf("sluice %q: %v", test.args, err)
		}
	}
}
