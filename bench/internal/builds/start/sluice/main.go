// Command sluice opens the file named by its argument, reads its first bytes, and closes it, with
// package sluice. `sluice bench` measures the time from the start of the process to its end, beside
// the same program with package os.
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
	if len(os.Args) > 2 { // prints the process's memory
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
