package record

import (
	"errors"
	"os"

	"github.com/sluiceio/sluice/internal/sys"
)

// Create returns a Recorder whose memory is a new file, which must not exist. All records are in
// the file however the process ends. The file grows with the records to its full size; if the disk
// becomes full before, later records are lost. The memory stays mapped until the process ends.
func Create(name string, o Options) (*Recorder, error) {
	f, err := sys.MapCreate(name)
	if err != nil {
		return nil, err
	}
	r, err := onFile(f, o)
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(name))
	}
	return r, nil
}

func onFile(f *os.File, o Options) (*Recorder, error) {
	l := o.layout()
	parts := [...]int{pageSize, l.names, l.stripes * stripeSize, l.chunks * pageSize}
	size := 0
	for _, n := range parts {
		size += n
	}
	mem, err := sys.MapNew(f, size)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	self, err := f.Stat()
	if err != nil {
		return nil, err
	}
	g := &growth{f: f, self: self, mem: mem, chunks: size - parts[3], maxChunks: l.chunks}
	if err := g.begin(parts[0], parts[1]); err != nil {
		return nil, &os.PathError{Op: "allocate", Path: f.Name(), Err: err}
	}
	part := func(i int) []byte {
		b := mem[:parts[i]]
		mem = mem[parts[i]:]
		return b
	}
	r := &Recorder{area: area{
		head:    &sys.View[header](part(0), 1)[0],
		names:   part(1),
		stripes: sys.View[stripe](part(2), l.stripes),
		chunks:  sys.View[chunk](part(3), l.chunks),
	}, growth: g}
	g.chunksReady = &r.head.ready
	if err := g.addChunks(); err != nil {
		return nil, &os.PathError{Op: "allocate", Path: f.Name(), Err: err}
	}
	r.init(o)
	return r, nil
}
