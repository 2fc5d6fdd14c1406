//go:build !unix

package stress

import "errors"

// appendTo returns errors.ErrUnsupported: only Linux has programs of `sluice test`.
func appendTo(string, string) error { return errors.ErrUnsupported }
