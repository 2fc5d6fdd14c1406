//go:build amd64 || arm64

package sys

import (
	"testing"
	"unsafe"
)

func TestUringRegisterABI(t *testing.T) {
	var r uringRsrcRegister
	var u uringRsrcUpdate
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"sizeof(struct io_uring_sqe)", unsafe.Sizeof(SQE{}), 64},
		{"io_uring_sqe.buf_index", unsafe.Offsetof(SQE{}.BufIndex), 40},
		{"sizeof(struct io_uring_rsrc_register)", unsafe.Sizeof(r), 32},
		{"io_uring_rsrc_register.data", unsafe.Offsetof(r.Data), 16},
		{"io_uring_rsrc_register.tags", unsafe.Offsetof(r.Tags), 24},
		{"sizeof(struct io_uring_rsrc_update2)", unsafe.Sizeof(u), 32},
		{"io_uring_rsrc_update2.data", unsafe.Offsetof(u.Data), 8},
		{"io_uring_rsrc_update2.nr", unsafe.Offsetof(u.Nr), 24},
	} {
		if c.got != c.want {
			t.Errorf("%s = %d; want %d", c.name, c.got, c.want)
		}
	}
}
