package overlay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRewrite(t *testing.T) {
	r := &rewriter{moved: map[string]string{library: "m/_sluice", library + "/trace": "m/_sluice/trace"}, language: "go1.26"}
	for _, c := range []struct{ src, want string }{
		{"package p\n", "//go:build go1.26\n\npackage p\n"},
		{
			"//go:build linux || race\n\n// Package p is.\npackage p\n",
			"//go:build (linux || race) && go1.26\n\n// Package p is.\npackage p\n",
		},
		{
			"package p\n\nimport (\n\t\"os\"\n\ts \"" + library + "\"\n\t\"" + library + "/trace\"\n)\n",
			"//go:build go1.26\n\npackage p\n\nimport (\n\t\"os\"\n\ts \"m/_sluice\"\n\t\"m/_sluice/trace\"\n)\n",
		},
		{
			"package p\n\n//go:noescape\nfunc RawSyscallNoError(trap, a1, a2, a3 uintptr) (r1, r2 uintptr)\n\n//go:linkname f runtime.f\nfunc f()\n",
			"//go:build go1.26\n\npackage p\n\n" + bodies["RawSyscallNoError"] + "\n\n//go:linkname f runtime.f\nfunc f()\n",
		},
	} {
		got, err := r.rewrite("p.go", []byte(c.src))
		if err != nil || string(got) != c.want {
			t.Errorf("rewrite(%q) = %q, %v; want %q", c.src, got, err, c.want)
		}
	}
	if _, err := r.rewrite("p.go", []byte("package p\n\nfunc unheard()\n")); err == nil || !strings.Contains(err.Error(), "p.go: unheard has no body") {
		t.Errorf("error of a function without a body is %v", err)
	}
}

// TestInline checks what becomes of a go:embed in a module that is too old for it.
func TestInline(t *testing.T) {
	r := &rewriter{language: "go1.26", embedded: map[string][]byte{"a": []byte("x\n\"")}}
	const src = "package p\n\nimport \"embed\"\n\n// All.\n//\n//go:embed a\nvar files embed.FS\n\nvar other int\n"
	got, err := r.rewrite("p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(got); strings.Contains(text, "go:embed") || !strings.Contains(text, "case \"a\":\n\t\treturn []byte(\"x\\n\\\"\"), nil\n") || !strings.HasSuffix(text, "\n\nvar other int\n") {
		t.Errorf("rewrite = %s", got)
	}
	if _, err := r.rewrite("p.go", []byte("package p\n\nimport _ \"embed\"\n\n//go:embed a\nvar text string\n")); err == nil {
		t.Error("rewrite of a string with go:embed = nil; want an error")
	}
	r.embedded = nil
	if got, err := r.rewrite("p.go", []byte(src)); err != nil || !strings.Contains(string(got), "//go:embed a\nvar files") {
		t.Errorf("rewrite for a newer module = %s, %v; want the go:embed", got, err)
	}
}

func TestTakesEmbed(t *testing.T) {
	for text, want := range map[string]bool{
		"module m\n": true, "module m\n\ngo 1.13\n": false, "go 1.15 // old\nmodule m\n": false,
		"module m\ngo 1.16\n": true, "module m\n\ngo 1.26.0\n": true, "module go\n\ngo 1.9\n": false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := takesEmbed(dir); got != want || err != nil {
			t.Errorf("takesEmbed with %q = %t, %v; want %t", text, got, err, want)
		}
	}
	if got, err := takesEmbed(t.TempDir()); !got || err != nil {
		t.Errorf("takesEmbed without a go.mod = %t, %v; want true", got, err)
	}
}
