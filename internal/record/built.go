//go:build !sluice_notrace

package record

// Built is true unless the program is built with the tag sluice_notrace. The tag leaves the calls
// of the recorder out, to measure what they cost.
const Built = true
