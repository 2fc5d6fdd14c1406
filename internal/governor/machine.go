package governor

import "math"

// Choice is how operations are performed that a driver could queue.
type Choice uint8

// With Queue, operations are queued, but an operation that finds nothing in flight may be a plain
// call. With Plain, operations are plain calls, as far as their device has permits for them.
const (
	Queue Choice = iota
	Plain
)

func (c Choice) String() string { return [...]string{"queue", "plain"}[c] }

// Machine compares the two Choices by trials. In a trial the other choice is in force for one
// epoch, between two epochs of the best one:
//
//	best  other  best  other  best
//	└── trial ────┘
//	              └── trial ────┘
//
// The result of a trial is the logarithm of the other's rate over the mean of its neighbours, so
// that a drift of the load cancels out. A sequential test on the results decides which choice is
// ahead.
//
// The zero Machine is ready to use. It begins with Queue.
type Machine struct {
	best  Choice
	phase phase

	before float64 // logarithm of the rate in the epoch before the trial
	other  float64 // in the trial
	tried  int     // trials of this comparison

	results float64 // how many results there are, also of comparisons that have decided nothing
	mean    float64 // of the results
	sum     float64 // of the squares of the results' distances from the mean (Welford's algorithm)
	scatter float64 // the most by which the neighbours of a trial were apart

	wait   int // epochs until the next trial
	pause  int // how many there are between comparisons
	earned int // epochs that were no trials, less share for each one that was

	usual   float64 // logarithm of the rate while nothing is compared, a moving average
	unusual int     // epochs in a row with another rate

	last Comparison // its result
}

// Comparison is the result of a comparison.
type Comparison struct {
	// Plain is how much faster Plain was than Queue: 0.1 is 10 %.
	Plain  float64
	Trials int // 0 if Start has forgotten the result
	Number int // how many comparisons there were, this one included
}

type phase uint8

const (
	resting phase = iota // the best choice is in force, and nothing is compared
	trial                // the other choice is in force
	after                // the best choice is in force, and ends a trial
)

// Much is measured: docs/results/mechanisms.md. The rest is chosen: usual levels of a test, and how
// much of the time goes to trials.
const (
	// margin is how much faster, in logarithms, Plain must be. Where both are level, Queue takes
	// fewer threads and less processor time.
	margin = 0.02
	// A mean is sure 2.5 standard deviations from the needed mean. At the end one is enough.
	sure, likely = 2.5, 1
	// A few results do not show how much results scatter. Until there are enough, the scatter is
	// taken to be the scatter of their neighbours, and at least much.
	enough, much = 4, 0.2
	// mostTrials ends a comparison that decides nothing.
	mostTrials = 10
	// mostResults bounds how much older results count.
	mostResults = 4 * mostTrials
	// After a comparison firstPause epochs pass until the next one. Each comparison that confirms
	// the best choice makes this longer, up to lastPause. If Plain is the best choice the pause is
	// shorter: if more goroutines come, plain calls may keep the processors from them, and the rate
	// does not show it.
	firstPause, lastPause, lastPlainPause = 64, 4096, 256
	// At most one epoch in share is a trial: 2 % of the time. A program may earn as many as
	// allowance for later. A comparison that has begun may borrow enough.
	share, allowance = 50, 4 * mostTrials
	// While the queue is on trial, nothing waits in plain calls, and the runtime's monitor falls
	// asleep, for so many epochs at most. A trial of Plain that has to wait for it takes so many
	// more. After a trial in which the queue was no better, the plain calls keep processors for a
	// while, so the next trial comes only after that.
	patience = int(sysmonSleep / leastTime)
	// A load has changed if the rates of so many epochs in a row are off by a factor of
	// e^loadChange.
	loadChange, changeEpochs = 0.5, 4
)

// Choice returns the choice that is in force.
func (m *Machine) Choice() Choice {
	if m.phase == trial {
		return 1 - m.best
	}
	return m.best
}

// Trying reports whether the Choice in force is on trial.
func (m *Machine) Trying() bool { return m.phase == trial }

// Start sets the Choice to begin with. The next share epochs are no trial, unless TrySoon is
// called: a short program needs none. Results of comparisons with another best choice are
// forgotten; the number of comparisons is not.
func (m *Machine) Start(c Choice) {
	if c != m.best {
		m.forget()
		m.last = Comparison{Number: m.last.Number}
	}
	m.best, m.wait = c, share
}

// TrySoon makes the next epoch a trial, if nothing is compared now.
func (m *Machine) TrySoon() { m.wait, m.earned = 0, max(m.earned, share) }

// Guessed reports whether c is in force because Start has set it, and nothing was compared yet.
func (m *Machine) Guessed(c Choice) bool {
	return m.best == c && m.phase == resting && m.results == 0 && m.last.Number == 0
}

