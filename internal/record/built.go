//go:build !sluice_notrace

package record

// Built is false in programs that are built with the tag sluice_notrace, which
// leaves the recorder's calls out: it is there to measure what they cost.
const Built = true
