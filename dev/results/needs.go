package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/sluiceio/sluice/bench/scratch"
)

// surroundings decide how much of a published form is possible here.
type surroundings struct {
	root, fio, fuse bool
	free            int64 // bytes
}

func lookAround(dir string) surroundings {
	has := func(program string) bool { _, err := exec.LookPath(program); return err == nil }
	return surroundings{root: os.Geteuid() == 0, fio: has("fio"), fuse: has("fusermount3"), free: scratch.Free(dir)}
}

// fileSize is the size of the temporary file of most experiments.
const fileSize = 1 << 30 // 1 GiB

// arguments returns the arguments of sluice bench for the page, and the omitted parts of the
// published form with the reasons. An error says why nothing can be measured.
func (s surroundings) arguments(p page, quick bool) (args, without []string, err error) {
	args = slices.Clone(p.args)
	if p.fio && s.fio {
		args = append(args, "--fio")
	}
	if p.fio && !s.fio {
		without = append(without, "the rows of fio: it is not installed")
	}
	if p.image && !s.root {
		without = append(without, "a file system of its own for the copies: that takes root")
	}
	if p.raw && !s.root {
		without = append(without, "the loop device, and so the I/O schedulers in turn: that takes root; the writes go to a file")
	}
	switch {
	case p.memory && !s.root:
		return nil, nil, errors.New("to limit the memory of processes takes root")
	case p.slow && !s.root && !s.fuse:
		return nil, nil, fmt.Errorf("the slow disk takes root, or fusermount3")
	case p.slow && !s.root:
		without = append(without, "the throttled loop device: that takes root; the slow disk is a file system in user space")
	}
	if quick {
		args = slices.DeleteFunc(args, func(a string) bool { return a == "--full" })
		return slices.Concat(args, tiny, p.quick), without, nil
	}
	switch {
	case s.free < fileSize:
		return nil, nil, fmt.Errorf("its file of 1 GiB needs more than the %d MiB that are free", s.free>>20)
	case s.free < fileSize+p.space:
		args = slices.DeleteFunc(args, func(a string) bool { return a == "--full" })
		without = append(without, fmt.Sprintf("the published size, which needs %d GiB: %d GiB are free", (fileSize+p.space)>>30, s.free>>30))
	}
	return args, without, nil
}
