package shellquote

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestQuote(t *testing.T) {
	for _, test := range []struct{ name, plain, wide string }{
		{"", "''", "''"},
		{"a", "'a'", "'a'"},
		{"it's", `"it's"`, `"it's"`},
		{"it's $5", `'it'\''s $5'`, `'it'\''s $5'`},
		{"a\nb", `'a'$'\n''b'`, `'a'$'\n''b'`},
		{"\x01\x02", `''$'\001\002'`, `''$'\001\002'`},
		{"'\n", `''\'''$'\n'`, `''\'''$'\n'`},
		{"é", `''$'\303\251'`, "'é'"},
		{"\xff", `''$'\377'`, `''$'\377'`},
	} {
		if got := Quote(test.name, false); got != test.plain {
			t.Errorf("Quote(%q, false) = %s; want %s", test.name, got, test.plain)
		}
		if got := Quote(test.name, true); got != test.wide {
			t.Errorf("Quote(%q, true) = %s; want %s", test.name, got, test.wide)
		}
	}
}

// TestQuoteAsLs quotes random names and compares them with the output of GNU ls. It leaves out
// names with a single quote and an escape: a shell cannot read what ls 9.1 prints for them.
func TestQuoteAsLs(t *testing.T) {
	if out, err := exec.Command("ls", "--version").Output(); err != nil || !strings.Contains(string(out), "GNU coreutils") {
		skip.For(t, skip.GNU, "ls is not GNU's")
	}
	random := seed.Rand(t)
	dir := t.TempDir()
	const alphabet = "ab'\"$`\\!?#~ \n\t\x01\x7f\xff{}*&"
	for range 2000 {
		name := make([]byte, 1+random.IntN(5))
		for i := range name {
			name[i] = alphabet[random.IntN(len(alphabet))]
		}
		if strings.Contains(string(name), "'") && bytes.ContainsFunc(name, unprintable) {
			continue
		}
		path := filepath.Join(dir, string(name))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("ls", "-U", "--zero", "--quoting-style=shell-escape-always", dir)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	quoted, err := cmd.Output()
	if err != nil {
		skip.Forf(t, skip.GNU, "ls is too old: %v", err)
	}
	cmd = exec.Command("ls", "-U", "--zero", "--quoting-style=literal", dir)
	names, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(quoted), "\x00")
	for i, name := range strings.Split(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if got := Quote(name, false); got != want[i] {
			t.Errorf("Quote(%q) = %s; ls has %s", name, got, want[i])
		}
	}
}

func unprintable(r rune) bool { return r < ' ' || r >= 0x7f }
