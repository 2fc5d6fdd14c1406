package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRows keeps the results of two programs in a file. A program that is no longer one of them has
// no row.
func TestRows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "rows.json")
	r, err := readRows(name)
	if err != nil || len(r) != 0 {
		t.Fatalf("readRows of a missing file = %v, %v; want no rows", r, err)
	}
	for i, p := range []*program{programs[1], programs[0], {name: "gone"}} {
		r[p.name] = &outcome{program: p, Module: p.module, Date: "2026-11-28", Go: "1.2, 1.3", Fixed: &fixed{Calls: 10 + i, Said: []string{"line"}}}
	}
	if err := r.write(name); err != nil {
		t.Fatal(err)
	}
	if r, err = readRows(name); err != nil {
		t.Fatal(err)
	}
	list := r.list()
	if len(list) != 2 || list[0].program != programs[0] || list[1].program != programs[1] || list[0].Fixed.Calls != 11 {
		t.Errorf("readRows = %+v; want the first two programs", list)
	}
	var b strings.Builder
	if err := writePage(&b, list); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| date | 2026-11-28 |", "| " + programs[0].module + " | " + programs[0].what + " | 11, 0, 0 |", "- line"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, b.String())
		}
	}
}
