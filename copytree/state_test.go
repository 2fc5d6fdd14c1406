package copytree

import (
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/internal/seed"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		path, dir, name string
		slash           bool
	}{
		{"a", ".", "a", false},
		{"a/", ".", "a", true},
		{"a/b", "a/", "b", false},
		{"/a", "/", "a", false},
		{"/a//b//", "/a//", "b", true},
		{"/", "/", ".", true},
		{".", ".", ".", true},
		{"..", "..", ".", true},
		{"a/..", "a/..", ".", true},
		{"a/.", "a/.", ".", true},
		{"..a", ".", "..a", false},
		{"", "", ".", true},
	} {
		p := split(c.path)
		if p.dir != c.dir || p.name.String() != c.name || p.slash != c.slash {
			t.Errorf("split(%q) = %q, %q, %t; want %q, %q, %t", c.path, p.dir, p.name, p.slash, c.dir, c.name, c.slash)
		}
	}
}

// TestPaths joins names as they are in the directories.
func TestPaths(t *testing.T) {
	base := &dir{root: &Pair{Src: "from/", Dst: "/to"}}
	root := base.child(at.NameOf("from"), at.NoFollow)
	in := root.child(at.NameOf("a b"), at.NoFollow)
	name := at.NameOf("\xff")
	for _, c := range [][2]string{
		{base.srcOf(name), "from/"},
		{root.srcPath(), "from/"},
		{root.srcOf(name), "from/\xff"},
		{in.srcOf(name), "from/a b/\xff"},
		{in.dstPath(), "/to/a b"},
		{in.dstOf(name), "/to/a b/\xff"},
	} {
		if c[0] != c[1] {
			t.Errorf("path %q; want %q", c[0], c[1])
		}
	}
}

// TestIDSet compares it with a map, files of one device and of several.
func TestIDSet(t *testing.T) {
	r := seed.Rand(t)
	var set idSet
	model := map[at.ID]bool{}
	for i := range 20_000 {
		id := at.ID{Dev: 1 + r.Uint64N(3), Ino: 1 + r.Uint64N(8_000)}
		if set.has(id) != model[id] {
			t.Fatalf("step %d: has(%v) = %t; want %t", i, id, set.has(id), model[id])
		}
		if r.IntN(2) == 0 {
			set.add(id)
			model[id] = true
		}
	}
	if set.len != len(model) {
		t.Errorf("%d files; want %d", set.len, len(model))
	}
	if 16*set.len < 8*len(set.words)/2 {
		t.Errorf("%d files in %d words", set.len, len(set.words))
	}
}

func TestWarmth(t *testing.T) {
	var w warmth
	note := func(n int, c at.Cached) {
		for range n {
			w.note(c)
		}
	}
	note(coldAt-1, at.CacheMiss)
	if w.cold() {
		t.Errorf("cold after %d misses", coldAt-1)
	}
	note(1, at.CacheMiss)
	if !w.cold() {
		t.Errorf("not cold after %d misses", coldAt)
	}
	note(1, at.CacheHit)
	note(1000, at.CacheUnknown)
	if w.cold() || w.hits != 1 {
		t.Errorf("cold %t, %d hits after a hit", w.cold(), w.hits)
	}
	note(hotAt, at.CacheHit)
	if w.hits != hotAt {
		t.Errorf("%d hits; want %d", w.hits, hotAt)
	}
	note(1, at.CacheMiss)
	if w.hits != 0 {
		t.Errorf("%d hits after a miss", w.hits)
	}
}

