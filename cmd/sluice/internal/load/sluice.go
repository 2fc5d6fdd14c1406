package load

// openSluice opens path through a sluice scheduler on the given driver.
func openSluice(path string, flag int, driver string) (*target, error) {
	return nil, &unsupportedError{"sluice is not in this build yet"}
}
