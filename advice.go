package sluice

// Advice is how a part of a file will be used.
type Advice uint8

// The advices, as posix_fadvise(2) has them (POSIX_FADV_NORMAL and so on).
const (
	AdviceNormal     Advice = iota // nothing is known; ends earlier advice
	AdviceSequential               // read from lower to higher offsets
	AdviceRandom                   // read in random order
	AdviceWillNeed                 // read soon
	AdviceDontNeed                 // not read any more: the page cache drops it
)
