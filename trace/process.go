package trace

import (
	"os"
	"path/filepath"
	"runtime"
)

// thisProcess describes this process and its machine.
func thisProcess() Meta {
	m := Meta{
		PID:        os.Getpid(),
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		Cores:      runtime.NumCPU(),
		GoMaxProcs: runtime.GOMAXPROCS(0),
		GoVersion:  runtime.Version(),
	}
	if len(os.Args) > 0 {
		m.Program = filepath.Base(os.Args[0])
	}
	m.machine()
	return m
}
