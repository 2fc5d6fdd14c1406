//go:build !sluice_probes

package budget

// maxOvertaken is how often a waiter is overtaken before it is handed a permit; see Budget.
const maxOvertaken = 64
