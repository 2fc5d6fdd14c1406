package gnucp

import (
	"runtime"
	"testing"
)

func TestMoreProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, test := range []struct {
		env  string
		want int
	}{{"3", before}, {"", 2 * runtime.NumCPU()}} {
		t.Setenv("GOMAXPROCS", test.env)
		moreProcessors()
		if got := runtime.GOMAXPROCS(0); got != test.want {
			t.Errorf("with GOMAXPROCS=%q in the environment there are %d; want %d", test.env, got, test.want)
		}
	}
}
