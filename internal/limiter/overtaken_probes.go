//go:build sluice_probes

package limiter

// maxOvertaken is so small that the waiters of a narrow world (package sluicetest) are handed permits, too.
const maxOvertaken = 2
