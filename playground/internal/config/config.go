// Package config reads the playground's settings: flags before environment
// before defaults, and sveda.yaml for what does not fit on a line. What is
// wrong is an error at start, never a guess.
package config

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/limit"
	"github.com/svedawasm/svedawasm/playground/internal/policy"
	"github.com/svedawasm/svedawasm/playground/internal/token"
	"go.yaml.in/yaml/v3"
)

// Config is everything that can be set.
type Config struct {
	Host     string // address to listen on
	Port     int
	DataDir  string
	WebDir   string // "" serves no files
	Demo     bool
	Secret   string // signs embed tokens
	HostKey  string // opens /sveda/embed/token
	MCPToken string // "" for a new one at each start
	// AsgardKey opens /ns/ to clients of the channel protocol; "" leaves it open
	// in demo mode and closed otherwise.
	AsgardKey string
	// DatabaseURL of a PostgreSQL for the chats; "" for SQLite in DataDir.
	DatabaseURL string
	LogLevel    slog.Level

	KeepAlive    time.Duration
	SocketWindow time.Duration // how long a client whose WebSocket broke may stay away
	SocketBeat   time.Duration // between heartbeats of a WebSocket
	HostDelay    time.Duration // of the demo's tools
	OfflineDelay time.Duration // between two words of the offline model
	HostTimeout  time.Duration
	MaxSteps     int
	MaxBody      int64

	OpenAIKey   string
	OpenAIBase  string
	OpenAIModel string

	File File
}

// File is sveda.yaml.
type File struct {
	Policies map[string]policy.Rules `yaml:"policies"`
	Embed    struct {
		TokenTTL time.Duration `yaml:"token_ttl"`
	} `yaml:"embed"`
	Limits struct {
		Visitor      Limit `yaml:"visitor"`
		IP           Limit `yaml:"ip"`
		Streams      int   `yaml:"streams"`       // open at once for one visitor
		StreamsTotal int   `yaml:"streams_total"` // open at once in all
	} `yaml:"limits"`
	MaxSteps int `yaml:"max_steps"`
}

// Limit is a rate in sveda.yaml.
type Limit struct {
	PerMinute int `yaml:"per_minute"`
	Burst     int `yaml:"burst"`
}

// Rate gives it as the throttle wants it.
func (l Limit) Rate() limit.Rate { return limit.Rate{PerMinute: l.PerMinute, Burst: l.Burst} }

// defaults hold where sveda.yaml says nothing. The limits are generous: they
// stop a runaway loop, not a busy demo.
func defaults() (f File) {
	f.Embed.TokenTTL = time.Hour
	f.Limits.Visitor = Limit{PerMinute: 6000}
	f.Limits.IP = Limit{PerMinute: 12000}
	f.Limits.Streams, f.Limits.StreamsTotal = 100, 1000
	return f
}

// devSecret signs tokens in demo mode when no other is set. It is public: a
// demo listens on loopback only.
const devSecret = "playground-development-key"

// Load reads flags and environment. flag.ErrHelp means that help was asked
// for and printed to out.
func Load(args []string, getenv func(string) string, out io.Writer) (*Config, error) {
	var c Config
	env := &reader{getenv: getenv}
	fs := flag.NewFlagSet("playground", flag.ContinueOnError)
	fs.SetOutput(out)
	fs.StringVar(&c.Host, "host", env.str("SVEDA_HOST", "127.0.0.1"), "address to listen on (SVEDA_HOST)")
	fs.IntVar(&c.Port, "port", env.num("PORT", 8787), "port, 0 for a free one (PORT)")
	fs.StringVar(&c.DataDir, "data", env.str("SVEDA_DATA_DIR", ".playground"), "folder of the databases (SVEDA_DATA_DIR)")
	fs.StringVar(&c.WebDir, "web", env.str("SVEDA_WEB_DIR", "web"), "folder with demo/, dist/ and src/, empty for none (SVEDA_WEB_DIR)")
	file := fs.String("config", env.str("SVEDA_CONFIG", ""), "sveda.yaml, optional (SVEDA_CONFIG)")
	fs.BoolVar(&c.Demo, "demo", env.boolean("SVEDA_DEMO", true), "demo mode: /demo/ and /debug/, on loopback only (SVEDA_DEMO)")
	level := fs.String("log", env.str("SVEDA_LOG", "info"), "debug, info, warn or error (SVEDA_LOG)")
	fs.DurationVar(&c.KeepAlive, "keep-alive", env.duration("SVEDA_KEEP_ALIVE", 15*time.Second), "comment on a silent stream after this, 0 for never (SVEDA_KEEP_ALIVE)")
	fs.DurationVar(&c.SocketWindow, "socket-window", env.duration("SVEDA_SOCKET_WINDOW", 2*time.Minute), "how long a client whose WebSocket broke may stay away (SVEDA_SOCKET_WINDOW)")
	fs.DurationVar(&c.SocketBeat, "socket-heartbeat", env.duration("SVEDA_SOCKET_HEARTBEAT", 15*time.Second), "heartbeat of a WebSocket, at most 20s (SVEDA_SOCKET_HEARTBEAT)")
	fs.DurationVar(&c.HostDelay, "host-delay", env.duration("SVEDA_HOST_DELAY", 0), "make the demo's tools slow (SVEDA_HOST_DELAY)")
	fs.DurationVar(&c.HostTimeout, "host-timeout", env.duration("SVEDA_HOST_TIMEOUT", 30*time.Second), "for one tool call (SVEDA_HOST_TIMEOUT)")
	fs.DurationVar(&c.OfflineDelay, "offline-delay", env.duration("SVEDA_OFFLINE_DELAY", 8*time.Millisecond), "between two words of the offline model (SVEDA_OFFLINE_DELAY)")
	fs.IntVar(&c.MaxSteps, "max-steps", env.num("SVEDA_MAX_STEPS", 0), "model steps of one turn (SVEDA_MAX_STEPS; default 30 or sveda.yaml)")
	fs.Int64Var(&c.MaxBody, "max-body", int64(env.num("SVEDA_MAX_BODY", 16<<20)), "bytes of a request body (SVEDA_MAX_BODY)")
	// Secrets come by environment only: command lines are visible to others.
	c.File = defaults()
	c.Secret = env.str("SVEDA_SECRET", "")
	c.HostKey = env.str("SVEDA_HOST_KEY", "")
	c.DatabaseURL = env.str("DATABASE_URL", "")
	c.MCPToken = env.str("SVEDA_MCP_TOKEN", "")
	c.AsgardKey = env.str("SVEDA_ASGARD_API_KEY", "")
	c.OpenAIKey = env.str("OPENAI_API_KEY", "")
	c.OpenAIBase = env.str("OPENAI_BASE_URL", "")
	c.OpenAIModel = env.str("OPENAI_MODEL", "gpt-4o-mini")
	if env.err != nil {
		return nil, env.err
	}
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if err := c.LogLevel.UnmarshalText([]byte(*level)); err != nil {
		return nil, fmt.Errorf("log level must be debug, info, warn or error, got %q", *level)
	}
	if *file != "" {
		if err := c.readFile(*file); err != nil {
			return nil, err
		}
	}
	return &c, c.check()
}

