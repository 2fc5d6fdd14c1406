package content

// await does not wait: reads and writes do.
func (j *job) await(int, direction) error { return j.ctx.Err() }
