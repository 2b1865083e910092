package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// start runs the program as main does and gives its address.
func start(t *testing.T, env map[string]string) (base string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-web", ""}, func(k string) string { return env[k] }, in, io.Discard)
		in.Close()
		done <- err
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatalf("no line: %v, %v", err, <-done)
	}
	base, ok := strings.CutPrefix(strings.TrimSuffix(string(line[:n]), "\n"), "listening on ")
	if !ok {
		t.Fatalf("line %q", line[:n])
	}
	return base, func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(15 * time.Second):
			return errors.New("did not stop within 15 s")
		}
	}
}

func TestServesAndStops(t *testing.T) {
	env := map[string]string{"PORT": "0", "SVEDA_DATA_DIR": t.TempDir()}
	base, stop := start(t, env)
	res, err := http.Get(base + "/demo/token")
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%v %v", res, err)
	}
	res.Body.Close()
	if err := stop(); err != nil {
		t.Errorf("stopping: %v", err)
	}
	if _, err := http.Get(base); err == nil {
		t.Error("still serves")
	}
	// The folder is free again.
	_, stop = start(t, env)
	if err := stop(); err != nil {
		t.Errorf("stopping: %v", err)
	}
}

func TestCannotStart(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	_, port, _ := net.SplitHostPort(busy.Addr().String())
	tests := []struct {
		name string
		env  map[string]string
		args []string
		want string
	}{
		{"the port is taken", map[string]string{"PORT": port}, []string{"-web", ""}, "listening: "},
		{"no web folder", map[string]string{"PORT": "0"}, []string{"-web", "nowhere"}, "opening the web folder"},
		{"the data folder is a file", map[string]string{"PORT": "0", "SVEDA_DATA_DIR": "main.go"}, []string{"-web", ""}, "making the data folder"},
		{"bad setting", map[string]string{"PORT": "x"}, nil, "PORT must be a number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.env["SVEDA_DATA_DIR"] == "" {
				tt.env["SVEDA_DATA_DIR"] = t.TempDir()
			}
			err := run(t.Context(), tt.args, func(k string) string { return tt.env[k] }, io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	var out bytes.Buffer
	err := run(t.Context(), []string{"-h"}, func(string) string { return "" }, io.Discard, &out)
	if !errors.Is(err, flag.ErrHelp) || !strings.Contains(out.String(), "SVEDA_DATA_DIR") {
		t.Errorf("error %v, help %q", err, out.String())
	}
}
