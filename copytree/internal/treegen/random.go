package treegen

import (
	"math/rand/v2"
	"strings"
)

// Options say what Random may make up. Able sets those that depend on the
// place.
type Options struct {
	Nodes    int      // about how many files; 0 is 40
	MaxFile  int64    // the largest File in bytes; 0 is 3 MiB
	MaxXattr int64    // the largest value of an attribute in bytes; 0 is no attributes
	ACLs     bool     // whether there are ACLs
	Root     bool     // whether there are owners, devices, and modes that keep the owner out
	Numbers  bool     // whether devices have numbers up to those of a dev_t, which xfs has no room for
	Names    []string // when not nil, all names there are: for trees that meet
	Few      bool     // few symbolic links to directories: for copies that follow them
}

// maxPath is how long a Path may be. cp joins whole paths, of source and
// destination, and PATH_MAX is 4096.
const maxPath = 1500

// random is a Tree that is being made up.
type random struct {
	*rand.Rand
	o    Options
	tree Tree
	dirs []string // Paths that something may be put in
	have map[string]bool
}

// Random makes up a tree. It depends on seed and o alone.
func Random(seed uint64, o Options) Tree {
	if o.Nodes == 0 {
		o.Nodes = 40
	}
	if o.MaxFile == 0 {
		o.MaxFile = 3 << 20
	}
	r := &random{Rand: rand.New(rand.NewPCG(seed, 0x736c75696365)), o: o, have: map[string]bool{}}
	r.add(Node{Kind: Dir, Mode: 0o755})
	n := r.IntN(2 * r.o.Nodes)
	for range 10 * n { // with few names, all may be taken
		if len(r.tree) < n {
			r.grow()
		}
	}
	return r.tree
}

// grow adds something.
func (r *random) grow() {
	switch p := r.IntN(100); {
	case p < 35:
		r.put(r.file())
	case p < 55:
		r.put(Node{Kind: Dir})
	case p < 70:
		r.put(r.symlink())
	case p < 80:
		r.hardLink()
	case p < 88:
		r.put(r.special())
	case p < 90:
		r.chain(5 + r.IntN(40))
	case p < 92:
		r.wide(20 + r.IntN(100))
	default:
		r.put(Node{Kind: File})
	}
}

// put gives a node a place and a name, and adds it unless that is taken.
func (r *random) put(n Node) bool {
	dir := r.dirs[r.IntN(len(r.dirs))]
	return r.putIn(dir, n)
}

func (r *random) putIn(dir string, n Node) bool {
	n.Path = r.name()
	if dir != "" {
		n.Path = dir + "/" + n.Path
	}
	if r.have[n.Path] || len(n.Path) > maxPath {
		return false
	}
	if n.Kind != HardLink {
		r.attributes(&n)
	}
	r.add(n)
	return true
}

func (r *random) add(n Node) {
	r.have[n.Path] = true
	r.tree = append(r.tree, n)
	if n.Kind == Dir {
		r.dirs = append(r.dirs, n.Path)
	}
}

// chain adds directories in each other.
func (r *random) chain(depth int) {
	dir := r.dirs[r.IntN(len(r.dirs))]
	for range depth {
		if !r.putIn(dir, Node{Kind: Dir}) {
			return
		}
		dir = r.tree[len(r.tree)-1].Path
	}
}

// wide adds empty files to one directory.
func (r *random) wide(n int) {
	dir := r.dirs[r.IntN(len(r.dirs))]
	for range n {
		r.putIn(dir, Node{Kind: File})
	}
}

// symlink makes a link to something of the tree, most of the time. The texts
// of those that are absolute lead nowhere that would be terrible to copy.
func (r *random) symlink() Node {
	n := Node{Kind: Symlink}
	to := r.tree[r.IntN(len(r.tree))]
	switch p := r.IntN(6); {
	case p == 0:
		n.Target = []string{"/dev/null", "/nonexistent/\xff", "/etc/hostname"}[r.IntN(3)]
	case p == 1:
		n.Target = r.name() // dangling, or itself
	case to.Kind == Dir && r.o.Few || to.Path == "":
		n.Target = "../" + r.name()
	case p == 2:
		n.Target = "./" + to.Path + "/../" + to.Path
	default:
		n.Target = strings.Repeat("../", r.IntN(4)) + to.Path
	}
	return n
}

// hardLink adds another name of anything that is not a directory.
func (r *random) hardLink() {
	to := r.tree[r.IntN(len(r.tree))]
	if to.Kind == HardLink {
		to.Path = to.Target
	}
	if to.Kind != Dir {
		r.put(Node{Kind: HardLink, Target: to.Path})
	}
}

func (r *random) special() Node {
	kind := []Kind{FIFO, Socket}[r.IntN(2)]
	if !r.o.Root || r.IntN(2) == 0 {
		return Node{Kind: kind}
	}
	numbers := [][2]uint32{{1, 3}, {1, 5}, {7, 300}, {259, 4}}
	if r.o.Numbers {
		numbers = append(numbers, [2]uint32{0xfff, 0xfffff})
	}
	number := numbers[r.IntN(len(numbers))]
	return Node{Kind: []Kind{CharDevice, BlockDevice}[r.IntN(2)], Major: number[0], Minor: number[1]}
}
