//go:build !go1.26 || go1.27

package sys

// Label is a label of a goroutine.
type Label struct{ Key, Value string }

// Labels is the labels of a goroutine.
type Labels struct{}

// All returns no labels.
func (*Labels) All() []Label { return nil }

// GoroutineLabels returns nil: the layout of labels in this version of Go is not known.
func GoroutineLabels() *Labels { return nil }
