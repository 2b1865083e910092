package toolregistry

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func tool(name string) Tool {
	return Tool{Name: name, Description: "d", Parameters: []byte(`{"type":"object"}`), Handler: 1}
}

func register(t *testing.T, r *Registry, tools ...Tool) []int {
	t.Helper()
	var ids []int
	for _, tool := range tools {
		id, err := r.Register(tool)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

func names(r *Registry) string {
	var s []string
	for _, t := range r.List() {
		s = append(s, t.Name)
	}
	return strings.Join(s, " ")
}

func TestRegisterRefuses(t *testing.T) {
	long := strings.Repeat("a", 129)
	tests := []struct {
		name string
		edit func(*Tool)
		code string
		text string
	}{
		{"empty name", func(t *Tool) { t.Name = "" }, CodeInvalidName, `registering tool "": expected a name`},
		{"blank name", func(t *Tool) { t.Name = " " }, CodeInvalidName, ""},
		{"leading space", func(t *Tool) { t.Name = " a" }, CodeInvalidName, ""},
		{"Cyrillic letter", func(t *Tool) { t.Name = "p\u0430y" }, CodeInvalidName, ""},
		{"bidi control", func(t *Tool) { t.Name = "a\u202eb" }, CodeInvalidName, ""},
		{"NUL", func(t *Tool) { t.Name = "a\x00" }, CodeInvalidName, ""},
		{"invalid UTF-8", func(t *Tool) { t.Name = "a\xff" }, CodeInvalidName, ""},
		{"129 characters", func(t *Tool) { t.Name = long }, CodeInvalidName, ""},
		{"no handler", func(t *Tool) { t.Handler = 0 }, CodeMissingHandler, "expected a handler"},
		{"negative handler", func(t *Tool) { t.Handler = -1 }, CodeMissingHandler, ""},
		{"confirmation in capitals", func(t *Tool) { t.Confirmation = "Required" }, CodeInvalidConfirmation, `got "Required"`},
		{"confirmation true", func(t *Tool) { t.Confirmation = "true" }, CodeInvalidConfirmation, ""},
		{"confirmation with space", func(t *Tool) { t.Confirmation = "required " }, CodeInvalidConfirmation, ""},
		{"array schema", func(t *Tool) { t.Parameters = []byte(`[]`) }, CodeInvalidParameters, "JSON object"},
		{"string schema", func(t *Tool) { t.Parameters = []byte(`"{}"`) }, CodeInvalidParameters, ""},
		{"null schema", func(t *Tool) { t.Parameters = []byte(`null`) }, CodeInvalidParameters, ""},
		{"cut schema", func(t *Tool) { t.Parameters = []byte(`{`) }, CodeInvalidParameters, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := New()
			register(t, r, tool("kept"))
			bad := tool("bad")
			test.edit(&bad)
			id, err := r.Register(bad)
			var e *Error
			if !errors.As(err, &e) || e.Code != test.code || id != 0 {
				t.Fatalf("got id %d, error %v; want code %s", id, err, test.code)
			}
			if !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %q does not say %q", err, test.text)
			}
			if names(r) != "kept" || r.Len() != 1 {
				t.Errorf("a refused tool changed the registry: %s", names(r))
			}
		})
	}
}

func TestRegisterAsksValidate(t *testing.T) {
	cause := errors.New("not JSON")
	var asked string
	r := &Registry{Validate: func(p []byte) error { asked = string(p); return cause }}
	bad := tool("a")
	bad.Parameters = []byte("\n{x}\t")
	_, err := r.Register(bad)
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeInvalidParameters || !errors.Is(err, cause) {
		t.Fatalf("got %v", err)
	}
	if asked != "{x}" || r.Has("a") {
		t.Fatalf("Validate saw %q, registered: %v", asked, r.Has("a"))
	}
	bad.Parameters = nil
	if _, err := r.Register(bad); err != nil {
		t.Fatalf("a tool without parameters: %v", err)
	}
}

func TestListKeepsOrderAndReplacesInPlace(t *testing.T) {
	r := New()
	register(t, r, tool("c"), tool("a"), tool("b"))
	again := tool("a")
	again.Description = "new"
	register(t, r, again)
	if names(r) != "c a b" {
		t.Fatalf("order %q", names(r))
	}
	if got, ok := r.Get("a"); !ok || got.Description != "new" {
		t.Fatalf("Get after replacement: %+v", got)
	}
	if !r.Unregister("a") || r.Unregister("a") || r.Has("a") || names(r) != "c b" {
		t.Fatalf("after Unregister: %q", names(r))
	}
	r.Clear()
	if r.Len() != 0 || r.Has("c") || len(r.List()) != 0 {
		t.Fatal("Clear left tools")
	}
	register(t, r, tool("c"))
	if names(r) != "c" {
		t.Fatal("register after Clear")
	}
}

func TestUnregisterIDRemovesOnlyItsOwnRegistration(t *testing.T) {
	r := New()
	old := register(t, r, tool("a"))[0]
	now := register(t, r, tool("a"))[0]
	if r.UnregisterID(old) || !r.Has("a") {
		t.Fatal("an old registration removed the new one")
	}
	if !r.UnregisterID(now) || r.Has("a") || r.UnregisterID(now) {
		t.Fatal("the registration did not remove itself once")
	}
	register(t, r, tool("a"))
	if r.UnregisterID(now) || !r.Has("a") {
		t.Fatal("an id was used again")
	}
}

