//go:build sluice_notrace

package record

// Built tells that the recorder's calls are left out.
const Built = false
