package direct

import (
	"context"
	"os"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sched"
)

// WithClass returns a view of the file; see sluice.File.WithClass.
func (f *File) WithClass(c *sluice.Class) (*File, error) {
	if f.isNil() {
		return nil, os.ErrInvalid
	}
	file, err := f.file.WithClass(c)
	if err != nil {
		return nil, err
	}
	v := &File{file: file, h: inside.File(file), explanation: f.explanation}
	if f.direct != nil {
		v.direct = f.direct.View(v.h.IO)
	}
	return v, nil
}

// classIn returns the class of ctx, for operations on a file without a class.
func (f *File) classIn(ctx context.Context) *sched.Class { return f.h.Sched.Core.Classes().In(ctx) }
