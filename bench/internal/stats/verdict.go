package stats

// Verdict is the verdict by the 95 % interval of a ratio.
type Verdict string

// The verdicts. Ahead: the whole interval is above 1. Behind: it is below 1. Level: it contains 1
// and is narrow (Narrow). Unclear: it contains 1 and is wide, or there are too few rounds for an
// interval.
const (
	Ahead   Verdict = "ahead"
	Behind  Verdict = "behind"
	Level   Verdict = "level"
	Unclear Verdict = "unclear"
)

// Narrow is the largest Width of a narrow interval.
const Narrow = 0.03

// EnoughRounds is the smallest number of rounds with which Interval reaches 95 %.
const EnoughRounds = 6

// Judge returns the verdict on a ratio with the interval lo to hi, of so many rounds.
func Judge(ratio, lo, hi Number, rounds int) Verdict {
	switch {
	case rounds < EnoughRounds:
		return Unclear
	case lo > 1:
		return Ahead
	case hi < 1:
		return Behind
	case Width(lo, ratio, hi) <= Narrow:
		return Level
	}
	return Unclear // also for NaN
}

// Inverse returns the verdict for figures where less is better.
func (v Verdict) Inverse() Verdict {
	switch v {
	case Ahead:
		return Behind
	case Behind:
		return Ahead
	}
	return v
}
