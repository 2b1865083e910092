// Package app puts the parts of the playground together.
package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/svedawasm/svedawasm/playground/hosttool"
	"github.com/svedawasm/svedawasm/playground/internal/asgard"
	"github.com/svedawasm/svedawasm/playground/internal/config"
	"github.com/svedawasm/svedawasm/playground/internal/host"
	"github.com/svedawasm/svedawasm/playground/internal/hostclient"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/posts"
	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/playground/internal/server"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/playground/internal/store/postgres"
	"github.com/svedawasm/svedawasm/playground/internal/store/sqlite"
	"github.com/svedawasm/svedawasm/playground/internal/token"
)

// App is a playground that is ready to serve.
type App struct {
	Chats  store.Store
	Posts  *posts.DB
	Engine *runtime.Engine
	Tokens *token.Signer

	server   *http.Server
	sveda    *server.Server
	listener net.Listener
	web      *os.Root
	log      *slog.Logger
}

// Options beside the configuration; the zero value is what main uses.
type Options struct {
	Log *slog.Logger
	// Models replaces those of the configuration.
	Models model.Catalogue
	// Tools are more tools of the demo's host.
	Tools []hosttool.Tool
}

// shutdownTime is what running tools get to end after a signal.
const shutdownTime = 10 * time.Second

