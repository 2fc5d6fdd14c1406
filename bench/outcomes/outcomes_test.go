package outcomes

import (
	"slices"
	"strings"
	"testing"
)

// TestRead reads lines as go test -json writes them: of tests, of a package that does not build,
// and a line that is no event.
func TestRead(t *testing.T) {
	const text = `{"Action":"start","Package":"x/a"}
{"Action":"run","Package":"x/a","Test":"TestOne"}
{"Action":"output","Package":"x/a","Test":"TestOne","Output":"no "}
{"Action":"output","Package":"x/a","Test":"TestOne","Output":"luck\n"}
{"Action":"fail","Package":"x/a","Test":"TestOne","Elapsed":0}
{"Action":"skip","Package":"x/a","Test":"TestTwo/sub x"}
not an event
{"Action":"fail","Package":"x/a"}
{"ImportPath":"x/b [x/b.test]","Action":"build-output","Output":"b.go:1: wrong\n"}
{"ImportPath":"x/b [x/b.test]","Action":"build-fail"}
{"Action":"fail","Package":"x/b","FailedBuild":"x/b [x/b.test]"}
{"Action":"pass","Package":"x/c"}`
	packages := 0
	r, err := Read(strings.NewReader(text), func(*Run) { packages++ })
	if err != nil {
		t.Fatal(err)
	}
	if packages != 3 || r.Count("pass") != 0 || r.Count("fail") != 1 || r.Count("skip") != 1 {
		t.Errorf("%d packages, %d passed, %d failed, %d skipped; want 3, 0, 1, 1", packages, r.Count("pass"), r.Count("fail"), r.Count("skip"))
	}
	if r.Said["x/a TestOne"] != "no luck\n" || r.Build != "b.go:1: wrong\n" || !slices.Equal(r.Broken, []string{"x/b"}) {
		t.Errorf("Said %q, Build %q, Broken %q", r.Said["x/a TestOne"], r.Build, r.Broken)
	}
	for name, want := range map[string]string{"x/a": "fail", "x/c": "pass", "x/a TestTwo/sub x": "skip", "x/a TestThree": "not run"} {
		if got := Or(r.Outcomes[name]); got != want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
}

func TestDifferences(t *testing.T) {
	a := map[string]string{"same": "pass", "changed": "pass", "gone": "skip"}
	b := map[string]string{"same": "pass", "changed": "fail", "new": "pass"}
	want := []string{"changed", "gone", "new"}
	if got := Differences(a, b); !slices.Equal(got, want) {
		t.Errorf("Differences = %q; want %q", got, want)
	}
	if got := Differences(b, a); !slices.Equal(got, want) {
		t.Errorf("the other way round it is %q; want %q", got, want)
	}
	if got := Differences(a, a); len(got) > 0 {
		t.Errorf("Differences of the same = %q", got)
	}
}
