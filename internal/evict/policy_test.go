package evict

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sluiceio/sluice/internal/test/golden"
	"github.com/sluiceio/sluice/internal/test/seed"
)

func yes(int32) bool { return true }

func newPolicy(n int) *Policy {
	uses := make([]Uses, n)
	return New(n, func(i int32) *Uses { return &uses[i] })
}

// keys lists the keys in a queue, the newest first, each with its uses.
func (p *Policy) keys(q *queue) string {
	var b bytes.Buffer
	for i := q.first; i != none; i = p.slots[i].next {
		fmt.Fprintf(&b, " %c", rune(p.slots[i].key))
		if u := p.uses(i).n.Load(); u > 0 {
			fmt.Fprint(&b, u)
		}
	}
	return b.String()
}

// A cache of ten keys. Each letter of the script is a use of that key.
func TestGolden(t *testing.T) {
	var out bytes.Buffer
	p := newPolicy(10)
	held := map[uint64]int32{}
	for _, k := range "abcabcdefghijklmnopqacdqrsturstuABCDEFGHIJKLMNOabAB" {
		key := uint64(k)
		if i, ok := held[key]; ok {
			p.uses(i).Touch()
			fmt.Fprintf(&out, "%c hit   ", k)
		} else {
			i := int32(p.Len())
			gone := "      "
			if p.Len() == 10 {
				i, _ = p.Evict(yes)
				gone = fmt.Sprintf(" for %c ", rune(p.slots[i].key))
				delete(held, p.slots[i].key)
			}
			p.Insert(i, key)
			held[key] = i
			fmt.Fprintf(&out, "%c%s", k, gone)
		}
		fmt.Fprintf(&out, " small:%s  main:%s\n", p.keys(&p.small), p.keys(&p.main))
	}
	golden.Compare(t, "testdata/script.golden", out.Bytes())
}

// model is S3-FIFO with slices; the newest key comes last.
type model struct {
	n           int
	small, main []int32
	keys        map[int32]uint64
	uses        map[int32]int
	gone        []uint64 // the ghosts, the newest last; 0 is a used one
}

func (m *model) insert(i int32, key uint64) {
	m.keys[i], m.uses[i] = key, 0
	if at := slices.Index(m.gone, key); at >= 0 {
		m.gone[at] = 0
		m.main = append(m.main, i)
	} else {
		m.small = append(m.small, i)
	}
}

func (m *model) remove(i int32) {
	is := func(j int32) bool { return i == j }
	m.small, m.main = slices.DeleteFunc(m.small, is), slices.DeleteFunc(m.main, is)
}

func (m *model) evict(free func(int32) bool) int32 {
	if len(m.small) <= max(1, m.n/10) {
		if i := m.evictMain(free); i >= 0 {
			return i
		}
	}
	if i := m.evictSmall(free); i >= 0 {
		return i
	}
	return m.evictMain(free)
}

func (m *model) evictSmall(free func(int32) bool) int32 {
	for range len(m.small) {
		i := m.small[0]
		m.small = m.small[1:]
		if m.uses[i] > 0 {
			m.uses[i] = 0
			m.main = append(m.main, i)
		} else if free(i) {
			m.gone = append(m.gone, m.keys[i])
			m.gone = m.gone[max(0, len(m.gone)-m.n):]
			return i
		} else {
			m.small = append(m.small, i)
		}
	}
	return none
}

func (m *model) evictMain(free func(int32) bool) int32 {
	for range 4 * len(m.main) {
		i := m.main[0]
		m.main = m.main[1:]
		if m.uses[i] == 0 && free(i) {
			return i
		}
		m.uses[i] = max(0, m.uses[i]-1)
		m.main = append(m.main, i)
	}
	return none
}

func TestModel(t *testing.T) {
	start := seed.Of(t)
	rnd := rand.New(rand.NewPCG(start, 0))
	for range 50 {
		n := 1 + rnd.IntN(30)
		p := newPolicy(n)
		p.ghosts = newGhosts(100 * n) // no bucket is ever full
		p.ghosts.capacity = uint32(n)
		m := &model{n: n, keys: map[int32]uint64{}, uses: map[int32]int{}}
		var empty []int32
		for i := range n {
			empty = append(empty, int32(i))
		}
		var full []int32
		for range 2000 {
			switch {
			case rnd.IntN(20) == 0 && len(full) > 0:
				at := rnd.IntN(len(full))
				i := full[at]
				p.Remove(i)
				m.remove(i)
				full = slices.Delete(full, at, at+1)
				empty = append(empty, i)
			case rnd.IntN(2) == 0 && len(full) > 0:
				i := full[rnd.IntN(len(full))]
				p.uses(i).Touch()
				m.uses[i] = min(3, m.uses[i]+1)
			default:
				if len(empty) == 0 {
					busy := rnd.Uint32() & rnd.Uint32()
					free := func(i int32) bool { return busy>>(i%32)&1 == 0 }
					i, ok := p.Evict(free)
					if want := m.evict(free); i != want || ok != (want >= 0) {
						t.Fatalf("Evict = %d, %t; want %d", i, ok, want)
					}
					if !ok {
						continue
					}
					empty = append(empty, i)
					full = slices.DeleteFunc(full, func(j int32) bool { return i == j })
				}
				i := empty[len(empty)-1]
				empty = empty[:len(empty)-1]
				full = append(full, i)
				key := 1 + rnd.Uint64N(uint64(3*n))
				for slices.ContainsFunc(full[:len(full)-1], func(j int32) bool { return m.keys[j] == key }) {
					key = 1 + rnd.Uint64N(uint64(3*n))
				}
				p.Insert(i, key)
				m.insert(i, key)
			}
			if p.small.len != len(m.small) || p.main.len != len(m.main) || p.Len() != len(full) {
				t.Fatalf("queues of %d and %d; want %d and %d", p.small.len, p.main.len, len(m.small), len(m.main))
			}
		}
	}
}

// If very many slots are in use, Evict gives up and does not look at all of them.
func TestBusy(t *testing.T) {
	p := newPolicy(100_000)
	for i := range int32(100_000) {
		p.Insert(i, uint64(i))
	}
	asked := 0
	if _, ok := p.Evict(func(int32) bool { asked++; return false }); ok || asked != maxBusy {
		t.Errorf("Evict = %t after %d refusals; want false after %d", ok, asked, maxBusy)
	}
}

func TestGhosts(t *testing.T) {
	const n = 10_000
	g := newGhosts(n)
	for k := range uint64(3 * n) {
		g.add(k)
	}
	for k := range uint64(2 * n) {
		if g.take(k) {
			t.Fatalf("key %d is remembered after %d others", k, 3*n-1-int(k))
		}
	}
	lost := 0
	for k := uint64(2 * n); k < 3*n; k++ {
		if !g.take(k) {
			lost++
		}
		if g.take(k) {
			t.Fatalf("key %d is remembered twice", k)
		}
	}
	if lost > n/20 {
		t.Errorf("%d of %d are forgotten; want at most a twentieth", lost, n)
	}
}

func TestRemoveOfNothing(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Remove of a slot that holds no key does not panic")
		}
	}()
	newPolicy(1).Remove(0)
}
