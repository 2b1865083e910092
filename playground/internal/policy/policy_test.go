package policy

import (
	"slices"
	"strings"
	"testing"
)

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

func TestTurnRule26_Globs(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"*", "anything", true}, {"*", "", true},
		{"pre*", "prefix", true}, {"pre*", "pre", true}, {"pre*", "xpre", false},
		{"*suf", "a_suf", true}, {"*suf", "suf", true}, {"*suf", "sufx", false},
		{"exact", "exact", true}, {"exact", "Exact", false}, {"exact", "exactly", false},
		{"  exact  ", "exact", true}, {" pre* ", "prefix", true},
		{"", "", false}, {"   ", "", false}, {"", "x", false},
		{"a*b", "axb", false}, {"a*b", "a*b", true},
	}
	for _, tt := range tests {
		if got := Match(tt.pattern, tt.name); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
}

// TestFaultS7_Intersect compares with what the two patterns match themselves.
func TestFaultS7_Intersect(t *testing.T) {
	names := []string{"search_posts", "search_", "search_users", "create_post", "delete_post", "post", "x", "search_post"}
	patterns := []string{"*", "search_*", "sea*", "*_post", "*post", "*posts", "search_posts", "delete_post", "none", "", " "}
	for _, a := range patterns {
		for _, b := range patterns {
			both, ok := Intersect(a, b)
			kinds := func() bool { // a prefix with a suffix: the wider prefix is given
				ka, _ := parse(a)
				kb, _ := parse(b)
				return ka == prefix && kb == suffix || ka == suffix && kb == prefix
			}()
			for _, n := range names {
				want := Match(a, n) && Match(b, n)
				got := ok && Match(both, n)
				if got != want && !(kinds && got) {
					t.Errorf("Intersect(%q, %q) = %q, %v: %q is %v, want %v", a, b, both, ok, n, got, want)
				}
			}
		}
	}
}

