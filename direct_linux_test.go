package sluice_test

import "syscall"

const oDirect = syscall.O_DIRECT
