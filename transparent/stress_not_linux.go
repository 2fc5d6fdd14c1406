//go:build !sluice_stress && (amd64 || arm64)

package transparent

// stressed returns nothing: the program is not built by `sluice test --stress`.
func (*provider) stressed() (atExit []func()) { return nil }

// prepare does nothing.
func (*file) prepare() {}

// portion returns p.
func (*file) portion(p []byte) []byte { return p }
