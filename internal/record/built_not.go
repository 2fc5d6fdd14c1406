//go:build sluice_notrace

package record

// Built is false: the calls of the recorder are left out.
const Built = false
