//go:build go1.26 && !go1.27

package sys

import "unsafe"

// Label is a label of a goroutine.
type Label struct{ Key, Value string }

// GoroutineLabels returns the calling goroutine's labels of runtime/pprof, nil if it has none.
// Two calls return the same pointer if the labels were not set between them. The labels do not
// change.
func GoroutineLabels() *Labels { return (*Labels)(runtimeLabels()) }

// Labels has the labels of a goroutine as runtime/pprof stores them: its labelMap. The layout is
// from Go 1.26; TestGoroutineLabels checks it. For another version GoroutineLabels returns nil
// (labels_other.go) until the layouts have been compared.
type Labels struct{ list []Label }

// All returns the labels, sorted by key. The caller must not change them.
func (l *Labels) All() []Label { return l.list }

// The runtime keeps this function for programs that refer to it. Package runtime/pprof itself
// would make every program larger and start later.
//
//go:linkname runtimeLabels runtime/pprof.runtime_getProfLabel
func runtimeLabels() unsafe.Pointer
