package merge

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/golden"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// TestGolden plays each script in testdata and compares the Window's answers with the script. The
// first line of a script is
//
//	window SIZE GAP AMPLIFICATION MOST
//
// The next lines are add OFF-END…, whose extents are named a, b, c and so on, and next, which calls
// Next until the window is empty.
func TestGolden(t *testing.T) {
	golden.Scripts(t, "testdata/*.txt", play)
}

// play returns the script with the Window's answers, each after a =.
func play(t *testing.T, script string) string {
	var out strings.Builder
	var w *Window[rune]
	name := 'a'
	for lines := bufio.NewScanner(strings.NewReader(script)); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), " =")
		answer := ""
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "window":
			var l Limits
			var most int
			scan(t, "%d %d %g %d", rest, &l.Size, &l.Gap, &l.Amplification, &most)
			w = New[rune](l, most)
		case "add":
			for field := range strings.FieldsSeq(rest) {
				var e Extent
				scan(t, "%d-%d", field, &e.Off, &e.End)
				w.Add(e, name)
				answer += fmt.Sprintf(" %c", name)
				name++
			}
			if w.Full() {
				answer += " full"
			}
		case "next":
			for w.Len() > 0 {
				e, of := w.Next(nil)
				answer += fmt.Sprintf(" %d-%d(%s)", e.Off, e.End, string(of))
			}
		default:
			t.Fatalf("%q is no instruction", line)
		}
		if answer != "" {
			line += " =" + answer
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

func scan(t *testing.T, format, s string, to ...any) {
	if _, err := fmt.Sscanf(s, format, to...); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
}

// TestRandom checks, for any extents and limits, that each extent is completely in one request,
// that the next request has the oldest extent, and that no request exceeds the limits, counted byte
// by byte.
func TestRandom(t *testing.T) {
	r := seed.Rand(t)
	for range 3000 {
		l := Limits{r.Int64N(60), r.Int64N(20) - 1, 1 + float64(r.IntN(8))/4}
		w := New[int](l, 1+r.IntN(20))
		var extents []Extent
		waiting := map[int]bool{}
		for range 60 {
			for !w.Full() && r.IntN(5) > 0 {
				off := r.Int64N(100)
				e := Extent{off, off + 1 + r.Int64N(1<<r.IntN(7))}
				waiting[len(extents)] = true
				w.Add(e, len(extents))
				extents = append(extents, e)
			}
			if w.Len() == 0 {
				continue
			}
			e, of := w.Next(nil)
			check(t, l, e, of, extents)
			if oldest := slices.Min(slices.Collect(keys(waiting))); !slices.Contains(of, oldest) {
				t.Fatalf("%+v: the next request is for %v, the oldest is %d", l, of, oldest)
			}
			for _, i := range of {
				if !waiting[i] {
					t.Fatalf("%+v: %v is read twice", l, extents[i])
				}
				delete(waiting, i)
			}
			if len(waiting) != w.Len() {
				t.Fatalf("%d in the window; want %d", w.Len(), len(waiting))
			}
		}
	}
}

func keys(m map[int]bool) func(func(int) bool) {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// check checks a request against the limits.
func check(t *testing.T, l Limits, e Extent, of []int, extents []Extent) {
	t.Helper()
	if len(of) == 1 {
		if e != extents[of[0]] {
			t.Fatalf("%v is read for %v alone", e, extents[of[0]])
		}
		return
	}
	wanted := make([]bool, e.Len())
	for _, i := range of {
		if extents[i].Off < e.Off || extents[i].End > e.End {
			t.Fatalf("%v is not in %v", extents[i], e)
		}
		for at := extents[i].Off; at < extents[i].End; at++ {
			wanted[at-e.Off] = true
		}
	}
	n, gap, longest := 0, int64(0), int64(0)
	for _, is := range wanted {
		if gap++; is {
			n++
			gap = 0
		}
		longest = max(longest, gap)
	}
	switch {
	case !wanted[0] || !wanted[len(wanted)-1]:
		t.Fatalf("%v has an edge that no extent has", e)
	case e.Len() > l.Size, longest > max(l.Gap, 0), float64(e.Len()) > l.Amplification*float64(n):
		t.Fatalf("%+v: a request of %d bytes, %d of them wanted, with a gap of %d", l, e.Len(), n, longest)
	}
}

// Neighbours that fit into one request are one, in whatever order they were added.
func TestMergesAll(t *testing.T) {
	r := seed.Rand(t)
	w := New[int](Limits{Size: 32, Amplification: 1}, 32)
	for _, i := range r.Perm(32) {
		w.Add(Extent{int64(i), int64(i + 1)}, i)
	}
	if e, of := w.Next(nil); e != (Extent{0, 32}) || len(of) != 32 || !slices.IsSorted(of) {
		t.Errorf("Next = %v for %v; want 0-32 for all", e, of)
	}
}

func TestAllocatesNothing(t *testing.T) {
	w := New[int](Limits{Size: 32, Amplification: 1}, 32)
	var of []int
	off := int64(0)
	allocs.None(t, "a full window", func() error {
		for !w.Full() {
			w.Add(Extent{off, off + 1}, 0)
			off = (off + 7) % 100
		}
		_, of = w.Next(of[:0])
		return nil
	})
}

func TestMisuse(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a window of nothing: no panic")
		}
	}()
	New[int](Limits{}, 0)
}

func BenchmarkRandom(b *testing.B) {
	for _, most := range []int{64, 256} {
		b.Run(fmt.Sprint(most), func(b *testing.B) {
			w := New[int](Limits{Size: 128 << 10, Gap: 16 << 10, Amplification: 2}, most)
			r := rand.New(rand.NewPCG(1, 2))
			var of []int
			for b.Loop() {
				for !w.Full() {
					off := r.Int64N(1<<20) << 12
					w.Add(Extent{off, off + 4096}, 0)
				}
				_, of = w.Next(of[:0])
			}
		})
	}
}
