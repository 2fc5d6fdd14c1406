package record

// Of returns the Recorder in a *trace.Recorder. It panics for another type.
//
// Package trace sets Of in its init, and package sluice calls it. So a program that has a
// *trace.Recorder cannot reach its inside, and record does not import trace.
var Of func(recorder any) *Recorder
