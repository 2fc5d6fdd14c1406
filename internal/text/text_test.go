package text

import "testing"

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 512: "512 B", 1023: "1023 B", 4096: "4 KiB", 3 << 29: "1.5 GiB", 1<<63 - 1: "8192 PiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %s; want %s", n, got, want)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "4096": 4096, "512b": 512, "64k": 64 << 10, "64K": 64 << 10, "64kb": 64 << 10, "64KiB": 64 << 10, "512m": 512 << 20,
		"1g": 1 << 30, "2TiB": 2 << 40, "9223372036854775807": 1<<63 - 1,
	} {
		if n, ok := ParseBytes(text); n != want || !ok {
			t.Errorf("ParseBytes(%q) = %d, %t; want %d, true", text, n, ok, want)
		}
	}
	for _, text := range []string{"", "k", "-1", "+1", "1.5g", "1 k", "4ib", "5bib", "1kk", "9223372036854775808", "8388608t", "0x10"} {
		if n, ok := ParseBytes(text); ok {
			t.Errorf("ParseBytes(%q) = %d; want that it is none", text, n)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "",
		"/data/größe 1.log":   "/data/größe 1.log",
		"a\x1b[31mb":          `a\x1b[31mb`,
		"a\nb\tc\r":           `a\nb\tc\r`,
		"\x7f\u0085\u009b2J":  `\x7f\u0085\u009b2J`,
		"cut\xc3":             `cut\xc3`,
		"\u202egpj.exe\u200b": `\u202egpj.exe\u200b`, // right to left, and without width
		"\ufffd":              "\ufffd",
	} {
		if got := Printable(text); got != want {
			t.Errorf("Printable(%q) = %q; want %q", text, got, want)
		}
	}
}
