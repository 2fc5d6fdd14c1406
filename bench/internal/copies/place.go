package copies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/bench/internal/image"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/bench/scratch"
)

// Spec says where, and what is copied.
type Spec struct {
	Dir     string
	NoImage bool   // in the directory itself, and not in an image there
	Kind    string // of the image's file system; "" is Usual where there can be an image
	Usual   string // "" is ext4
	Shape   tree.Shape
}

// About describes a Place.
type About struct {
	What  string   `json:"what"`            // the file system, for people
	Kind  string   `json:"kind"`            // of it, as in ext4
	Mount string   `json:"mount,omitempty"` // its options
	Notes []string `json:"notes,omitempty"` // what makes its figures doubtful
	Drops bool     `json:"drops_caches"`    // all of them; else the contents of the tree's files alone
	Sum   tree.Sum `json:"tree"`
	Part  tree.Sum `json:"part"` // of tree.Part, if there is one
}

// Place is a file system with a tree to copy. It is for one goroutine.
type Place struct {
	about About
	image *image.Image // nil if it is the directory itself
	work  string       // a directory of ours with all that is in it
	src   string
	made  int // copies, for their names
}

// spared is how many copies there is room for beside the source: one, and what a
// file system does not give back at once; and more, as ext4 begins to write as
// soon as less is free than twice what waits to be written (ext4_nonda_switch in
// fs/ext4/inode.c), which is not what is measured.
const spared = 2.5

// slack is what a file system needs for itself.
const slack = 256 << 20 // 256 MiB

// size returns what the tree and a copy of it take.
func (s Spec) size() int64 {
	inodes := (s.Shape.Files() + s.Shape.Dirs()) * 512
	return int64(float64(s.Shape.OnDisk()+inodes)*(1+spared)) + slack
}

// Open makes a place and the tree in it. progress is told what is being done,
// and the fraction of it. The caller closes the Place in any case, a panic
// included.
func Open(ctx context.Context, s Spec, progress func(what string, done float64)) (*Place, error) {
	p := &Place{}
	if err := p.open(ctx, s, progress); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Place) open(ctx context.Context, s Spec, progress func(string, float64)) error {
	root, err := p.root(ctx, s, progress)
	if err != nil {
		return err
	}
	if p.work, err = os.MkdirTemp(root, ".sluice-bench-*"); err != nil {
		return fmt.Errorf("cannot create a directory in %s: %w", s.Dir, err)
	}
	if p.work, err = filepath.Abs(p.work); err != nil {
		return err
	}
	m := machine.Describe(p.work)
	p.about.What, p.about.Kind, p.about.Mount, p.about.Drops = m.Disk(), m.FileSystem, m.Mount, canDropAll()
	if p.image == nil && !journaled(p.work, m.FileSystem) {
		p.about.Notes = append(p.about.Notes, "this ext4 has no journal: for minutes it avoids the inodes of files that were removed, so that a tree that is made anew is slow; as root there is an image that has one")
	}
	p.src = filepath.Join(p.work, "source")
	if err := tree.Make(ctx, p.src, s.Shape, func(done float64) { progress("making the tree", done) }); err != nil {
		return err
	}
	progress("reading the tree", 1)
	if p.about.Sum, err = tree.SumOf(p.src); err != nil {
		return err
	}
	if s.Shape.Levels == 1 {
		return nil
	}
	p.about.Part, err = tree.SumOf(tree.Part(p.src))
	return err
}

// root returns the directory to work in: that of an image, or s.Dir itself
// where there can be none and nobody has asked for one.
func (p *Place) root(ctx context.Context, s Spec, progress func(string, float64)) (string, error) {
	if s.NoImage {
		return s.Dir, scratch.CheckSpace(s.Dir, s.size())
	}
	kind := cmp.Or(s.Kind, s.Usual, "ext4")
	var err error
	p.image, err = image.Create(ctx, s.Dir, kind, s.size(), func(done float64) {
		progress("making an image with "+kind, done)
	})
	if err == nil {
		if p.image.Note != "" {
			p.about.Notes = append(p.about.Notes, p.image.Note)
		}
		return p.image.Dir(), nil
	}
	if _, ok := errors.AsType[*image.UnavailableError](err); !ok || s.Kind != "" {
		return "", err
	}
	p.about.Notes = append(p.about.Notes, fmt.Sprintf("no image of a file system (%v): what is measured is the directory's own", err))
	return s.Dir, scratch.CheckSpace(s.Dir, s.size())
}

// About describes the place.
func (p *Place) About() About { return p.about }

// Has reports whether the program is installed.
func (p *Place) Has(c Contender) bool {
	_, err := c.find()
	return err == nil
}

// Close removes all there is.
func (p *Place) Close() error {
	var errs []error
	if p.image == nil && p.work != "" { // with an image all goes at once
		errs = append(errs, os.RemoveAll(p.work))
	}
	if p.image != nil {
		errs = append(errs, p.image.Close())
	}
	return errors.Join(errs...)
}