func TestTurnRule26_Policies(t *testing.T) {
	tools := []struct{ name, domain, mode string }{
		{"search_posts", "posts", "read"}, {"create_post", "posts", "write"}, {"delete_post", "posts", "delete"},
		{"search_users", "users", "read"}, {"odd", "", "strange"},
	}
	tests := []struct {
		name         string
		base, grants *Rules
		host         string // the allowed host tools
		client       string // of page_a, page_b, other
		web, code    bool
	}{
		{"nothing: unrestricted", nil, nil, "search_posts create_post delete_post search_users odd", "page_a page_b other", true, true},
		{"empty rules allow nothing", &Rules{}, nil, "", "", false, false},
		{"empty grants alone allow nothing", nil, &Rules{}, "", "", false, false},
		{"star", &Rules{MCP: &MCP{Allow: []string{"*"}}, Client: &Client{Allow: []string{"*"}}}, nil,
			"search_posts create_post delete_post search_users odd", "page_a page_b other", false, false},
		{"no max_mode: no cap", &Rules{MCP: &MCP{Allow: []string{"delete_post"}}}, nil, "delete_post", "", false, false},
		{"write hides delete", &Rules{MCP: &MCP{Allow: []string{"*"}, MaxMode: "write"}}, nil, "search_posts create_post search_users odd", "", false, false},
		{"an unknown max_mode is read", &Rules{MCP: &MCP{Allow: []string{"*"}, MaxMode: "all"}}, nil, "search_posts search_users odd", "", false, false},
		{"domains", &Rules{MCP: &MCP{Allow: []string{"*"}, Domains: []string{" users "}}}, nil, "search_users", "", false, false},
		{"flags", &Rules{Web: yes(), Code: no()}, nil, "", "", true, false},

		{"S-7: grants narrow a star", &Rules{MCP: &MCP{Allow: []string{"*"}}}, &Rules{MCP: &MCP{Allow: []string{"search_posts"}}}, "search_posts", "", false, false},
		{"grants narrow a glob", &Rules{MCP: &MCP{Allow: []string{"search_*"}}}, &Rules{MCP: &MCP{Allow: []string{"search_posts", "delete_post"}}}, "search_posts", "", false, false},
		{"two globs meet", &Rules{MCP: &MCP{Allow: []string{"*_post"}}}, &Rules{MCP: &MCP{Allow: []string{"delete_*", "create_*"}}}, "create_post delete_post", "", false, false},
		{"grants cannot widen", &Rules{MCP: &MCP{Allow: []string{"search_posts"}}}, &Rules{MCP: &MCP{Allow: []string{"*"}}}, "search_posts", "", false, false},
		{"grants cannot widen an empty list", &Rules{}, &Rules{MCP: &MCP{Allow: []string{"*"}}, Client: &Client{Allow: []string{"*"}}}, "", "", false, false},
		{"absent grants do not narrow", &Rules{Web: yes(), MCP: &MCP{Allow: []string{"*"}}, Client: &Client{Allow: []string{"page_*"}}}, &Rules{},
			"search_posts create_post delete_post search_users odd", "page_a page_b", true, false},
		{"the lower max_mode wins", &Rules{MCP: &MCP{Allow: []string{"*"}, MaxMode: "delete"}}, &Rules{MCP: &MCP{MaxMode: "read"}}, "search_posts search_users odd", "", false, false},
		{"a higher max_mode of grants does not raise", &Rules{MCP: &MCP{Allow: []string{"*"}, MaxMode: "read"}}, &Rules{MCP: &MCP{MaxMode: "delete"}}, "search_posts search_users odd", "", false, false},
		{"a cap of grants alone counts", &Rules{MCP: &MCP{Allow: []string{"*"}}}, &Rules{MCP: &MCP{MaxMode: "read"}}, "search_posts search_users odd", "", false, false},
		{"domains of both", &Rules{MCP: &MCP{Allow: []string{"*"}, Domains: []string{"posts", "users"}}}, &Rules{MCP: &MCP{Domains: []string{"users"}}}, "search_users", "", false, false},
		{"booleans AND", &Rules{Web: yes(), Code: yes()}, &Rules{Web: yes(), Code: no()}, "", "", true, false},
		{"client lists meet", &Rules{Client: &Client{Allow: []string{"*"}}}, &Rules{Client: &Client{Allow: []string{"page_a"}}}, "", "page_a", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Of(tt.base, tt.grants)
			var host, client []string
			for _, x := range tools {
				if p.AllowsHost(x.name, x.domain, x.mode) {
					host = append(host, x.name)
				}
			}
			for _, n := range []string{"page_a", "page_b", "other"} {
				if p.AllowsClient(n) {
					client = append(client, n)
				}
			}
			if got := strings.Join(host, " "); got != tt.host {
				t.Errorf("host tools %q, want %q", got, tt.host)
			}
			if got := strings.Join(client, " "); got != tt.client {
				t.Errorf("client tools %q, want %q", got, tt.client)
			}
			if p.Web() != tt.web || p.Code() != tt.code {
				t.Errorf("web %v code %v", p.Web(), p.Code())
			}
		})
	}
}

func TestClientPatterns(t *testing.T) {
	tests := []struct {
		base, grants *Rules
		want         []string
	}{
		{nil, nil, []string{"*"}},
		{&Rules{}, nil, []string{}},
		{&Rules{Client: &Client{Allow: []string{"page_*"}}}, nil, []string{"page_*"}},
		{&Rules{Client: &Client{Allow: []string{"*"}}}, &Rules{Client: &Client{Allow: []string{"page_a", "page_b"}}}, []string{"page_a", "page_b"}},
		{&Rules{Client: &Client{Allow: []string{"a"}}}, &Rules{Client: &Client{Allow: []string{"b"}}}, []string{}},
	}
	for i, tt := range tests {
		if got := Of(tt.base, tt.grants).ClientPatterns(); !slices.Equal(got, tt.want) {
			t.Errorf("%d: %v, want %v", i, got, tt.want)
		}
	}
}
