// Package pgtest starts a PostgreSQL for a test, from the programs that the
// system has (Debian: the package postgresql).
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Start runs a PostgreSQL of its own on a free port, with its data in a
// temporary folder, until the test ends, and gives the URL of an empty
// database. Where none can be started it skips the test and says why; with
// SVEDA_REQUIRE_POSTGRES set that is a failure.
func Start(t testing.TB) (url string) {
	t.Helper()
	url, stop, err := start()
	if err != nil {
		if os.Getenv("SVEDA_REQUIRE_POSTGRES") != "" {
			t.Fatalf("no PostgreSQL: %v", err)
		}
		t.Skipf("skipped, no PostgreSQL can be started here: %v (Debian: apt-get install postgresql)", err)
	}
	t.Cleanup(stop)
	return url
}

func start() (url string, stop func(), err error) {
	bin, err := findBin()
	if err != nil {
		return "", nil, err
	}
	as, err := otherUser()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return "", nil, err
	}
	clean := func() { os.RemoveAll(dir) }
	if err := as.own(dir); err != nil {
		clean()
		return "", nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := as.command(dir, filepath.Join(bin, "initdb"), "-D", data, "-U", "sveda", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
	if out, err := initdb.CombinedOutput(); err != nil {
		clean()
		return "", nil, fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(out))
	}
	port, err := freePort()
	if err != nil {
		clean()
		return "", nil, err
	}
	var log bytes.Buffer
	server := as.command(dir, filepath.Join(bin, "postgres"), "-D", data, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+dir, "-c", "fsync=off", "-c", "max_connections=60")
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		clean()
		return "", nil, err
	}
	exited := make(chan struct{})
	go func() {
		_ = server.Wait()
		close(exited)
	}()
	stop = func() {
		_ = server.Process.Signal(os.Interrupt) // "fast shutdown"
		select {
		case <-exited:
		case <-time.After(10 * time.Second):
			_ = server.Process.Kill()
			<-exited
		}
		clean()
	}
	url = fmt.Sprintf("postgres://sveda@127.0.0.1:%d/postgres?sslmode=disable", port)
	if err := ready(url, exited); err != nil {
		stop()
		return "", nil, fmt.Errorf("starting postgres: %w: %s", err, bytes.TrimSpace(log.Bytes()))
	}
	return url, stop, nil
}

// findBin gives the folder that holds both programs: that of the search path,
// else where packages put versions that are not on it, the newest first.
func findBin() (string, error) {
	var folders []string
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		folders = append(folders, folder)
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin"} {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		sort.Sort(sort.Reverse(sort.StringSlice(found)))
		folders = append(folders, found...)
	}
	for _, folder := range folders {
		if isProgram(filepath.Join(folder, "initdb")) && isProgram(filepath.Join(folder, "postgres")) {
			return folder, nil
		}
	}
	return "", errors.New("initdb and postgres were not found")
}

func isProgram(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func ready(url string, exited <-chan struct{}) error {
	var err error
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		var conn *pgx.Conn
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		conn, err = pgx.Connect(ctx, url)
		cancel()
		if err == nil {
			return conn.Close(context.Background())
		}
		select {
		case <-exited:
			return errors.New("it has ended at once")
		case <-time.After(50 * time.Millisecond):
		}
	}
	return err
}
