package jsonout

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

func TestWriter(t *testing.T) {
	var w Writer
	w.Open('{')
	w.Key("list")
	w.Open('[')
	w.Int(math.MinInt64)
	w.Float(0.1)
	w.Float(math.Inf(1))
	w.Bool(true)
	w.Open('{')
	w.Close('}')
	w.Open('[')
	w.Close(']')
	w.Close(']')
	w.Key("a\"key")
	w.String("x")
	w.Close('}')
	const want = `{"list":[-9223372036854775808,0.1,0,true,{},[]],"a\"key":"x"}`
	if got := string(w.Bytes()); got != want {
		t.Errorf("wrote %s; want %s", got, want)
	}
}

// FuzzString compares strings with encoding/json's.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "/data/a b", "\x00\x1f\x7f", `"\`, "</script>&", "\xff\xfe", "\u2028é\U0001f4be\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var w Writer
		w.String(s)
		var got, want string
		if err := json.Unmarshal(w.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v", w.Bytes(), err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q became %q; want %q", s, got, want)
		}
	})
}
