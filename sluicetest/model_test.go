package sluicetest

import (
	"fmt"
	"math"
	"slices"
)

// cellSize is the size of a cell. The model assumes that a write writes a cell whole or not at all:
// it divides a sector.
const cellSize = 64

// fileModel has the allowed contents of a file. Each actor is the only writer of its region.
type fileModel struct {
	cells [][]version // of each cell, oldest first
	// synced is, for each cell, the index of the oldest version that may be on the disk.
	synced []int
	// tainted is set once a sync has failed and the handle that remembers the failure is closed.
	tainted bool
}

// version is a value that a write has written to a cell, or may have written.
type version struct {
	value   byte
	certain bool
	ended   int // when the write ended, in the world's count of events
}

func newFileModel(cells int) *fileModel {
	m := &fileModel{cells: make([][]version, cells), synced: make([]int, cells)}
	for i := range m.cells {
		m.cells[i] = []version{{certain: true}}
	}
	return m
}

// begin notes that a write of n cells at cell first has begun.
func (m *fileModel) begin(first, n int, value byte) {
	for i := first; i < first+n; i++ {
		m.cells[i] = append(m.cells[i], version{value: value, ended: math.MaxInt})
	}
}

// end notes that a write of n cells at cell first has ended at the time now, with bytes certainly
// written.
func (m *fileModel) end(first, n, bytes, now int) {
	for i := range n {
		v := &m.cells[first+i][len(m.cells[first+i])-1]
		v.ended, v.certain = now, (i+1)*cellSize <= bytes
	}
}

// sync notes that a sync that began at the time begun has returned nil.
func (m *fileModel) sync(begun int) {
	if m.tainted {
		return
	}
	for i, vs := range m.cells {
		for k := len(vs) - 1; k > m.synced[i]; k-- {
			if vs[k].certain && vs[k].ended <= begun {
				m.synced[i] = k
				break
			}
		}
	}
}

// read checks bytes that a read by the owner of the cells has returned.
func (m *fileModel) read(b []byte, off int) error {
	for i, got := range b {
		vs := m.cells[(off+i)/cellSize]
		k := len(vs) - 1
		for !vs[k].certain {
			k--
		}
		if !has(vs[k:], got) {
			return fmt.Errorf("byte %d reads %d; want one of %v", off+i, got, vs[k:])
		}
	}
	return nil
}

// onDisk checks the disk's contents. Bytes beyond its end are zeros.
func (m *fileModel) onDisk(b []byte) error {
	for i := range len(m.cells) * cellSize {
		var got byte
		if i < len(b) {
			got = b[i]
		}
		vs := m.cells[i/cellSize]
		k := m.synced[i/cellSize]
		if m.tainted {
			k = 0
		}
		if !has(vs[k:], got) {
			return fmt.Errorf("byte %d is %d on the disk; want one of %v, of all of %v", i, got, vs[k:], vs)
		}
	}
	return nil
}

func has(vs []version, b byte) bool {
	return slices.ContainsFunc(vs, func(v version) bool { return v.value == b })
}
