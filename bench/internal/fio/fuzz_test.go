package fio

import "testing"

// FuzzParse checks that any output of fio is either read or refused.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`warning {"jobs":[{"error":0,"usr_cpu":1.5,"sys_cpu":2,"job_runtime":100,"read":{"total_ios":5,"iops":3,"runtime":9}}]}`))
	f.Add([]byte(`{"jobs":[{"error":1}]}`))
	f.Add([]byte("fio: failed\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := parse(text, job{}); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
		if _, _, err := parseMixed(text); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
