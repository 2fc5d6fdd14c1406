package lostsyncs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/internal/test/testenv"
)

// tree is a tree that is copied durably.
type tree struct {
	o        *round
	src, dst string
	way      TreeCopy
	call     *call
}

func (o *round) newTree(r *rand.Rand, ways []TreeCopy) *tree {
	src := testenv.MemoryDir(o.t)
	h := &handle{kind: "tree", own: true}
	x := &tree{
		o: o, src: src, dst: o.name + ".copy", way: ways[r.IntN(len(ways))],
		call: &call{goroutine: len(o.goroutines), h: h},
	}
	x.call.way = x.way.Name
	for i := range 1 + r.IntN(20) {
		name := fmt.Sprint(i)
		data := make([]byte, page)
		mark := testenv.KeptMark
		if r.IntN(8) == 0 {
			mark = testenv.LostMark
		}
		x.call.answers = append(x.call.answers, &block{
			number: o.disk.Block(data, mark), name: filepath.Join(x.dst, name), data: data, from: h,
		})
		testenv.Write(o.t, filepath.Join(src, name), string(data))
	}
	o.t.Cleanup(func() { os.RemoveAll(x.dst) })
	return x
}

func (x *tree) copy() {
	c := x.call
	x.o.event()
	c.began = x.o.clock.Add(1)
	c.err = x.way.Do(context.Background(), x.o.s, x.dst, x.src)
	x.o.returned(c)
	x.o.wantLoss("the copy of a tree", c.err)
}
