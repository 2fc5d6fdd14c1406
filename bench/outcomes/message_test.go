package outcomes

import "testing"

// TestMessages puts messages of several lines, as the go command prints them, into one.
func TestMessages(t *testing.T) {
	for _, test := range []struct{ text, first, all string }{
		{"", "", ""},
		{"\n# x/a\n\n", "", ""},
		{
			"go: errors parsing go.mod:\ngo.mod:5: unknown directive: foo\ngo.mod:6: unknown directive: baz\n",
			"go: errors parsing go.mod: go.mod:5: unknown directive: foo",
			"go: errors parsing go.mod: go.mod:5: unknown directive: foo; go.mod:6: unknown directive: baz",
		},
		{
			"main.go:2:8: no required module provides package x; to add it:\n\tgo get x\n",
			"main.go:2:8: no required module provides package x; to add it: go get x",
			"main.go:2:8: no required module provides package x; to add it: go get x",
		},
		{
			"# x/a [x/a.test]\n./a.go:3:5: undefined: a\n./a.go:4:5: cannot use b\n\t\thave int\n\t\twant string\n./a.go:9:1: too many errors\n",
			"./a.go:3:5: undefined: a",
			"./a.go:3:5: undefined: a; ./a.go:4:5: cannot use b have int want string; ./a.go:9:1: too many errors",
		},
		{
			"go: downloading x v1.0.0\ngo: x@v1.0.0: not found",
			"go: x@v1.0.0: not found", "go: x@v1.0.0: not found",
		},
	} {
		if got := FirstMessage(test.text); got != test.first {
			t.Errorf("FirstMessage(%q) = %q; want %q", test.text, got, test.first)
		}
		if got := Messages(test.text); got != test.all {
			t.Errorf("Messages(%q) = %q; want %q", test.text, got, test.all)
		}
	}
}
