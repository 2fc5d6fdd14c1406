package direct

import (
	"context"
	"os"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sched"
)

// WithClass returns a view of the file; see sluice.File.WithClass.
func (d *File) WithClass(c *sluice.Class) (*File, error) {
	if d == nil {
		return nil, os.ErrInvalid
	}
	file, err := d.file.WithClass(c)
	if err != nil {
		return nil, err
	}
	v := &File{file: file, h: file.Internal(), explanation: d.explanation}
	if d.direct != nil {
		v.direct = d.direct.View(v.h.Core)
	}
	return v, nil
}

// classIn returns the class of ctx, for operations on the file that have none.
func (d *File) classIn(ctx context.Context) *sched.Class { return d.h.Sched.Core.ClassIn(ctx) }
