package main

type doctorCmd struct{}

func (doctorCmd) Run(s streams) error { return nil }
