// Command sluice opens the file that its argument names, reads the first bytes of it, and closes it,
// by package sluice. `sluice bench` measures how long that takes, from the start of the process to its
// end, beside the same program by package os.
package main

import (
	"os"

	"github.com/sluiceio/sluice"
)

func main() {
	if err := read(os.Args[1]); err != nil {
		println(err.Error())
		os.Exit(1)
	}
	if len(os.Args) > 2 { // asks for the memory that this takes
		status, _ := os.ReadFile("/proc/self/status") // only Linux has it
		_, _ = os.Stdout.Write(status)
	}
}

func read(name string) error {
	f, err := sluice.Open(name)
	if err != nil {
		return err
	}
	if _, err := f.Read(make([]byte, 4096)); err != nil {
		return err
	}
	return f.Close()
}
