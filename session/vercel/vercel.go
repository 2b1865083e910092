// Package vercel is the dialect of Sveda's "vercel" mode (contract sveda, section
// 4): data parts of a legacy host in place of Sveda's events. Requests, framing
// and everything else are those of package sveda.
package vercel

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
)

// Config is that of package sveda.
type Config = sveda.Config

// Dialect implements event.Dialect.
type Dialect struct{ *sveda.Dialect }

// New makes the dialect.
func New(cfg Config) *Dialect { return &Dialect{sveda.New(cfg)} }

// Encode implements event.Dialect (contract 3.2).
func (d *Dialect) Encode(r *event.Request) event.WireRequest {
	w := d.Dialect.Encode(r)
	if w.Endpoint == "stream" {
		w.Accept = "text/event-stream"
		w.Headers = append(w.Headers, [2]string{"X-Sveda-Protocol", "vercel"})
	}
	return w
}

// Reader implements event.Dialect.
func (d *Dialect) Reader(kind event.RequestKind) event.Reader {
	if kind == event.Reread {
		return d.Dialect.Reader(kind)
	}
	return sveda.NewReader((&decoder{}).decode)
}
