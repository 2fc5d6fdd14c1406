package sched

import (
	"sync/atomic"
	"testing"
)

// crewOver makes a Crew over n jobs, each its number.
func crewOver(n, most int, do func(int)) *Crew[int, Span] {
	var spans []*Span
	own := func(s *Span) (int, bool) { return s.Take() }
	take := func(s *Span) (int, bool, bool) {
		if spans == nil {
			s.Set(0, n)
		}
		spans = append(spans, s)
		for _, other := range spans {
			if s.Len() > 0 {
				break
			}
			if from, to, ok := other.Split(); ok {
				s.Set(from, to)
			}
		}
		job, ok := s.Take()
		return job, true, ok
	}
	return NewCrew(most, own, take, do)
}

// TestCrew does jobs that do not wait, each once.
func TestCrew(t *testing.T) {
	var done [5000]atomic.Int32
	c := crewOver(len(done), 8, func(job int) { done[job].Add(1) })
	c.Join()
	c.Wait()
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Fatalf("job %d was done %d times; want once", i, n)
		}
	}
}

// TestCrewGrows does jobs that wait until as many are being done as the crew may
// be: what waits keeps nobody from the others' jobs.
func TestCrewGrows(t *testing.T) {
	const most = 7
	var waiting atomic.Int32
	all := make(chan struct{})
	c := crewOver(100, most, func(int) {
		if waiting.Add(1) == most {
			close(all)
		}
		<-all
	})
	c.Join()
	c.Wait()
	if n := waiting.Load(); n != 100 {
		t.Errorf("%d jobs were done; want 100", n)
	}
}

// TestCrewAlone: one job needs no goroutine.
func TestCrewAlone(t *testing.T) {
	jobs := 1
	take := func(*Span) (int, bool, bool) { jobs--; return 0, jobs > 0, jobs >= 0 }
	c := NewCrew(8, func(s *Span) (int, bool) { return s.Take() }, take, func(int) {})
	c.Join()
	if c.starting || c.running != 0 {
		t.Errorf("a goroutine was started for nothing")
	}
	c.Wait()
}
