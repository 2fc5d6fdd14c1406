package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// waitForWorkers waits until the process has n children and returns their
// ids.
func waitForWorkers(t *testing.T, pid, n int) []int {
	t.Helper()
	for t.Context().Err() == nil {
		if pids := children(pid); len(pids) >= n {
			return pids
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// children returns the processes that any thread of pid has started.
func children(pid int) []int {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	var pids []int
	for _, task := range tasks {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for field := range strings.FieldsSeq(string(text)) {
			if n, err := strconv.Atoi(field); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}
