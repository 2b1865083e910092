//go:build unix

package sqlite

import (
	"fmt"
	"os"
	"syscall"
)

// lockFile takes the file for this process until it ends, however it ends.
// Two processes on one SQLite file would take each other's running calls for
// those of a dead process.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking %q: %w", path, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("%q is in use by another process (each needs its own data directory)", path)
	}
	return f, nil
}
