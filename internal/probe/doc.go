// Package probe has types for the fields through which goroutines wake each other, in packages
// ioengine, budget and groupcommit. A probe.X is the X of sync or sync/atomic, and costs nothing.
//
// With the build tag sluice_probes each access is reported to a Probe, so a test decides which
// goroutine's access is the next. ioengine's TestOrdersOfTheProtocol tries every order, and
// sluicetest's TestBursts random ones. A lost wake-up needs a few accesses in one order, and the Go
// runtime alone hardly ever switches goroutines between them.
package probe
