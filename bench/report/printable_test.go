package report

import "testing"

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"/data/größe 1.log":  "/data/größe 1.log",
		`C:\temp "a"`:        `C:\temp "a"`,
		"a\x1b[31mb":         `a\x1b[31mb`,
		"a\nb\tc\r":          `a\nb\tc\r`,
		"\x7f\u0085\u009b2J": `\x7f\u0085\u009b2J`,
		"cut\xc3":            `cut\xc3`,
		// Written from right to left, and without width.
		"\u202egpj.exe\u200b": `\u202egpj.exe\u200b`,
		"\ufffd":              "\ufffd",
	} {
		if got := Printable(text); got != want {
			t.Errorf("Printable(%q) = %q; want %q", text, got, want)
		}
	}
	if got, want := PrintableLines("a\x1bb\nc\n"), "a\\x1bb\nc\n"; got != want {
		t.Errorf("PrintableLines = %q; want %q", got, want)
	}
}
