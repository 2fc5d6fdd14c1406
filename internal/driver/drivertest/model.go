package drivertest

import (
	"bytes"
	"math/rand/v2"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/seed"
)

var modelTests = []test{
	{"Random", 32, testRandom},
	{"RandomDepth1", 1, testRandom},
}

// model is a file as it should be, and the random choices of operations on it.
type model struct {
	*rig
	rand *rand.Rand
	file File
	data []byte

	// The ranges that the operations of this round read and write. Operations in flight together
	// must not overlap: the order of two writes is not defined, nor whether a read sees a write.
	written []span
	read    []span
	extends bool // a write of this round extends the file
	ends    bool // a read of this round reaches the end of the file
}

type span struct{ off, end int }

// maxFile bounds the file, so that operations often overlap.
const maxFile = 128 << 10 // 128 KiB

// testRandom performs rounds of random operations, and compares each with a model in
// memory.
func testRandom(r *rig) {
	rnd := seed.Rand(r)
	m := &model{rig: r, rand: rnd, data: pattern(0, 20000, 0)}
	m.file = r.create(bytes.Clone(m.data))
	rounds := 150
	if r.depth() > 256 {
		rounds = 40 // a round has some thousand operations
	}
	for range rounds {
		m.round()
		if r.Failed() {
			return
		}
	}
	r.same("file at the end", m.file.Contents(r), m.data)
}

// round performs some operations at once and compares their results.
func (m *model) round() {
	m.written, m.read, m.extends, m.ends = m.written[:0], m.read[:0], false, false
	var ops []*driver.Op
	for range 1 + m.rand.IntN(2*m.depth()+20) {
		if op := m.draw(); op != nil {
			ops = append(ops, op)
		}
	}
	wants := make([]int32, len(ops))
	for i, op := range ops {
		wants[i] = m.expect(op)
	}
	m.perform(ops)
	for i, op := range ops {
		if op.Res != wants[i] {
			m.Errorf("%v of %d at %d = %s; want %s", op.Code, len(op.Buf), op.Off, show(op.Res), show(wants[i]))
		} else if op.Code == driver.Read && op.Res > 0 {
			m.same("Read", op.Buf[:op.Res], m.data[op.Off:op.Off+int64(op.Res)])
		}
	}
}

// perform submits and reaps ops, in portions of random size.
func (m *model) perform(ops []*driver.Op) {
	inFlight := 0
	for len(ops) > 0 {
		n := m.rand.IntN(min(len(ops), 20) + 1)
		if _, ok := m.d.(driver.Stager); ok && m.rand.IntN(2) == 0 {
			n = m.stage(ops[:n])
		} else {
			n = m.take(ops[:n])
		}
		ops, inFlight = ops[n:], inFlight+n
		need := m.rand.IntN(min(inFlight, 20) + 1)
		inFlight -= len(m.reap(need+m.rand.IntN(3), need))
	}
	m.must(inFlight)
}

// draw chooses an operation. It returns nil if that would overlap another of this round.
func (m *model) draw() *driver.Op {
	fd := m.file.FD()
	off := m.rand.IntN(maxFile)
	n := m.rand.IntN(1 << m.rand.IntN(15))
	if m.rand.IntN(3) == 0 {
		off, n = off&^4095, 4096
	}
	switch m.rand.IntN(12) {
	case 0:
		return op(driver.Nop, fd, int64(off), nil)
	case 1:
		return op(driver.Fsync, fd, 0, nil)
	case 2:
		return op(driver.Fdatasync, fd, 0, nil)
	case 3:
		return op(driver.Read, -1, int64(off), make([]byte, n))
	case 4, 5, 6, 7:
		if m.mayRead(off, off+n) {
			return op(driver.Read, fd, int64(off), make([]byte, n))
		}
	default:
		if m.mayWrite(off, off+n) {
			return op(driver.Write, fd, int64(off), pattern(int64(off), n, byte(m.rand.Uint32())))
		}
	}
	return nil
}

func (m *model) mayRead(off, end int) bool {
	ends := end > len(m.data)
	if ends && m.extends || meets(m.written, off, end) {
		return false
	}
	m.ends = m.ends || ends
	m.read = append(m.read, span{off, end})
	return true
}

func (m *model) mayWrite(off, end int) bool {
	extends := end > len(m.data)
	if extends && m.ends || meets(m.written, off, end) || meets(m.read, off, end) {
		return false
	}
	m.extends = m.extends || extends
	m.written = append(m.written, span{off, end})
	return true
}

func meets(spans []span, off, end int) bool {
	for _, s := range spans {
		if off < s.end && s.off < end {
			return true
		}
	}
	return false
}

// expect returns the result that op must have. It performs writes in the model.
func (m *model) expect(op *driver.Op) int32 {
	switch {
	case op.FD < 0 && op.Code != driver.Nop:
		return badFD
	case op.Code == driver.Read:
		return int32(max(0, min(len(op.Buf), len(m.data)-int(op.Off))))
	case op.Code == driver.Write:
		m.data = overwrite(m.data, int(op.Off), op.Buf)
	}
	return int32(len(op.Buf))
}