func (c *Config) readFile(name string) error {
	raw, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&c.File); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading %q: %w", name, err)
	}
	for name, p := range c.File.Policies {
		if p.MCP == nil {
			continue
		}
		switch p.MCP.MaxMode {
		case "", "read", "write", "delete":
		default:
			return fmt.Errorf("policy %q: expected max_mode read, write or delete, got %q", name, p.MCP.MaxMode)
		}
	}
	return nil
}

// check refuses what cannot work or would not be safe, and fills in defaults
// that depend on other settings.
func (c *Config) check() error {
	if c.Port < 0 || c.Port > 65535 {
		return fmt.Errorf("port must be 0 to 65535, got %d", c.Port)
	}
	if c.DataDir == "" {
		return errors.New("the data folder is not set (SVEDA_DATA_DIR)")
	}
	loopback := c.Host == "localhost" || net.ParseIP(c.Host).IsLoopback()
	if c.Demo && !loopback {
		return fmt.Errorf("demo mode listens on loopback only, got host %q; set SVEDA_DEMO=false and SVEDA_SECRET to serve others", c.Host)
	}
	if c.Secret == "" {
		if !c.Demo {
			return errors.New("SVEDA_SECRET is not set; outside demo mode a key for embed tokens is needed")
		}
		c.Secret = devSecret
	}
	if !c.Demo && len(c.Secret) < 16 {
		return errors.New("SVEDA_SECRET is shorter than 16 bytes")
	}
	for name, d := range map[string]time.Duration{"keep-alive": c.KeepAlive, "host-delay": c.HostDelay, "offline-delay": c.OfflineDelay} {
		if d < 0 {
			return fmt.Errorf("%s must not be negative, got %s", name, d)
		}
	}
	if c.SocketWindow <= 0 || c.SocketBeat <= 0 || c.SocketBeat > 20*time.Second {
		return fmt.Errorf("socket-window must be positive and socket-heartbeat at most 20s, got %s and %s", c.SocketWindow, c.SocketBeat)
	}
	if c.HostTimeout <= 0 {
		return fmt.Errorf("host-timeout must be positive, got %s", c.HostTimeout)
	}
	if c.MaxSteps == 0 {
		c.MaxSteps = c.File.MaxSteps
	}
	if c.MaxSteps < 0 || c.MaxBody <= 0 {
		return errors.New("max-steps and max-body must be positive")
	}
	if c.OpenAIBase != "" {
		if u, err := url.Parse(c.OpenAIBase); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("OPENAI_BASE_URL must be an http or https URL, got %q", c.OpenAIBase)
		}
	}
	if c.File.Embed.TokenTTL < token.MinTTL {
		return fmt.Errorf("embed.token_ttl must be at least %s, got %s", token.MinTTL, c.File.Embed.TokenTTL)
	}
	l := c.File.Limits
	for _, n := range []int{l.Visitor.PerMinute, l.Visitor.Burst, l.IP.PerMinute, l.IP.Burst, l.Streams, l.StreamsTotal} {
		if n < 0 {
			return errors.New("limits must not be negative")
		}
	}
	return nil
}

// reader reads typed values from the environment and keeps the first error.
type reader struct {
	getenv func(string) string
	err    error
}

func (r *reader) str(name, otherwise string) string {
	if v := r.getenv(name); v != "" {
		return v
	}
	return otherwise
}

func (r *reader) num(name string, otherwise int) int {
	v := r.getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	r.wrong(name, v, "a number", err)
	return n
}

func (r *reader) boolean(name string, otherwise bool) bool {
	v := r.getenv(name)
	if v == "" {
		return otherwise
	}
	b, err := strconv.ParseBool(v)
	r.wrong(name, v, "true or false", err)
	return b
}

func (r *reader) duration(name string, otherwise time.Duration) time.Duration {
	v := r.getenv(name)
	if v == "" {
		return otherwise
	}
	d, err := time.ParseDuration(v)
	r.wrong(name, v, "a duration like 15s", err)
	return d
}

func (r *reader) wrong(name, value, want string, err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s must be %s, got %q", name, want, value)
	}
}
