package sluice

import (
	"testing"
	"unsafe"
)

// TestBatchOpSize holds the documentation to what an operation takes.
func TestBatchOpSize(t *testing.T) {
	if size := unsafe.Sizeof(BatchOp{}); unsafe.Sizeof(uintptr(0)) == 8 && size != 216 {
		t.Errorf("a BatchOp has %d bytes; Batch says 216", size)
	}
}
