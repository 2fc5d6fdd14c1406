//go:build sluice_probes

package budget

// maxOvertaken is so small that the waiters of a narrow world (package sluicetest) are handed
// permits, too.
const maxOvertaken = 2
