package content

// await has nothing to wait with: reads and writes do.
func (j *job) await(int, direction) error { return j.ctx.Err() }
