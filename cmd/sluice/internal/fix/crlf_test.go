package fix

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestCRLF: a file whose lines end in a carriage return and a newline keeps them in all lines.
func TestCRLF(t *testing.T) {
	dir := t.TempDir()
	source := "package main\r\n\r\nimport \"os\"\r\n\r\nfunc main() {\r\n\tf, err := os.Open(\"x\")\r\n\tprintln(f.Name(), err)\r\n}\r\n"
	for name, text := range map[string]string{"go.mod": "module example.org/crlf\n\ngo 1.26\n", "main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Run(context.Background(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Files) != 1 {
		t.Fatalf("%d files are changed; want 1", len(r.Files))
	}
	text := r.Files[0].New
	if n, crlf := bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("\r\n")); n != crlf || bytes.Contains(text, []byte("\r\r")) {
		t.Errorf("%d of %d lines end in CRLF:\n%q", crlf, n, text)
	}
	if !bytes.Contains(text, []byte("sluice.Open")) {
		t.Errorf("nothing was changed:\n%q", text)
	}
}
