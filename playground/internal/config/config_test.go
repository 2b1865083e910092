package config

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func load(t *testing.T, env map[string]string, args ...string) (*Config, error) {
	t.Helper()
	return Load(args, func(k string) string { return env[k] }, io.Discard)
}

func TestDefaults(t *testing.T) {
	c, err := load(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Host != "127.0.0.1" || c.Port != 8787 || c.DataDir != ".playground" || !c.Demo || c.Secret != devSecret ||
		c.KeepAlive != 15*time.Second || c.MaxBody != 16<<20 || c.HostTimeout != 30*time.Second {
		t.Errorf("config %+v", c)
	}
}

func TestFlagsBeforeEnvironment(t *testing.T) {
	c, err := load(t, map[string]string{"PORT": "1", "SVEDA_DATA_DIR": "e"}, "-port", "2")
	if err != nil {
		t.Fatal(err)
	}
	if c.Port != 2 || c.DataDir != "e" {
		t.Errorf("port %d data %q", c.Port, c.DataDir)
	}
}

func TestBadConfigurationIsAnError(t *testing.T) {
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "sveda.yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	tests := []struct {
		name string
		env  map[string]string
		args []string
		want string
	}{
		{"port is no number", map[string]string{"PORT": "http"}, nil, `PORT must be a number, got "http"`},
		{"port too high", map[string]string{"PORT": "70000"}, nil, "port must be 0 to 65535, got 70000"},
		{"demo on all addresses", map[string]string{"SVEDA_HOST": "0.0.0.0"}, nil, "demo mode listens on loopback only"},
		{"no secret outside demo", map[string]string{"SVEDA_DEMO": "false"}, nil, "SVEDA_SECRET is not set"},
		{"short secret", map[string]string{"SVEDA_DEMO": "false", "SVEDA_SECRET": "short"}, nil, "shorter than 16 bytes"},
		{"demo is no bool", map[string]string{"SVEDA_DEMO": "perhaps"}, nil, "SVEDA_DEMO must be true or false"},
		{"keep-alive", map[string]string{"SVEDA_KEEP_ALIVE": "15"}, nil, "SVEDA_KEEP_ALIVE must be a duration like 15s"},
		{"negative", nil, []string{"-keep-alive", "-1s"}, "keep-alive must not be negative"},
		{"log level", map[string]string{"SVEDA_LOG": "loud"}, nil, "log level must be debug, info, warn or error"},
		{"argument", nil, []string{"serve"}, `unexpected argument "serve"`},
		{"base url", map[string]string{"OPENAI_BASE_URL": "localhost"}, nil, "OPENAI_BASE_URL must be an http or https URL"},
		{"no file", map[string]string{"SVEDA_CONFIG": "nowhere.yaml"}, nil, "reading the configuration"},
		{"not yaml", map[string]string{"SVEDA_CONFIG": file("policies: [")}, nil, "sveda.yaml"},
		{"unknown key", map[string]string{"SVEDA_CONFIG": file("polices: {}")}, nil, "polices"},
		{"max_mode", map[string]string{"SVEDA_CONFIG": file("policies: {a: {mcp: {max_mode: everything}}}")}, nil, `expected max_mode read, write or delete, got "everything"`},
		{"ttl", map[string]string{"SVEDA_CONFIG": file("embed: {token_ttl: 5s}")}, nil, "token_ttl must be at least 1m0s"},
		{"negative limit", map[string]string{"SVEDA_CONFIG": file("limits: {streams: -1}")}, nil, "limits must not be negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.env, tt.args...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sveda.yaml")
	text := `
policies:
  agent:
    web: true
    mcp: {allow: [search_posts, "delete_*"], domains: [posts], max_mode: delete}
    client: {allow: ["*"]}
embed: {token_ttl: 2h}
limits:
  visitor: {per_minute: 30, burst: 5}
  streams: 3
max_steps: 7
`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := load(t, map[string]string{"SVEDA_CONFIG": name})
	if err != nil {
		t.Fatal(err)
	}
	p := c.File.Policies["agent"]
	if !*p.Web || p.Code != nil || p.MCP.Allow[1] != "delete_*" || p.MCP.MaxMode != "delete" || p.Client.Allow[0] != "*" {
		t.Errorf("policy %+v", p)
	}
	if c.File.Embed.TokenTTL != 2*time.Hour || c.File.Limits.Visitor.Rate().Burst != 5 || c.File.Limits.Streams != 3 || c.MaxSteps != 7 {
		t.Errorf("file %+v, steps %d", c.File, c.MaxSteps)
	}
	if c.File.Limits.IP.PerMinute == 0 {
		t.Error("what the file does not say has lost its default")
	}
}

func TestExampleFileIsRight(t *testing.T) {
	c, err := load(t, map[string]string{"SVEDA_CONFIG": filepath.Join("..", "..", "sveda.example.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.File.Policies) != 2 || c.File.Policies["agent"].MCP.MaxMode != "delete" || c.File.Limits.Streams != 20 {
		t.Errorf("file %+v", c.File)
	}
}

func TestHelp(t *testing.T) {
	if _, err := load(t, nil, "-h"); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("error %v", err)
	}
}
