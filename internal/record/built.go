//go:build !sluice_notrace

package record

// Built is true unless the program is built with the tag sluice_notrace. The tag leaves out the
// calls of the recorder, to measure their cost.
const Built = true
