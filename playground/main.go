// Command playground is the agent runtime that the demo and the tests talk
// to: the Sveda protocol over real event streams, a real MCP host over a
// SQLite table, and a model that works offline or is any OpenAI-compatible
// server.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/config"
	"github.com/svedawasm/svedawasm/playground/internal/host"
	"github.com/svedawasm/svedawasm/playground/internal/hostclient"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/posts"
	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/playground/internal/server"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/playground/internal/store/sqlite"
	"github.com/svedawasm/svedawasm/playground/internal/token"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

// shutdownTime is what running tools get to end after a signal.
const shutdownTime = 10 * time.Second

// run serves until ctx ends. It prints one line to out when it is ready.
func run(ctx context.Context, args []string, getenv func(string) string, out, logs io.Writer) error {
	c, err := config.Load(args, getenv, logs)
	if err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return fmt.Errorf("reading the log level: %w", err)
	}
	log := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: level}))

	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	chats, err := sqlite.Open(ctx, filepath.Join(c.DataDir, "chats.db"))
	if err != nil {
		return err
	}
	defer chats.Close()
	table, err := posts.Open(ctx, filepath.Join(c.DataDir, "posts.db"))
	if err != nil {
		return err
	}
	defer table.Close()

	listener, err := net.Listen("tcp", net.JoinHostPort(c.Host, strconv.Itoa(c.Port)))
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	defer listener.Close()
	handler, engine, err := build(ctx, c, chats, table, listener.Addr().(*net.TCPAddr), log)
	if err != nil {
		return err
	}
	return serve(ctx, handler, engine, listener, out, log)
}

// build wires the parts together.
func build(ctx context.Context, c *config.Config, chats store.Store, table *posts.DB, addr *net.TCPAddr, log *slog.Logger) (http.Handler, *runtime.Engine, error) {
	mcpToken := c.MCPToken
	if mcpToken == "" {
		key := make([]byte, 32)
		rand.Read(key)
		mcpToken = hex.EncodeToString(key)
	}
	mcp, err := host.New(table, host.Options{Token: mcpToken, Delay: c.HostDelay, Log: log})
	if err != nil {
		return nil, nil, err
	}
	own := store.Host{URL: "http://" + loopback(addr) + "/mcp/sveda", Token: mcpToken}

	models := model.Catalogue{{ID: "offline", Provider: "offline", Name: "Offline model", Model: &model.Offline{Delay: c.OfflineDelay}}}
	if c.OpenAIKey != "" {
		remote := model.Entry{ID: c.OpenAIModel, Provider: "openai", Name: c.OpenAIModel, Model: model.NewOpenAI(c.OpenAIKey, c.OpenAIBase, c.OpenAIModel)}
		models = append(model.Catalogue{remote}, models...)
	}
	engine, err := runtime.New(ctx, runtime.Config{
		Store: chats, Models: models, Log: log, MaxSteps: c.MaxSteps, HostTimeout: c.HostTimeout,
		Connect: func(ctx context.Context, key store.Key, page json.RawMessage) (runtime.HostSession, error) {
			h, err := chats.Host(ctx, key.Visitor, time.Now())
			if errors.Is(err, store.ErrNotFound) {
				h, err = own, nil
			}
			if err != nil {
				return nil, err
			}
			session, err := hostclient.Connect(ctx, hostclient.Target{URL: h.URL, Token: h.Token, ChatID: key.Chat, PageContext: page})
			if err != nil {
				return nil, err
			}
			return session, nil
		},
	})
	if err != nil {
		return nil, nil, err
	}
	tokens, err := token.NewSigner([]byte(c.Secret))
	if err != nil {
		return nil, nil, err
	}
	sc := server.Config{
		Engine: engine, Store: chats, Models: models, Tokens: tokens, TokenTTL: c.File.Embed.TokenTTL, HostKey: c.HostKey,
		Policies: c.File.Policies, Visitors: c.File.Limits.Visitor.Rate(), IPs: c.File.Limits.IP.Rate(),
		PerKey: c.File.Limits.Streams, Total: c.File.Limits.StreamsTotal, Log: log,
		MaxBody: c.MaxBody, KeepAlive: c.KeepAlive, MCP: mcp,
	}
	if c.Demo {
		sc.Posts = table
	}
	if c.WebDir != "" {
		if sc.Web, err = os.OpenRoot(c.WebDir); err != nil {
			return nil, nil, fmt.Errorf("opening the web folder (-web): %w", err)
		}
	}
	return server.New(sc), engine, nil
}

// serve answers requests until ctx ends, then lets what runs come to its end.
func serve(ctx context.Context, handler http.Handler, engine *runtime.Engine, listener net.Listener, out io.Writer, log *slog.Logger) error {
	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	fmt.Fprintf(out, "listening on http://%s\n", loopback(listener.Addr().(*net.TCPAddr)))
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	log.Info("stopping")
	end, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	// The engine first: tools that run still need the host, which this server
	// serves too.
	err := engine.Shutdown(end)
	if e := srv.Shutdown(end); e != nil {
		srv.Close()
		err = errors.Join(err, fmt.Errorf("closing connections: %w", e))
	}
	return err
}

// loopback is the address at which this machine reaches the listener.
func loopback(addr *net.TCPAddr) string {
	ip := addr.IP
	if ip == nil || ip.IsUnspecified() {
		ip = net.IPv4(127, 0, 0, 1)
	}
	return net.JoinHostPort(ip.String(), strconv.Itoa(addr.Port))
}
