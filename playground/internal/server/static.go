package server

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path"
	"strings"
	"time"
)

// policyHeader is the strict policy under which the client has to work (S51,
// S52, S31).
const policyHeader = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'self'; " +
	"img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// types are the media types of what we serve. They are fixed here because the
// system's own list differs between machines, and a browser compiles wasm
// while loading only for exactly application/wasm.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".wasm": "application/wasm",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".ico": "image/x-icon",
	".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8", ".md": "text/plain; charset=utf-8",
	".ts": "text/plain; charset=utf-8",
}

// staticFiles serves demo/ at /, dist/ at /dist/ and src/ at /src/ of the web
// folder. root keeps every path, links included, inside that folder.
func staticFiles(root *os.Root, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			plain(w, http.StatusMethodNotAllowed, "Method Not Allowed")
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policyHeader)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		name := fileName(r.URL.Path)
		contentType := types[path.Ext(name)]
		if name == "" || contentType == "" || !serveFile(w, r, root, name, contentType, log) {
			plain(w, http.StatusNotFound, "Not Found")
		}
	})
}

// fileName maps a URL path into the web folder; "" when nothing is served
// there.
func fileName(urlPath string) string {
	clean := path.Clean("/" + urlPath)
	if strings.Contains(clean, "/.") {
		return ""
	}
	if strings.HasSuffix(urlPath, "/") {
		clean = path.Join(clean, "index.html")
	}
	if strings.HasPrefix(clean, "/dist/") || strings.HasPrefix(clean, "/src/") {
		return clean[1:]
	}
	return "demo" + clean
}

// serveFile answers with the file, or with its .br neighbour for a client that
// takes brotli; false when there is none.
func serveFile(w http.ResponseWriter, r *http.Request, root *os.Root, name, contentType string, log *slog.Logger) bool {
	f, info, err := open(root, name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			log.Warn("opening a file", "err", err)
		}
		return false
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Vary", "Accept-Encoding")
	if acceptsBrotli(r.Header.Get("Accept-Encoding")) {
		if br, brInfo, err := open(root, name+".br"); err == nil {
			defer br.Close()
			// One that is older than its file was not made from it.
			if !brInfo.ModTime().Before(info.ModTime()) {
				h.Set("Content-Encoding", "br")
				f, info = br, brInfo
			}
		}
	}
	http.ServeContent(w, r, "", info.ModTime().Truncate(time.Second), f)
	return true
}

func open(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, nil, fs.ErrNotExist
	}
	return f, info, nil
}

// acceptsBrotli reads Accept-Encoding as far as we need it.
func acceptsBrotli(header string) bool {
	for _, part := range strings.Split(header, ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(coding), "br") {
			q := strings.TrimSpace(params)
			return q != "q=0" && q != "q=0.0" && q != "q=0.00" && q != "q=0.000"
		}
	}
	return false
}