// TestPace has the slowness of files said by their beginning, long ago or in
// the future, so that no clock decides.
func TestPace(t *testing.T) {
	p := pace{holds: true}
	file := func(slow bool) (held bool) {
		if held = p.hold(); held {
			p.begun = sinceStart() + time.Hour
			if slow {
				p.begun = sinceStart() - time.Hour
			}
		}
		p.done()
		return held
	}
	if !file(false) || !file(true) {
		t.Error("files that nothing has to wait for do not hold the P")
	}
	for range patientLeast {
		if file(false) {
			t.Fatal("a file holds the P soon after a slow one")
		}
	}
	if !file(true) {
		t.Error("it is never tried again")
	}
	n := 0
	for ; !file(false); n++ {
	}
	if n != 2*patientLeast {
		t.Errorf("%d files are patient after the second slow one; want %d", n, 2*patientLeast)
	}
	for range patientLeast {
		file(false)
	}
	if file(true); p.patient != patientLeast {
		t.Errorf("%d files are patient after a slow one that came late; want %d", p.patient, patientLeast)
	}
	p.patient = 0
	if p.rest(true); file(false) {
		t.Error("a file holds the P that scouts need")
	}
}

func TestLimits(t *testing.T) {
	for _, descriptors := range []int{0, 20, 64, 256, 1024, 1 << 20} {
		for _, concurrency := range []int{0, 1, 2, 16, 1024} {
			l := limitsFor(descriptors, concurrency)
			most := (l.workers+l.spare)*perWorker + 2*l.dirs
			if l.scouts > 0 {
				most += l.ahead + l.scouts*scoutHolds
			}
			if l.workers < 1 || l.dirs < 1 && descriptors >= 64 || descriptors > 64 && most > descriptors-otherDescriptors {
				t.Errorf("limitsFor(%d, %d) = %+v: %d descriptors", descriptors, concurrency, l, most)
			}
			if concurrency > 0 && l.workers > concurrency || concurrency == 1 && l.scouts > 0 {
				t.Errorf("limitsFor(%d, %d) = %+v", descriptors, concurrency, l)
			}
		}
	}
}

// TestSpares: a spare copies a batch for each large file that is being copied, and
// no more.
func TestSpares(t *testing.T) {
	j := &job{}
	q := &j.queue
	q.init(limits{workers: 1, scouts: 1, spare: 2, ahead: 100})
	q.start(&dir{})
	q.setCold(true)
	q.hand(j, []*batch{{}, {}})
	got := make(chan *batch)
	go func() { got <- q.nextSpare(j) }()
	q.beginLarge()
	if b := <-got; b == nil || len(q.ready) != 1 {
		t.Fatalf("a spare has %v, and %d batches are left; want 1", b, len(q.ready))
	}
	go func() { got <- q.nextSpare(j) }() // waits, as there is a spare for the file
	j.stopped.Store(true)
	q.wake()
	if b := <-got; b != nil || len(q.ready) != 1 {
		t.Errorf("a second spare has %v", b)
	}
	j.stopped.Store(false)
	q.stood()
	if b := q.nextSpare(j); b == nil {
		t.Error("a spare that has copied its batch gets no other")
	}
	q.stood()
	q.endLarge()
	if q.busy != 0 || q.large != 0 {
		t.Errorf("%d spares and %d large files are left", q.busy, q.large)
	}
}

func TestOptionsCheck(t *testing.T) {
	for want, o := range map[string]Options{
		"BlockSize of 511":  {BlockSize: 511},
		"BlockSize of -1":   {BlockSize: -1},
		"Concurrency of -1": {Concurrency: -1},
		"Concurrency of 10": {Concurrency: 1025},
		"Make":              {Make: MakeAttributes + 1},
		"Existing":          {Existing: Older + 1},
		"Follow":            {Follow: FollowAll + 1},
		"Reflink":           {Reflink: ReflinkNever + 1},
		"Sparse":            {Sparse: SparseNever + 1},
		"Sync":              {Sync: SyncFiles + 1},
	} {
		_, err := Copy(t.Context(), "nowhere", "nothing", o)
		if err == nil || !strings.Contains(err.Error(), "Options."+strings.TrimSuffix(want, "10")) {
			t.Errorf("Copy = %v; want something of Options.%s", err, want)
		}
	}
}
