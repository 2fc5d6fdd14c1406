package mountinfo

import "testing"

func TestUnescape(t *testing.T) {
	for field, want := range map[string]string{
		"":                     "",
		"/mnt/data":            "/mnt/data",
		`/mnt/a\040b`:          "/mnt/a b",
		`\040\011\012\134\043`: " \t\n\\#",
		`/mnt/a\134040b`:       `/mnt/a\040b`, // a backslash and three digits, not a blank
		`/mnt/a\`:              `/mnt/a\`,
		`/mnt/a\04`:            `/mnt/a\04`,
		`/mnt/a\999\040b`:      `/mnt/a\999 b`,
		`/mnt/a\777`:           `/mnt/a\777`, // no byte
	} {
		if got := Unescape(field); got != want {
			t.Errorf("Unescape(%q) = %q; want %q", field, got, want)
		}
	}
}
