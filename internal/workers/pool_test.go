package workers

import (
	"sync/atomic"
	"testing"
)

// numbers are jobs from 0 to n.
type numbers struct {
	n     int
	do    func(int)
	spans []*Range
}

func (*numbers) OwnJob(s *Range) (int, bool) { return s.Take() }

func (j *numbers) DoJob(job int) { j.do(job) }

func (j *numbers) TakeJob(s *Range) (job int, more, ok bool) {
	if j.spans == nil {
		s.Set(0, j.n)
	}
	j.spans = append(j.spans, s)
	for _, other := range j.spans {
		if s.Len() > 0 {
			break
		}
		if from, to, ok := other.Split(); ok {
			s.Set(from, to)
		}
		more = more || other.Len() > 0
	}
	job, ok = s.Take()
	return job, more || s.Len() > 0, ok
}

// poolOver makes a Pool over n jobs, each its number.
func poolOver(n, most int, do func(int)) *Pool[int, Range] {
	c := new(Pool[int, Range])
	c.Init(most, &numbers{n: n, do: do})
	return c
}

// TestPool does jobs that do not wait, each once.
func TestPool(t *testing.T) {
	var done [5000]atomic.Int32
	c := poolOver(len(done), 8, func(job int) { done[job].Add(1) })
	c.Join(new(Range))
	c.Wait()
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Fatalf("job %d was done %d times; want once", i, n)
		}
	}
}

// TestPoolGrows does jobs that wait until the pool has its most workers: a waiting worker keeps no
// other from its jobs.
func TestPoolGrows(t *testing.T) {
	const most = 7
	var waiting atomic.Int32
	all := make(chan struct{})
	c := poolOver(100, most, func(int) {
		if waiting.Add(1) == most {
			close(all)
		}
		<-all
	})
	c.Join(new(Range))
	c.Wait()
	if n := waiting.Load(); n != 100 {
		t.Errorf("%d jobs were done; want 100", n)
	}
}

// TestPoolAlone checks that one job needs no goroutine.
func TestPoolAlone(t *testing.T) {
	c := poolOver(1, 8, func(int) {})
	c.Join(new(Range))
	if c.starting || c.running != 0 {
		t.Errorf("a goroutine was started for nothing")
	}
	c.Wait()
}
