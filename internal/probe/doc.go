// Package probe has the types of the fields by which goroutines wake each other, in packages ioengine, budget and
// groupcommit. They are the types of sync and sync/atomic, and cost nothing.
//
// With the build tag sluice_probes each access is reported to a Probe. So a test decides whose access is the next one: in every order,
// as ioengine's TestOrdersOfTheProtocol, or at random, as sluicetest's TestBursts. A lost wake-up needs a few accesses in one order, and
// the Go runtime alone hardly ever switches goroutines between these.
package probe
