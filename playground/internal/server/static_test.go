package server

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func web(t *testing.T) http.Handler {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"demo/index.html": "<!doctype html>", "demo/demo.css": "a{}", "demo/.secret.js": "x", "demo/archive.zip": "x",
		"dist/sveda.wasm": "raw", "dist/sveda.wasm.br": "compressed", "dist/old.js": "new text", "dist/old.js.br": "stale",
		"src/index.js": "x", "package.json": "{}",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	for name, at := range map[string]time.Time{
		"dist/sveda.wasm": now, "dist/sveda.wasm.br": now, "dist/old.js": now, "dist/old.js.br": now.Add(-time.Hour),
	} {
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside.js")
	os.WriteFile(outside, []byte("outside"), 0o644)
	if err := os.Symlink(outside, filepath.Join(dir, "src/link.js")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return staticFiles(root, slog.New(slog.DiscardHandler))
}

func get(h http.Handler, method, path, encoding string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost/", nil)
	r.URL.Path = path
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestStaticFiles(t *testing.T) {
	h := web(t)
	tests := []struct {
		path, encoding string
		status         int
		kind, body, ce string
	}{
		{"/", "", 200, "text/html; charset=utf-8", "<!doctype html>", ""},
		{"/index.html", "", 200, "text/html; charset=utf-8", "<!doctype html>", ""},
		{"/demo.css", "", 200, "text/css; charset=utf-8", "a{}", ""},
		{"/dist/sveda.wasm", "gzip", 200, "application/wasm", "raw", ""},
		{"/dist/sveda.wasm", "gzip, br", 200, "application/wasm", "compressed", "br"},
		{"/dist/sveda.wasm", "br;q=0", 200, "application/wasm", "raw", ""},
		{"/dist/old.js", "br", 200, "text/javascript; charset=utf-8", "new text", ""},
		{"/src/index.js", "br", 200, "text/javascript; charset=utf-8", "x", ""},
		{"/src/", "", 404, "", "", ""},
		{"/dist/sveda.wasm.br", "", 404, "", "", ""},
		{"/package.json", "", 404, "", "", ""},
		{"/dist/../package.json", "", 404, "", "", ""},
		{"/../package.json", "", 404, "", "", ""},
		{"/.secret.js", "", 404, "", "", ""},
		{"/archive.zip", "", 404, "", "", ""},
		{"/src/link.js", "", 404, "", "", ""},
		{"/nothing.js", "", 404, "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.path+" "+tt.encoding, func(t *testing.T) {
			w := get(h, "GET", tt.path, tt.encoding)
			if w.Code != tt.status {
				t.Fatalf("status %d, want %d", w.Code, tt.status)
			}
			// Every answer has the policy, the missing ones too (S52).
			if got := w.Header().Get("Content-Security-Policy"); got != policyHeader {
				t.Errorf("policy %q", got)
			}
			if tt.status != 200 {
				return
			}
			if got := w.Header().Get("Content-Type"); got != tt.kind {
				t.Errorf("content type %q, want %q", got, tt.kind)
			}
			if w.Body.String() != tt.body || w.Header().Get("Content-Encoding") != tt.ce {
				t.Errorf("body %q encoding %q", w.Body, w.Header().Get("Content-Encoding"))
			}
		})
	}
	if w := get(h, "POST", "/", ""); w.Code != 405 {
		t.Errorf("POST: %d", w.Code)
	}
}

func TestPolicyHeader(t *testing.T) {
	want := "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'self'; img-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
	if policyHeader != want {
		t.Errorf("policy\n%q\nwant\n%q", policyHeader, want)
	}
}
