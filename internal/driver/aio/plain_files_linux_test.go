//go:build amd64 || arm64

package aio

import "testing"

func TestPlain(t *testing.T) {
	var p plainFiles
	if p.use(0) || p.use(7) || p.use(-1) {
		t.Error("an empty table remembers a file")
	}
	p.note(7)
	p.note(0)
	if p.use(7 + int32(len(p))) {
		t.Error("a file is taken for another that shares its place")
	}
	for i := range plainReads {
		if !p.use(7) {
			t.Fatalf("forgotten after %d reads; want %d", i, plainReads)
		}
	}
	if p.use(7) {
		t.Errorf("remembered for more than %d reads", plainReads)
	}
	if !p.use(0) {
		t.Error("forgotten because of another")
	}
	p.note(int32(len(p)))
	if p.use(0) || !p.use(int32(len(p))) {
		t.Error("of two that share a place, the later is to be remembered")
	}
}
