//go:build !sluice_probes

package limiter

// maxOvertaken is how often a waiter is overtaken before it is handed a permit; see Limiter.
const maxOvertaken = 64