// Abandon gives up a trial. It costs as much as one that has ended, and the next one comes later
// each time: in a trial of plain calls these may have kept the processors themselves.
func (m *Machine) Abandon() {
	if m.phase == resting {
		return
	}
	if m.phase == trial {
		m.earned -= share
	}
	m.pause = min(max(2*m.pause, firstPause), lastPause)
	m.phase, m.tried, m.wait = resting, 0, m.pause
}

// Epoch notes the rate of the epoch that has ended, in operations per unit of time. Choice returns
// what is in force in the next epoch. If the epoch is the second neighbour of a trial, ended is
// true, and Epoch returns the trial's result.
//
// Early reports that the epoch is a trial of Plain that began while the runtime's monitor may have
// slept. If Plain was clearly faster, that decides. If not, it tells nothing: the trial goes on
// until the monitor is awake, if that much was earned, or ends without a result.
func (m *Machine) Epoch(rate float64, early bool) (result float64, ended bool) {
	rate = math.Log(rate)
	if m.phase == trial {
		m.earned -= share
		switch {
		case !early || rate-m.before > margin+sure*much:
			m.other, m.phase = rate, after
		case m.earned >= patience*share:
			m.earned -= patience * share
		default:
			m.phase, m.wait = resting, (1+patience)*share
		}
		return 0, false
	}
	m.earned = min(m.earned+1, allowance*share)
	m.wait--
	if m.phase == after {
		m.tried++
		result, ended = m.other-(m.before+rate)/2, true
		rest := m.earned < -enough*share
		if off := math.Abs(rate - m.before); off < loadChange {
			m.scatter = max(m.scatter, off)
			m.add(result)
			rest = rest || m.best == Plain && result < m.needed()
		} else { // the load has changed during the trial
			m.forget()
		}
		switch {
		case m.decided(sure) || m.hopeless() || m.tried == mostTrials:
			m.settle(rate)
		case rest:
			m.phase, m.wait = resting, 1+patience
		default:
			m.phase = trial
		}
	} else if m.watch(rate); m.wait < 0 && m.earned >= share {
		if m.unusual > 0 { // perhaps another load
			m.forget()
		}
		m.phase = trial
	}
	m.before = rate
	return result, ended
}

func (m *Machine) add(result float64) {
	m.results++
	d := result - m.mean
	m.mean += d / m.results
	m.sum += d * (result - m.mean)
}

// needed returns the mean result from which on the other choice is better.
func (m *Machine) needed() float64 {
	if m.best == Plain {
		return -margin
	}
	return margin
}

// decided reports whether the mean is so many standard deviations from the needed mean.
func (m *Machine) decided(deviations float64) bool {
	deviation := max(much, m.scatter)
	if m.results >= enough {
		deviation = math.Sqrt(m.sum / (m.results - 1))
	}
	return m.results > 0 && math.Abs(m.mean-m.needed()) > deviations*deviation/math.Sqrt(m.results)
}

// hopeless reports whether Plain, on trial, does not look better than Queue. Queue need not be
// shown to be better, because it costs less. Trials of Plain hold up many goroutines.
func (m *Machine) hopeless() bool {
	return m.best == Queue && m.results > 1 && m.mean < m.needed() && m.decided(likely)
}

// settle ends a comparison, after which the best choice had that rate.
func (m *Machine) settle(rate float64) {
	m.last = Comparison{Plain: math.Exp(m.mean) - 1, Trials: m.tried, Number: m.last.Number + 1}
	if m.best == Plain {
		m.last.Plain = math.Exp(-m.mean) - 1
	}
	isSure := m.decided(sure)
	switch {
	case !isSure && m.best == Plain && m.mean > 0, // Plain costs threads: it loses a tie
		m.mean > m.needed() && m.decided(likely):
		m.best = 1 - m.best
		m.forget()
		rate = m.other
	case !isSure: // the results count in the next comparison
		if m.results > mostResults {
			m.sum *= mostResults / m.results
			m.results = mostResults
		}
		m.pause *= 2
	default:
		pause := 4 * m.pause
		m.forget()
		m.pause = pause
	}
	longest := lastPause
	if m.best == Plain {
		longest = lastPlainPause
	}
	m.pause = min(max(m.pause, firstPause), longest)
	m.wait, m.tried, m.phase = m.pause, 0, resting
	m.usual, m.unusual = rate, 0
}

// forget forgets the results, after a change.
func (m *Machine) forget() {
	m.results, m.mean, m.sum, m.scatter = 0, 0, 0, 0
	m.pause, m.wait = 0, 0
}

// watch notes a rate while nothing is compared.
func (m *Machine) watch(rate float64) {
	switch {
	case m.usual == 0:
		m.usual = rate
	case math.Abs(rate-m.usual) > loadChange:
		if m.unusual++; m.unusual == changeEpochs {
			m.forget()
		}
	default:
		m.unusual = 0
		m.usual += (rate - m.usual) / 8
	}
}
