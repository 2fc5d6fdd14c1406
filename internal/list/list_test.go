package list

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// item is a value in the lists of the tests.
type item struct {
	links Node[item]
	id    int
}

// check fails the test unless l contains want, forwards and backwards.
func check(t *testing.T, l *List[item], want []*item) {
	t.Helper()
	var forwards, backwards []*item
	for i := l.Front(); i != nil; i = i.links.Next() {
		forwards = append(forwards, i)
	}
	for i := l.Back(); i != nil; i = i.links.Prev() {
		backwards = append(backwards, i)
	}
	slices.Reverse(backwards)
	if !slices.Equal(forwards, want) || !slices.Equal(backwards, want) || l.Len() != len(want) {
		t.Fatalf("%d forwards, %d backwards, Len = %d; want %d, in their order", len(forwards), len(backwards), l.Len(), len(want))
	}
}

// Two lists behave as two slices do, for any order of calls. Values move from one to the other.
func TestAsSlices(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed.Of(t), 0))
	var lists [2]List[item]
	var want [2][]*item
	free := make([]*item, 20)
	for i := range free {
		free[i] = &item{id: i}
	}
	for range 20000 {
		k := rnd.IntN(2)
		l := &lists[k]
		switch {
		case rnd.IntN(2) == 0 && len(want[k]) > 0:
			i := rnd.IntN(len(want[k]))
			out := want[k][i]
			l.Remove(&out.links)
			want[k] = slices.Delete(want[k], i, i+1)
			free = append(free, out)
			if out.links != (Node[item]{}) {
				t.Fatalf("after Remove the node is %+v; want it to hold nothing", out.links)
			}
		case len(free) > 0:
			in := free[0]
			free = free[1:]
			if rnd.IntN(2) == 0 {
				l.PushFront(&in.links, in)
				want[k] = slices.Insert(want[k], 0, in)
			} else {
				l.PushBack(&in.links, in)
				want[k] = append(want[k], in)
			}
		}
		for k := range lists {
			check(t, &lists[k], want[k])
			for j := range lists {
				for _, i := range want[j] {
					if lists[k].Has(&i.links) != (j == k) {
						t.Fatalf("item %d is in list %d; Has of list %d = %t", i.id, j, k, j != k)
					}
				}
			}
		}
		for _, i := range free {
			if lists[0].Has(&i.links) || lists[1].Has(&i.links) || i.links.Next() != nil || i.links.Prev() != nil {
				t.Fatalf("item %d is in no list; Has says otherwise", i.id)
			}
		}
	}
}

// Remove does not walk the list: the list is cut after its first and before its last value, so a
// walk would not reach the middle.
func TestRemoveDoesNotWalk(t *testing.T) {
	var l List[item]
	items := make([]*item, 7)
	for i := range items {
		items[i] = &item{id: i}
		l.PushBack(&items[i].links, items[i])
	}
	first, last := &items[0].links, &items[6].links
	first.next, last.prev = nil, nil
	if !l.Has(&items[3].links) {
		t.Error("Has does not find the middle one")
	}
	l.Remove(&items[3].links)
	first.next, last.prev = &items[1].links, &items[5].links
	check(t, &l, slices.Delete(slices.Clone(items), 3, 4))
}

// Misuse panics before it damages a list.
func TestMisuse(t *testing.T) {
	var l, other List[item]
	in, out := &item{}, &item{}
	l.PushBack(&in.links, in)
	for what, c := range map[string]struct {
		do   func()
		want string
	}{
		"PushBack twice":               {func() { l.PushBack(&in.links, in) }, "list: a value is pushed that is in a list already"},
		"PushFront twice":              {func() { l.PushFront(&in.links, in) }, "list: a value is pushed that is in a list already"},
		"PushBack to another":          {func() { other.PushBack(&in.links, in) }, "list: a value is pushed that is in a list already"},
		"Remove from another":          {func() { other.Remove(&in.links) }, "list: a value is removed from a list that it is not in"},
		"Remove of a value in no list": {func() { l.Remove(&out.links) }, "list: a value is removed from a list that it is not in"},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("%s: panic %v; want %s", what, got, c.want)
				}
			}()
			c.do()
		}()
		check(t, &l, []*item{in})
		check(t, &other, nil)
	}
}

func TestNoAllocations(t *testing.T) {
	var l List[item]
	a, b := &item{}, &item{}
	allocs.None(t, "a List", func() error {
		l.PushBack(&a.links, a)
		l.PushFront(&b.links, b)
		l.Remove(&a.links)
		l.Remove(&b.links)
		return nil
	})
}

// BenchmarkQueue removes the first of several values and adds it at the end.
func BenchmarkQueue(b *testing.B) {
	var l List[item]
	for range 8 {
		i := &item{}
		l.PushBack(&i.links, i)
	}
	b.ReportAllocs()
	for b.Loop() {
		i := l.Front()
		l.Remove(&i.links)
		l.PushBack(&i.links, i)
	}
}
