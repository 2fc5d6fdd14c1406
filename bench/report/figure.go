package report

import (
	"math"
	"strconv"
	"time"

	"github.com/sluiceio/sluice/internal/text"
)

// missing is printed in place of a missing figure.
const missing = "-"

// Count returns v with at most four characters of digits and a k, M or G: 987, 20.4k, 1.25M.
func Count[F ~float64](f F) string {
	v := float64(f)
	switch {
	case math.IsNaN(v):
		return missing
	case v < 999.5:
		return significant(v)
	case v < 999.5e3:
		return significant(v/1e3) + "k"
	case v < 999.5e6:
		return significant(v/1e6) + "M"
	}
	return significant(v/1e9) + "G"
}

// Ratio returns v with two decimals, in at most five characters.
func Ratio[F ~float64](f F) string {
	v := float64(f)
	switch {
	case math.IsNaN(v):
		return missing
	case v >= 999.5:
		return ">999"
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// Percent returns the fraction v as a whole percentage.
func Percent[F ~float64](f F) string {
	v := float64(f)
	if math.IsNaN(v) {
		return missing
	}
	return strconv.FormatFloat(100*v, 'f', 0, 64) + " %"
}

// Micros returns d in microseconds with three significant digits.
func Micros(d time.Duration) string { return significant(float64(d) / 1e3) }

// Bytes returns n in a suitable binary unit: 512 B, 4 KiB, 1.5 GiB.
func Bytes(n int64) string { return text.Bytes(n) }

// significant returns v with three significant digits, never with an exponent.
func significant(v float64) string {
	decimals := 0
	switch {
	case v == 0:
	case v < 9.995:
		decimals = 2
	case v < 99.95:
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
