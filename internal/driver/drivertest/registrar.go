package drivertest

import (
	"bytes"
	"errors"
	"math"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// registrarTests are skipped for a driver that is no Registrar, and if the system does
// not let it register memory.
var registrarTests = []test{
	{"Registered", 4, testRegistered},
	{"RegisteredOutside", 4, testRegisteredOutside},
	{"RegisteredEmpty", 4, testRegisteredEmpty},
	{"RegisterAgain", 4, testRegisterAgain},
	{"RegisterMany", 64, testRegisterMany},
	{"RegisterInFlight", 64, testRegisterInFlight},
	{"RegisterRace", 64, testRegisterRace},
	{"CloseRegistered", 64, testCloseRegistered},
	{"RegisterNothing", 4, testRegisterNothing},
}

// memory is registered memory.
type memory struct {
	mem   []byte
	index int
}

// registrar returns the driver as a Registrar, or skips the test.
func (r *rig) registrar() driver.Registrar {
	r.Helper()
	reg, ok := r.d.(driver.Registrar)
	if !ok {
		skip.For(r, skip.Driver, "the driver is no Registrar")
	}
	return reg
}

// register registers n bytes.
func (r *rig) register(n int) memory {
	r.Helper()
	m := memory{mem: make([]byte, n)}
	m.index = r.know(m.mem)
	return m
}

// know registers mem and returns its index. It skips the test if the kernel is too old, or
// no more memory may be pinned.
func (r *rig) know(mem []byte) int {
	r.Helper()
	i, err := r.registrar().Register(mem)
	if err != nil && (!r.registered || errors.Is(err, syscall.ENOMEM)) {
		reason := skip.Kernel
		if errors.Is(err, syscall.ENOMEM) {
			reason = skip.Limits
		}
		skip.For(r, reason, "Register is refused: ", err)
	}
	if err != nil {
		r.Fatalf("Register of %d bytes = %v", len(mem), err)
	}
	r.registered = true
	return i
}

// op returns an operation on the memory from lo to hi.
func (m memory) op(code driver.Code, f File, off int64, lo, hi int) *driver.Op {
	o := op(code, f.FD(), off, m.mem[lo:hi:hi])
	o.Reg = uint32(m.index) + 1
	return o
}

// testRegistered transfers to and from all parts of registered memory. Bytes around the
// buffer must not change. Operations without Reg can use the memory, too.
func testRegistered(r *rig) {
	const size = 64 << 10 // 64 KiB
	data := pattern(0, size, 0)
	f := r.create(data)
	m := r.register(size)
	for i, p := range []struct{ at, off, n int }{
		{0, 0, 1}, {0, 0, size}, {1, 0, 511}, {4095, 1, 2}, {4096, 8192, 4096}, {size - 1, 77, 1}, {12345, 4096, 6789},
	} {
		around := pattern(0, size, 0xff)
		copy(m.mem, around)
		r.want(m.op(driver.Read, f, int64(p.off), p.at, p.at+p.n), int32(p.n))
		r.same("memory after a Read", m.mem, overwrite(around, p.at, data[p.off:p.off+p.n]))

		next := pattern(int64(p.off), size, byte(i+1))
		copy(m.mem, next)
		write := m.op(driver.Write, f, int64(p.off), p.at, p.at+p.n)
		if i%2 == 1 {
			write.Reg = 0
		}
		r.want(write, int32(p.n))
		r.same("memory after a Write", m.mem, next)
		data = overwrite(data, p.off, next[p.at:p.at+p.n])
		r.same("file after a Write", f.Contents(r), data)
	}
	r.want(m.op(driver.Read, f, size-10, 100, 200), 10) // short
	r.want(m.op(driver.Read, f, size, 0, 100), 0)
	for _, code := range []driver.Code{driver.Nop, driver.Fsync, driver.Fdatasync} {
		r.want(m.op(code, f, 0, 0, 10), 0)
	}
	r.want(m.op(200, f, 0, 0, 10), invalid)
	bad := m.op(driver.Read, f, 0, 0, 10)
	bad.FD = -1
	r.want(bad, badFD)
}

// testRegisteredOutside names registered memory that does not contain Buf, or an index that does
// not exist.
func testRegisteredOutside(r *rig) {
	const size = 16 << 10 // 16 KiB
	data := pattern(0, size, 0)
	f := r.create(data)
	whole := make([]byte, 3*size)
	m := memory{whole, r.know(whole[size : 2*size])}
	other := r.register(size)
	refused := func(what string, o *driver.Op) {
		r.Helper()
		copy(whole, pattern(0, len(whole), 5))
		if res := r.do(o); res != fault {
			r.Errorf("%v %s = %s; want %s", o.Code, what, show(res), show(fault))
		}
		r.same("memory", whole, pattern(0, len(whole), 5))
		r.same("file", f.Contents(r), data)
	}
	for _, code := range []driver.Code{driver.Read, driver.Write} {
		for _, p := range []struct{ lo, hi int }{
			{0, 10}, {size - 1, size}, {size - 1, size + 1}, {2*size - 1, 2*size + 1}, {2 * size, 2*size + 1}, {size - 1, 2*size + 1}, {0, 3 * size},
		} {
			refused("outside of its memory", m.op(code, f, 0, p.lo, p.hi))
		}
		wrong := m.op(code, f, 0, size, 2*size)
		wrong.Reg = uint32(other.index) + 1
		refused("in other memory", wrong)
		for _, reg := range []uint32{500, 1 << 16, 1<<16 + wrong.Reg, 1 << 31, math.MaxUint32} {
			none := m.op(code, f, 0, size, 2*size)
			none.Reg = reg
			refused("in no memory", none)
		}
	}
	r.want(m.op(driver.Read, f, 0, size, 2*size), size)
	r.same("Read", whole[size:2*size], data)
}

func testRegisteredEmpty(r *rig) {
	f := r.create(pattern(0, 100, 0))
	m := r.register(4096)
	for _, code := range []driver.Code{driver.Read, driver.Write} {
		r.want(m.op(code, f, 0, 10, 10), 0)
		empty := op(code, f.FD(), 0, nil)
		empty.Reg = uint32(m.index) + 1
		r.want(empty, 0)
	}
}

// testRegisterAgain unregisters, after which operations cannot name the memory, and
// registers more often than the table has entries.
func testRegisterAgain(r *rig) {
	data := pattern(0, 4096, 0)
	f := r.create(data)
	reg := r.registrar()
	kept := r.register(4096)
	for i := range 3000 {
		m := r.register(4096)
		if m.index == kept.index {
			r.Fatalf("Register returned index %d twice", m.index)
		}
		if i%1000 == 0 {
			r.want(m.op(driver.Read, f, 0, 0, 4096), 4096)
			r.same("Read", m.mem, data)
		}
		reg.Unregister(m.index)
		if i%1000 == 0 {
			r.want(m.op(driver.Read, f, 0, 0, 4096), fault)
		}
	}
	r.want(kept.op(driver.Read, f, 0, 0, 4096), 4096)
	r.same("Read", kept.mem, data)
}

// testRegisterMany uses many pieces of registered memory at once.
func testRegisterMany(r *rig) {
	const pieces, size = 100, 8 << 10 // 8 KiB
	data := pattern(0, pieces*size, 0)
	f := r.create(data)
	var all []memory
	seen := map[int]bool{}
	for range pieces {
		m := r.register(size)
		if seen[m.index] {
			r.Fatalf("Register returned index %d twice", m.index)
		}
		seen[m.index] = true
		all = append(all, m)
	}
	var ops []*driver.Op
	for i, m := range all {
		ops = append(ops, m.op(driver.Read, f, int64(i*size), 0, size))
	}
	r.all(ops)
	for i, m := range all {
		r.same("Read", m.mem, data[i*size:][:size])
		copy(m.mem, pattern(int64(i*size), size, 9))
		ops[i] = m.op(driver.Write, f, int64(i*size), 0, size)
	}
	r.all(ops)
	for _, op := range ops {
		if op.Res != size {
			r.Errorf("Write = %s; want %d", show(op.Res), size)
		}
	}
	for i := range all {
		r.same("file", f.Contents(r)[i*size:][:size], pattern(int64(i*size), size, 9))
	}
}

// testRegisterInFlight registers and unregisters other memory while operations are in
// flight.
func testRegisterInFlight(r *rig) {
	const n, size = 32, 4 << 10 // 4 KiB
	data := pattern(0, n*size, 0)
	f := r.create(data)
	m, other := r.register(n*size), r.register(size)
	var ops []*driver.Op
	for i := range n {
		ops = append(ops, m.op(driver.Read, f, int64(i*size), i*size, (i+1)*size))
	}
	r.submit(ops[:n/2]...)
	more := r.register(size)
	r.registrar().Unregister(other.index)
	r.submit(ops[n/2:]...)
	r.registrar().Unregister(more.index)
	r.must(n)
	r.same("Reads", m.mem, data)
}

// testRegisterRace registers and unregisters in two goroutines, while a third submits and
// this one reaps.
func testRegisterRace(r *rig) {
	const blocks = 2000
	data := pattern(0, blocks*block, 7)
	f := r.create(data)
	m := r.register(blocks * block)
	reg := r.registrar()
	ops := make([]*driver.Op, blocks)
	for i := range ops {
		ops[i] = m.op(driver.Read, f, int64(i)*block, i*block, (i+1)*block)
		if i%3 == 0 {
			ops[i].Reg = 0
		}
	}
	stop := make(chan struct{})
	var others sync.WaitGroup
	for range 2 {
		others.Go(func() {
			for mem := make([]byte, 8192); ; {
				select {
				case <-stop:
					return
				default:
				}
				if i, err := reg.Register(mem); err == nil {
					reg.Unregister(i)
				}
			}
		})
	}
	r.pump(ops)
	close(stop)
	others.Wait()
	if !bytes.Equal(m.mem, data) {
		r.Error("reads while memory was registered returned wrong bytes")
	}
}

// testCloseRegistered closes the driver while memory is registered and in use.
func testCloseRegistered(r *rig) {
	const n, size = 32, 4 << 10 // 4 KiB
	data := pattern(0, n*size, 0)
	f := r.create(data)
	m := r.register(n * size)
	r.register(size)
	var ops []*driver.Op
	for i := range n {
		ops = append(ops, m.op(driver.Read, f, int64(i*size), i*size, (i+1)*size))
	}
	r.submit(ops...)
	reg := r.registrar()
	r.close()
	r.same("Reads", m.mem, data)
	if _, err := reg.Register(m.mem); err == nil {
		r.Error("Register after Close = nil; want an error")
	}
}

func testRegisterNothing(r *rig) {
	for _, mem := range [][]byte{nil, {}} {
		if i, err := r.registrar().Register(mem); err == nil {
			r.Errorf("Register of no memory = %d, nil; want an error", i)
		}
	}
}
