package duel

import (
	"os"
	"strings"
)

// traceVariable names the file in which a program that uses sluice records.
const traceVariable = "SLUICE_TRACE"

// Environment returns the variables of a program that is measured with the driver. It prints no
// statistics. It records a trace if the user wants one of each process: with %p in the name.
func Environment(driver string) []string {
	env := []string{"SLUICE_DRIVER=" + driver, "SLUICE_STATS=", "SLUICE_DEBUG_ADDR="}
	if !strings.Contains(os.Getenv(traceVariable), "%p") {
		env = append(env, traceVariable+"=")
	}
	return env
}

// UntracedNote returns what to tell a user whose SLUICE_TRACE records none of the processes that
// are measured; "" if there is nothing to tell.
func UntracedNote() string {
	name := os.Getenv(traceVariable)
	if name == "" || strings.Contains(name, "%p") {
		return ""
	}
	return "SLUICE_TRACE=" + name + " records nothing of the processes in which bench measures; with %p in the name each has a trace of its own"
}
