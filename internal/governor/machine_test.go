package governor

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/golden"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// world answers epochs with the rates of two choices.
type world struct {
	queue, plain, noise float64
	r                   *rand.Rand
}

// rate returns the rate of an epoch.
func (w *world) rate(c Choice) float64 {
	rate := w.queue
	if c == Plain {
		rate = w.plain
	}
	return rate * math.Exp(w.noise*w.r.NormFloat64())
}

// run lets m go through n epochs, and returns what was in force in each: q or p.
func (w *world) run(m *Machine, n int) string {
	var out strings.Builder
	for range n {
		out.WriteString(m.Choice().String()[:1])
		m.Epoch(w.rate(m.Choice()), false)
	}
	return out.String()
}

// TestGolden plays each script in testdata and compares what was in force with what the script
// says. A line is
//
//	EPOCHS QUEUE PLAIN NOISE
//
// with the rates of both choices, and the standard deviation of their logarithms.
func TestGolden(t *testing.T) { golden.Scripts(t, "testdata/*.txt", playScript) }

func playScript(t *testing.T, script string) string {
	var out strings.Builder
	var m Machine
	w := &world{r: rand.New(rand.NewPCG(1, 2))}
	for lines := bufio.NewScanner(strings.NewReader(script)); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), " =")
		if strings.HasPrefix(line, "#") {
			fmt.Fprintln(&out, line)
			continue
		}
		var n int
		if _, err := fmt.Sscan(line, &n, &w.queue, &w.plain, &w.noise); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		fmt.Fprintf(&out, "%s = %s", line, shorten(w.run(&m, n)))
		c := m.last
		fmt.Fprintf(&out, "; %d comparisons, the last one: plain calls are %+.0f %% after %d trials; %s\n", c.Number, 100*c.Plain, c.Trials, m.best)
	}
	return out.String()
}

// shorten replaces many equal letters by their number.
func shorten(s string) string {
	var out strings.Builder
	for len(s) > 0 {
		n := len(s) - len(strings.TrimLeft(s, s[:1]))
		if n > 4 {
			fmt.Fprintf(&out, "%s*%d ", s[:1], n)
		} else {
			out.WriteString(s[:n] + " ")
		}
		s = s[n:]
	}
	return strings.TrimSpace(out.String())
}

// At most one epoch in share is a trial, beside what is borrowed, whatever happens. A trial that
// has to wait counts for more.
func TestTrialsAreFew(t *testing.T) {
	r := seed.Rand(t)
	for range 200 {
		var m Machine
		w := &world{r: r}
		trials, epochs, waited := 0, 0, false
		for range 1 + r.IntN(40) {
			w.queue, w.plain, w.noise = math.Exp(3*r.NormFloat64()), math.Exp(3*r.NormFloat64()), r.ExpFloat64()/5
			for range r.IntN(500) {
				epochs++
				trying := m.Trying()
				early := trying && m.Choice() == Plain && !waited && r.IntN(2) == 0
				m.Epoch(w.rate(m.Choice()), early)
				if trying {
					trials++
				}
				if waited = early && m.Trying(); waited {
					trials += patience
				}
			}
		}
		if most := 1 + enough + patience + epochs/share; trials > most {
			t.Errorf("%d of %d epochs were trials; want at most %d", trials, epochs, most)
		}
	}
}

// From every state, a choice whose rate falls by half, so that the other one is better, is left a
// few epochs later, or once a trial is earned.
func TestBadChoiceIsLeft(t *testing.T) {
	r := seed.Rand(t)
	for range 300 {
		var m Machine
		w := &world{r: r}
		for range r.IntN(20) {
			w.queue, w.plain, w.noise = math.Exp(r.NormFloat64()), math.Exp(r.NormFloat64()), r.ExpFloat64()/10
			w.run(&m, r.IntN(300))
		}
		w.noise = 0.01
		w.queue, w.plain = 1, 1
		w.run(&m, 2*share) // the rate is known
		bad := m.best
		if bad == Queue {
			w.queue /= 2
		} else {
			w.plain /= 2
		}
		from := m
		// a trial that was in progress, epochs that are unusual, a trial
		within := 3 + changeEpochs + 3
		// one more that has to be earned, and as much again if the load has changed in it
		within += max(0, share-m.earned) + 2*share
		w.run(&m, within)
		if m.best == bad {
			t.Errorf("from %+v: %d epochs later it is still %s, with half the rate: %+v", from, within, bad, m)
		}
	}
}

// Where both choices are level, or plain calls are slower, the queue is in force nearly always;
// where they are faster they are, from some point on, whatever the noise.
func TestNoise(t *testing.T) {
	r := seed.Rand(t)
	for _, c := range []struct {
		plain, noise, most float64 // the part of the time in which plain calls may be in force
	}{
		{1, 0.02, 0.1}, {1, 0.1, 0.2}, {1, 0.3, 0.5}, {0.9, 0.1, 0.1}, {0.5, 0.3, 0.1},
	} {
		for _, begin := range []Choice{Queue, Plain} {
			if part := partPlain(r, begin, c.plain, c.noise); part > c.most+0.2*float64(begin) {
				t.Errorf("plain calls have %g of the queue's rate, noise %g, begins with %s: they are in force for %.3f of the time; want at most %g",
					c.plain, c.noise, begin, part, c.most)
			}
		}
	}
	for _, c := range []struct{ plain, noise, least float64 }{{1.1, 0.02, 0.9}, {1.1, 0.1, 0.7}, {1.2, 0.2, 0.7}, {1.3, 0.1, 0.9}, {2, 0.3, 0.9}} {
		if part := partPlain(r, Queue, c.plain, c.noise); part < c.least {
			t.Errorf("plain calls have %g of the queue's rate, noise %g: they are in force for %.3f of the time; want at least %g",
				c.plain, c.noise, part, c.least)
		}
	}
}

// partPlain returns for which part of the time plain calls are in force.
func partPlain(r *rand.Rand, begin Choice, plain, noise float64) float64 {
	const machines, epochs = 100, 4000
	n := 0
	for range machines {
		var m Machine
		m.Start(begin)
		w := &world{queue: 1, plain: plain, noise: noise, r: r}
		n += strings.Count(w.run(&m, epochs), "p")
	}
	return float64(n) / machines / epochs
}

// A trial of plain calls that begins while the runtime's monitor may sleep decides if plain calls
// are clearly faster. If not, it goes on once that much was earned.
func TestEarly(t *testing.T) {
	const little, much = share, (1 + patience) * share
	for _, c := range []struct {
		plain  float64 // their rate in the first epoch; the queue has 1
		epochs int     // before the trial
		want   phase
	}{
		{2, little, after},
		{1.5, little, resting},
		{0.1, little, resting},
		{1.5, much, trial},
		{2, much, after},
	} {
		var m Machine
		m.Start(Queue)
		m.wait = c.epochs
		for !m.Trying() {
			m.Epoch(1, false)
		}
		earned := m.earned
		m.Epoch(c.plain, true)
		if m.phase != c.want {
			t.Errorf("%+v: the phase is %d", c, m.phase)
		}
		if cost := earned - m.earned; (cost == (1+patience)*share) != (c.want == trial) {
			t.Errorf("%+v: it costs %d epochs", c, cost)
		}
		if c.want != trial {
			continue
		}
		m.Epoch(1.5, false)
		if result, ended := m.Epoch(1, false); !ended || math.Abs(result-math.Log(1.5)) > 1e-9 {
			t.Errorf("%+v: the trial ends: %t, with %g", c, ended, result)
		}
	}
}