func TestB099_InheritedNamesAreOrdinary(t *testing.T) {
	r := New()
	for _, name := range []string{"constructor", "toString", "__proto__", "hasOwnProperty"} {
		if _, ok := r.Get(name); ok || r.Has(name) || r.Unregister(name) {
			t.Errorf("%s is there without registration", name)
		}
		register(t, r, tool(name))
		if got, ok := r.Get(name); !ok || got.Name != name {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestClientTools(t *testing.T) {
	r := New()
	required, auto, bare := tool("del"), tool("auto"), tool("bare")
	required.Confirmation, required.Mode, required.Domain = ConfirmationRequired, "delete", "posts"
	required.Description = "say \"x\"\n\\ \x01 \u2028 \xff"
	required.Parameters = []byte(" {\"z\": 1.10,\n\"a\":2}\n")
	auto.Confirmation = ConfirmationAuto
	bare.Parameters, bare.Description = nil, ""
	if got := string(r.AppendClientTools(nil)); got != "[]" {
		t.Fatalf("empty registry: %s", got)
	}
	register(t, r, required, auto, bare)
	const want = `>[{"name":"del","description":"say \"x\"\u000a\\ \u0001 ` + "\u2028 \uFFFD" +
		`","parameters":{"z": 1.10,` + "\n" + `"a":2},"confirmation":"required"},` +
		`{"name":"auto","description":"d","parameters":{"type":"object"}},` +
		`{"name":"bare","description":"","parameters":{"type":"object","properties":{}}}]`
	got := string(r.AppendClientTools([]byte(">")))
	if got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	if !json.Valid([]byte(got[1:])) {
		t.Fatal("not JSON")
	}
}

func TestRegistryKeepsItsOwnBytes(t *testing.T) {
	r := New()
	given := tool("a")
	register(t, r, given)
	given.Parameters[1] = 'X'
	if got, _ := r.Get("a"); string(got.Parameters) != `{"type":"object"}` {
		t.Fatalf("the caller's change reached the registry: %s", got.Parameters)
	}
}

func TestCapabilities(t *testing.T) {
	tests := []struct {
		allow []string
		want  string
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"  "}, ""},
		{[]string{"*"}, "posts_list posts_delete list"},
		{[]string{" * "}, "posts_list posts_delete list"},
		{[]string{"posts_*"}, "posts_list posts_delete"},
		{[]string{"*list"}, "posts_list list"},
		{[]string{" list "}, "list"},
		{[]string{"List"}, ""},
		{[]string{"posts"}, ""},
		{[]string{"p*t"}, ""},
		{[]string{"posts_list*"}, "posts_list"},
		{[]string{"none", "*_delete"}, "posts_delete"},
	}
	for _, test := range tests {
		r := New()
		register(t, r, tool("posts_list"), tool("posts_delete"), tool("list"))
		r.SetCapabilities(true, test.allow)
		if got := names(r); got != test.want {
			t.Errorf("allow %q: got %q, want %q", test.allow, got, test.want)
		}
		if published := strings.Count(string(r.AppendClientTools(nil)), `"name"`); published != len(r.List()) {
			t.Errorf("allow %q: %d published, %d listed", test.allow, published, len(r.List()))
		}
		if _, ok := r.Get("list"); !ok || !r.Has("posts_delete") || r.Len() != 3 {
			t.Errorf("allow %q: Has and Get must not be filtered", test.allow)
		}
		r.SetCapabilities(false, nil)
		if len(r.List()) != 3 {
			t.Errorf("allow %q: not restricted any more, yet filtered", test.allow)
		}
	}
}

func TestS47_DefinitionChangesWithEachComponent(t *testing.T) {
	base := Tool{Name: "n", Description: "d", Parameters: []byte(`{}`), Confirmation: "required", Mode: "read", Handler: 1}
	edits := map[string]func(*Tool){
		"name":         func(t *Tool) { t.Name = "m" },
		"description":  func(t *Tool) { t.Description = "e" },
		"parameters":   func(t *Tool) { t.Parameters = []byte(`{ }`) },
		"confirmation": func(t *Tool) { t.Confirmation = "auto" },
		"mode":         func(t *Tool) { t.Mode = "reae" },
		"moved bytes":  func(t *Tool) { t.Name, t.Description = "nd", "" },
	}
	seen := map[string]string{string(base.AppendDefinition(nil)): "base"}
	for name, edit := range edits {
		changed := base
		edit(&changed)
		d := string(changed.AppendDefinition(nil))
		if other, ok := seen[d]; ok {
			t.Errorf("%s has the definition of %s", name, other)
		}
		seen[d] = name
	}
	same := base
	same.Handler, same.Domain = 7, "x"
	if string(same.AppendDefinition(nil)) != string(base.AppendDefinition(nil)) {
		t.Error("the handler's number is no part of the definition")
	}
	base.Confirmation, same.Confirmation = "", "auto"
	if string(same.AppendDefinition(nil)) != string(base.AppendDefinition(nil)) {
		t.Error(`"" and "auto" are the same`)
	}
}
