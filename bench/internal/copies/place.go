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

// Spec describes a Place for Open.
type Spec struct {
	Dir     string
	NoImage bool   // use Dir itself, not an image of a file system in it
	Kind    string // the image's file system; "" is Usual or, if impossible, Dir
	Usual   string // "" is ext4
	Shape   tree.Shape
}

// About describes a Place.
type About struct {
	What  string   `json:"what"`            // the file system, as text
	Kind  string   `json:"kind"`            // of the file system, as in ext4
	Mount string   `json:"mount,omitempty"` // mount options
	Notes []string `json:"notes,omitempty"` // reasons to doubt its figures
	// Drops says whether all caches are dropped, not only the tree's files.
	Drops bool     `json:"drops_caches"`
	Sum   tree.Sum `json:"tree"`
	Part  tree.Sum `json:"part"` // of tree.Part; zero if the tree has one level
}

// Place is a file system with a tree to copy. It is for one goroutine.
type Place struct {
	about About
	image *image.Image // nil if the place is the directory
	work  string       // a new directory for all files
	src   string       // the tree
	made  int          // copies made so far, for their names
}

// copiesRoom is the number of copies that have room beside the source. One is needed. But a file
// system does not free the last copy's blocks at once. And ext4 begins to write early if the free
// space is less than twice the dirty data (ext4_nonda_switch in fs/ext4/inode.c), which would
// distort the figures.
const copiesRoom = 2.5

// slack is space for the file system's own data.
const slack = 256 << 20 // 256 MiB

// size returns the space that the tree and its copies need.
func (s Spec) size() int64 {
	inodes := (s.Shape.Files() + s.Shape.Dirs()) * 512
	return int64(float64(s.Shape.OnDisk()+inodes)*(1+copiesRoom)) + slack
}

// Open makes a place and the tree in it. It calls progress with the current step and the completed
// fraction. The caller must close the Place, even in a panic.
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
		p.about.Notes = append(p.about.Notes, "this ext4 has no journal, so for minutes it does not reuse the inodes of removed files, and creating files is slow; an image (as root, without --no-image) has a journal")
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

// root returns the working directory: an image's, or s.Dir if there can be no image and the user
// did not ask for one.
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
	p.about.Notes = append(p.about.Notes, fmt.Sprintf("no image of a file system (%v): the directory's own is measured", err))
	return s.Dir, scratch.CheckSpace(s.Dir, s.size())
}

// About returns a description of the place.
func (p *Place) About() About { return p.about }

// Has reports whether the program is installed.
func (p *Place) Has(c Contender) bool {
	_, err := c.find()
	return err == nil
}

// Close removes the tree and the image.
func (p *Place) Close() error {
	var errs []error
	if p.image == nil && p.work != "" { // an image is removed as a whole
		errs = append(errs, os.RemoveAll(p.work))
	}
	if p.image != nil {
		errs = append(errs, p.image.Close())
	}
	return errors.Join(errs...)
}
