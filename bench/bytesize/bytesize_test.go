package bytesize

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

func TestUnmarshalText(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "4096": 4096, "512b": 512, "64k": 64 << 10, "64K": 64 << 10, "64kb": 64 << 10, "64KiB": 64 << 10, "512m": 512 << 20,
		"1g": 1 << 30, "2TiB": 2 << 40, "9223372036854775807": 1<<63 - 1,
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); s != want || err != nil {
			t.Errorf("%q = %d, %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "k", "-1", "+1", "1.5g", "1 k", "4ib", "5bib", "1kk", "9223372036854775808", "8388608t", "0x10"} {
		s := Size(7)
		if err := s.UnmarshalText([]byte(text)); s != 7 || err == nil {
			t.Errorf("%q = %d, %v; want an error, and no change", text, s, err)
		}
	}
}

// FuzzUnmarshalText compares with a model of big numbers.
func FuzzUnmarshalText(f *testing.F) {
	for _, text := range []string{"4096", "64k", "512MiB", "1gb", "8388607t", "9223372036854775807", "4ib", "+1"} {
		f.Add(text)
	}
	form := regexp.MustCompile(`^([0-9]+)(?:([kmgt])(?:i?b)?|b)?$`)
	f.Fuzz(func(t *testing.T, text string) {
		var s Size
		err := s.UnmarshalText([]byte(text))
		m := form.FindStringSubmatch(strings.ToLower(text))
		if m == nil {
			if err == nil {
				t.Errorf("%q = %d; want an error", text, s)
			}
			return
		}
		want, _ := new(big.Int).SetString(m[1], 10)
		if m[2] != "" {
			want.Lsh(want, uint(10*(1+strings.Index("kmgt", m[2]))))
		}
		if want.IsInt64() != (err == nil) || err == nil && want.Int64() != int64(s) {
			t.Errorf("%q = %d, %v; want %d", text, s, err, want)
		}
	})
}
