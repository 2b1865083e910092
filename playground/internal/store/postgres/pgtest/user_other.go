//go:build !unix

package pgtest

import "os/exec"

type account struct{}

func otherUser() (account, error) { return account{}, nil }
func (account) own(string) error  { return nil }
func (account) command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	return cmd
}
