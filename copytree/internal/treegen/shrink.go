package treegen

// maxTries bounds the number of fails's calls in Shrink.
const maxTries = 2000

// Shrink returns a small tree for which fails is true. It leaves out nodes, first many and then
// fewer at a time. Then it makes the remaining ones plain. fails must be true for t. It is called
// at most 2,000 times.
func Shrink(t Tree, fails func(Tree) bool) Tree {
	s := shrinker{best: t, fails: fails, left: maxTries}
	for n := len(s.best); n > 0; n /= 2 {
		s.without(n)
	}
	for i := range s.best {
		for _, plainer := range plainer {
			s.plain(i, plainer)
		}
	}
	return s.best
}

type shrinker struct {
	best  Tree
	fails func(Tree) bool
	left  int
}

// try keeps t if fails is true for it.
func (s *shrinker) try(t Tree) bool {
	if s.left == 0 {
		return false
	}
	s.left--
	if !s.fails(t) {
		return false
	}
	s.best = t
	return true
}

// without leaves out n nodes at a time, beginning at the end, where the leaves are.
func (s *shrinker) without(n int) {
	for end := len(s.best); end > 1; end -= n {
		end = min(end, len(s.best))
		less := s.best.Only(func(i int) bool { return i < end-n || i >= end })
		if len(less) < len(s.best) {
			s.try(less)
		}
	}
}

// plain makes node i plain, if fails stays true.
func (s *shrinker) plain(i int, change func(*Node)) {
	t := append(Tree(nil), s.best...)
	change(&t[i])
	if t[i].String() != s.best[i].String() {
		s.try(t)
	}
}

// plainer has changes that make a node more ordinary.
var plainer = []func(*Node){
	func(n *Node) { n.Xattrs = nil },
	func(n *Node) { n.ACL = nil },
	func(n *Node) { n.Default = nil },
	func(n *Node) { n.UID, n.GID = 0, 0 },
	func(n *Node) { n.Atime = Time{} },
	func(n *Node) { n.Mtime = Time{} },
	func(n *Node) { n.Mode = 0o755 },
	func(n *Node) { n.Size, n.Data = 0, nil },
	func(n *Node) { n.Data = n.Data[:len(n.Data)/2] },
	func(n *Node) { n.Data = n.Data[len(n.Data)/2:] },
}
