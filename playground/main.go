// Command playground is the agent runtime that the demo and the tests talk
// to: the Sveda protocol over real event streams, a real MCP host over a
// SQLite table, and a model that works offline or is any OpenAI-compatible
// server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/svedawasm/svedawasm/playground/internal/app"
	"github.com/svedawasm/svedawasm/playground/internal/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the next one kills at once.
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. It prints one line to out when it is ready.
func run(ctx context.Context, args []string, getenv func(string) string, out, logs io.Writer) error {
	c, err := config.Load(args, getenv, logs)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: c.LogLevel}))
	a, err := app.New(ctx, c, app.Options{Log: log})
	if err != nil {
		return err
	}
	return a.Serve(ctx, out)
}