// New opens the databases, takes the port and wires the parts together.
func New(ctx context.Context, c *config.Config, o Options) (_ *App, err error) {
	a := &App{log: o.Log}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	if a.Chats, err = openChats(ctx, c); err != nil {
		return nil, err
	}
	if a.Posts, err = posts.Open(ctx, filepath.Join(c.DataDir, "posts.db")); err != nil {
		return nil, err
	}
	if c.WebDir != "" {
		if a.web, err = os.OpenRoot(c.WebDir); err != nil {
			return nil, fmt.Errorf("opening the web folder (-web): %w", err)
		}
	}
	// The port is known before the parts are wired: the runtime calls the host
	// through it.
	if a.listener, err = net.Listen("tcp", net.JoinHostPort(c.Host, strconv.Itoa(c.Port))); err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	if a.Tokens, err = token.NewSigner([]byte(c.Secret)); err != nil {
		return nil, err
	}
	if a.sveda, err = a.wire(ctx, c, o); err != nil {
		return nil, err
	}
	a.server = &http.Server{
		Handler:           a.sveda,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	return a, nil
}

// openChats opens PostgreSQL when a URL is set, so that several processes can
// share the chats, else a SQLite file of this process alone.
func openChats(ctx context.Context, c *config.Config) (store.Store, error) {
	if c.DatabaseURL != "" {
		s, err := postgres.Open(ctx, c.DatabaseURL)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	s, err := sqlite.Open(ctx, filepath.Join(c.DataDir, "chats.db"))
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (a *App) wire(ctx context.Context, c *config.Config, o Options) (*server.Server, error) {
	mcpToken := c.MCPToken
	if mcpToken == "" {
		key := make([]byte, 32)
		rand.Read(key)
		mcpToken = hex.EncodeToString(key)
	}
	mcp, err := host.New(a.Posts, host.Options{Token: mcpToken, Delay: c.HostDelay, Extra: o.Tools, Log: a.log})
	if err != nil {
		return nil, err
	}
	models := o.Models
	if models == nil {
		models = modelsOf(c)
	}
	a.Engine, err = runtime.New(ctx, runtime.Config{
		Store: a.Chats, Models: models, Log: a.log, MaxSteps: c.MaxSteps, HostTimeout: c.HostTimeout,
		Connect: a.connect(store.Host{URL: a.URL() + "/mcp/sveda", Token: mcpToken}),
	})
	if err != nil {
		return nil, err
	}
	sc := server.Config{
		Engine: a.Engine, Store: a.Chats, Models: models, Tokens: a.Tokens, TokenTTL: c.File.Embed.TokenTTL, HostKey: c.HostKey,
		Policies: c.File.Policies, Visitors: c.File.Limits.Visitor.Rate(), IPs: c.File.Limits.IP.Rate(),
		PerKey: c.File.Limits.Streams, Total: c.File.Limits.StreamsTotal, Log: a.log,
		MaxBody: c.MaxBody, KeepAlive: c.KeepAlive, SocketWindow: c.SocketWindow, SocketHeartbeat: c.SocketBeat, MCP: mcp, Web: a.web,
	}
	if c.Demo || c.AsgardKey != "" {
		sc.Asgard = asgard.New(asgard.Config{
			Engine: a.Engine, Store: a.Chats, APIKey: c.AsgardKey, Open: c.Demo, IPs: c.File.Limits.IP.Rate(),
			MaxBody: c.MaxBody, KeepAlive: c.KeepAlive, Log: a.log,
		})
	}
	if c.Demo {
		sc.Posts = a.Posts
	}
	return server.New(sc), nil
}

// connect gives the function that opens a turn's host: the visitor's own when
// the token's maker has named one, else the demo's.
func (a *App) connect(own store.Host) func(context.Context, store.Key, json.RawMessage) (runtime.HostSession, error) {
	return func(ctx context.Context, key store.Key, page json.RawMessage) (runtime.HostSession, error) {
		h, err := a.Chats.Host(ctx, key.Visitor, time.Now())
		if errors.Is(err, store.ErrNotFound) {
			h, err = own, nil
		}
		if err != nil {
			return nil, err
		}
		s, err := hostclient.Connect(ctx, hostclient.Target{URL: h.URL, Token: h.Token, ChatID: key.Chat, PageContext: page})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

func modelsOf(c *config.Config) model.Catalogue {
	list := model.Catalogue{{ID: "offline", Provider: "offline", Name: "Offline model", Model: &model.Offline{Delay: c.OfflineDelay}}}
	if c.OpenAIKey == "" {
		return list
	}
	remote := model.NewOpenAI(c.OpenAIKey, c.OpenAIBase, c.OpenAIModel)
	return append(model.Catalogue{{ID: c.OpenAIModel, Provider: "openai", Name: c.OpenAIModel, Model: remote}}, list...)
}

// URL is where this machine reaches the playground.
func (a *App) URL() string {
	addr := a.listener.Addr().(*net.TCPAddr)
	ip := addr.IP
	if ip == nil || ip.IsUnspecified() {
		ip = net.IPv4(127, 0, 0, 1)
	}
	return "http://" + net.JoinHostPort(ip.String(), strconv.Itoa(addr.Port))
}

// Serve answers requests until ctx ends, then lets what runs come to its end
// and closes everything. It writes one line to out when it is ready.
func (a *App) Serve(ctx context.Context, out io.Writer) error {
	defer a.close()
	failed := make(chan error, 1)
	go func() { failed <- a.server.Serve(a.listener) }()
	fmt.Fprintf(out, "listening on %s\n", a.URL())
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	a.log.Info("stopping")
	end, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	// The engine first: tools that run still need the host, which this server
	// serves too.
	err := errors.Join(a.Engine.Shutdown(end), a.sveda.Shutdown(end))
	if e := a.server.Shutdown(end); e != nil {
		a.server.Close()
		err = errors.Join(err, fmt.Errorf("closing connections: %w", e))
	}
	return err
}

func (a *App) close() {
	var errs []error
	if a.listener != nil {
		a.listener.Close() // closed already when it has served
	}
	if a.web != nil {
		errs = append(errs, a.web.Close())
	}
	if a.Posts != nil {
		errs = append(errs, a.Posts.Close())
	}
	if a.Chats != nil {
		errs = append(errs, a.Chats.Close())
	}
	if err := errors.Join(errs...); err != nil {
		a.log.Error("closing", "err", err)
	}
}
