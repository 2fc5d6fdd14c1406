package experiments

import (
	"context"
	"errors"
	"time"

	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/internal/fio"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/internal/tree"
)

// fakeTrees invents the usage of a copy from the program and the mode alone.
type fakeTrees struct {
	about   copies.About
	missing map[string]string // why a program fails, by the program's name

	copies int
	order  []string
	fails  func() error // Copy calls it, unless it is nil
	closed bool
}

func newFakeTrees(shape tree.Shape, missing map[string]string) *fakeTrees {
	sum := func(s tree.Shape) tree.Sum {
		return tree.Sum{Files: s.Files(), Dirs: s.Dirs(), Bytes: s.Data(), Digest: "fake"}
	}
	part := shape
	part.Levels--
	return &fakeTrees{missing: missing, about: copies.About{
		What: "ext4 on loop7, I/O scheduler none", Kind: "ext4", Drops: missing == nil, Sum: sum(shape), Part: sum(part),
	}}
}

func (f *fakeTrees) About() copies.About { return f.about }

// Has reports false for fcp and cpz.
func (f *fakeTrees) Has(c copies.Contender) bool { return fakeSpeeds[firstWord(c.Name)] > 0 }

func (f *fakeTrees) Close() error { f.closed = true; return nil }

// fakeSpeeds has the speed of each program relative to cp, by the first word of its name.
var fakeSpeeds = map[string]float64{"cp": 1, "sluice": 2.2, "xcp": 1.4, "rsync": 0.6, "floor": 2.5}

func (f *fakeTrees) Copy(_ context.Context, c copies.Contender, m copies.Mode, _ bool) (program.Usage, error) {
	f.copies++
	f.order = append(f.order, c.Name)
	if reason := f.missing[c.Name]; reason != "" {
		return program.Usage{}, &copies.FailedError{Err: errors.New(reason)}
	}
	if f.fails != nil {
		if err := f.fails(); err != nil {
			return program.Usage{}, err
		}
	}
	sum := f.about.Sum
	if m.Part {
		sum = f.about.Part
	}
	each := 30*time.Microsecond + time.Duration(sum.Bytes/sum.Files/4) // 4 GB/s
	if m.Cold {
		each *= 5
	}
	word := firstWord(c.Name)
	speed := fakeSpeeds[word]
	if c.Name == smallBlocks {
		speed = 0.8
	}
	took := time.Duration(float64(sum.Files) * float64(each) / speed)
	took += took * time.Duration(f.copies%5) / 100
	return program.Usage{
		Elapsed: took, CPU: took / 2, Peak: program.Peak{Threads: len(word), RSS: int64(len(word)) << 20},
	}, nil
}

func (f fakeLab) Trees(_ context.Context, _ string, shape tree.Shape, progress func(string, float64)) (Trees, error) {
	progress("making the tree", 1)
	return newFakeTrees(shape, f.missing), nil
}

// Mixed moves half as many bytes when cold, and a tenth in small blocks.
func (f fakeLab) Mixed(_ context.Context, job fio.Mixed) (reads, writes load.Slice, err error) {
	if reason := f.missing["fio"]; reason != "" {
		return reads, writes, &fio.MissingError{Err: errors.New(reason)}
	}
	rate := 1e9
	if job.Random {
		rate /= 10
	}
	if !job.PreRead {
		rate /= 2
	}
	half := float64(job.Size) / 2
	s := load.Slice{Ops: half / float64(job.Block), Elapsed: time.Duration(half / rate * float64(time.Second))}
	return s, s, nil
}
