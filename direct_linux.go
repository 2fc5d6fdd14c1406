package sluice

import "syscall"

const oDirect = syscall.O_DIRECT
