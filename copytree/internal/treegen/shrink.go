package treegen

// maxTries bounds how often Shrink calls fails.
const maxTries = 2000

// Shrink returns a tree for which fails is still true, as small as it comes:
// first without nodes, more and more of them at a time fewer, then with plain
// nodes. fails must be true for t; it is called at most 2,000 times.
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

// try takes t if it fails too.
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

// without leaves out n nodes at a time, from the end, where leaves are.
func (s *shrinker) without(n int) {
	for end := len(s.best); end > 1; end -= n {
		end = min(end, len(s.best))
		less := s.best.Only(func(i int) bool { return i < end-n || i >= end })
		if len(less) < len(s.best) {
			s.try(less)
		}
	}
}

// plain changes node i, if that still fails.
func (s *shrinker) plain(i int, change func(*Node)) {
	t := append(Tree(nil), s.best...)
	change(&t[i])
	if t[i].String() != s.best[i].String() {
		s.try(t)
	}
}

// plainer are changes of a node towards one that has nothing particular.
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
