//go:build !unix

package sqlite

import "os"

// lockFile cannot lock on this system: do not start two processes on one file.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
}
