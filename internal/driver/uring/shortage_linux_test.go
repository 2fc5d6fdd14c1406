//go:build amd64 || arm64

package uring

import (
	"syscall"
	"testing"
)

func TestShortage(t *testing.T) {
	const second = int64(1e9)
	limit := int64(shortageLimit)
	for _, test := range []struct {
		name  string
		errno syscall.Errno
		waits bool
		times []int64 // when calls fail; 0 is a success
		want  bool    // at the last call
	}{
		{"the first", syscall.ENOMEM, false, []int64{second}, false},
		{"up to the limit", syscall.EAGAIN, true, []int64{second, 2 * second, second + limit}, false},
		{"beyond the limit", syscall.ENOMEM, true, []int64{second, 2 * second, second + limit + 1}, true},
		{"a success between", syscall.ENOMEM, false, []int64{second, 0, second + limit + 1}, false},
		{"after the success", syscall.ENOMEM, false, []int64{second, 0, 2 * second, 2*second + limit + 1}, true},
		{"signals while it waits", syscall.EINTR, true, []int64{second, second + 2*limit}, false},
		{"interrupted without a wait", syscall.EINTR, false, []int64{second, second + 2*limit}, true},
		{"completions to be reaped", syscall.EBUSY, false, []int64{second, second + 2*limit}, false},
	} {
		var s shortage
		got := false
		for _, at := range test.times {
			if at == 0 {
				s.ended()
				continue
			}
			got = s.tooLong(-int32(test.errno), test.waits, at)
		}
		if got != test.want {
			t.Errorf("%s: lasts = %t; want %t", test.name, got, test.want)
		}
	}
}
