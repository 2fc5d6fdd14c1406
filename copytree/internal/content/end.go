package content

// longer ends the copy of a source of which all that its size says, and maybe
// more, is copied up to from. It may have become longer. The new size is the last
// that is heeded: who appends as fast as we copy would keep us for ever.
func (j *job) longer(from int64) error {
	n, err := j.probe(from)
	if err != nil {
		return err
	}
	from += n
	if from == j.src.Size {
		return j.finish(from)
	}
	now, err := size(j.src.FD)
	switch {
	case err != nil:
		return &Error{"fstat", true, err}
	case now <= j.src.Size:
		return j.copyUntrue(from)
	case now > from:
		from, err = j.span(from, now)
		if err != nil {
			return err
		}
	}
	return j.finish(from)
}

// probe copies a little more, if there is more.
func (j *job) probe(off int64) (n int64, err error) {
	b, err := j.c.small.get(j.ctx)
	if err != nil {
		return 0, &Error{"read", true, err}
	}
	defer j.c.small.put(b)
	m, err := j.read(b, off)
	if err != nil {
		return 0, err
	}
	return int64(m), j.write(b[:m], off)
}

// copyUntrue copies the rest of a file that has more than its size says, as those
// of /proc have, until a read returns nothing.
func (j *job) copyUntrue(off int64) error {
	b, err := j.c.small.get(j.ctx)
	if err != nil {
		return &Error{"read", true, err}
	}
	defer j.c.small.put(b)
	for {
		n, err := j.fill(b, off)
		if err == nil {
			err = j.write(b[:n], off)
		}
		if err != nil {
			return err
		}
		off += int64(n)
		if n < len(b) {
			return j.finish(off)
		}
	}
}
