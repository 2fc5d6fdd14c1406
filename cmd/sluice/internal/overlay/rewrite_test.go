package overlay

import (
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
