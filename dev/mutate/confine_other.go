//go:build !unix

package main

import "os/exec"

func confine(*exec.Cmd, string) error { return nil }
