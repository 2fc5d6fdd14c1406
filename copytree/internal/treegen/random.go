package treegen

import (
	"math/rand/v2"
	"strings"
)

// Options bounds the trees of Random. Able sets the fields that depend on the directory.
type Options struct {
	Nodes    int      // the number of files, roughly; 0: 40
	MaxFile  int64    // the largest File in bytes; 0: 3 MiB
	MaxXattr int64    // the largest value of an attribute in bytes; 0: no attributes
	ACLs     bool     // there may be ACLs
	Root     bool     // there may be owners, devices, and modes that keep the owner out
	Numbers  bool     // devices may have all numbers of a dev_t; xfs cannot store some
	Names    []string // if not nil, the only names: for trees that are merged
	Few      bool     // few symbolic links to directories: for copies that follow them
}

// maxPath is the longest Path. GNU cp joins whole paths of source and destination, and PATH_MAX is
// 4096.
const maxPath = 1500

// random is a Tree that is being made.
type random struct {
	*rand.Rand
	o    Options
	tree Tree
	dirs []string // Paths of directories for new nodes
	have map[string]bool
}

// Random makes a tree that depends only on seed and o.
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

// grow adds a node, or several.
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

// put gives a node a directory and a name, and adds it unless the name is taken.
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

// chain adds directories inside each other.
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

// symlink makes a symbolic link, usually to a node of the tree. Absolute targets lead to files that
// are harmless to copy.
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

// hardLink adds another name of a node that is not a directory.
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
