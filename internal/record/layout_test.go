package record

import (
	"testing"
	"unsafe"
)

// TestLayout checks the layout of files, which must not depend on the architecture.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want uintptr
	}{
		{"header", unsafe.Sizeof(header{}), pageSize},
		{"header.labelsEnd", unsafe.Offsetof(header{}.labelsEnd), 64},
		{"header.next", unsafe.Offsetof(header{}.next), 128},
		{"header.about", unsafe.Offsetof(header{}.about), 260},
		{"chunk", unsafe.Sizeof(chunk{}), pageSize},
		{"event", unsafe.Sizeof(event{}), 64},
		{"event.drv", unsafe.Offsetof(event{}.drv), 63},
		{"stripe", unsafe.Sizeof(stripe{}), 128},
	} {
		if c.got != c.want {
			t.Errorf("%s has or is at %d bytes; want %d", c.what, c.got, c.want)
		}
	}
}
