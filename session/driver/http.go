package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
)

// HTTP is a Transport over net/http.
type HTTP struct {
	// Endpoints gives the URL of each endpoint of the dialect ("stream", ...).
	Endpoints map[string]string
	// Header gives headers of a request, which override those of the dialect; nil
	// for none. It is asked for each request.
	Header func(ctx context.Context) (http.Header, error)
	// Client sends the requests; nil means one of its own. Redirects are refused:
	// they would take a token or a decision elsewhere (S63).
	Client *http.Client

	mu      sync.Mutex
	cancels map[int]context.CancelFunc
	client  *http.Client
	closed  bool
}

// Open implements Transport.
func (h *HTTP) Open(stream int, w event.WireRequest, sink Sink) {
	ctx, cancel := context.WithCancel(context.Background())
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		cancel()
		return
	}
	if h.cancels == nil {
		h.cancels = map[int]context.CancelFunc{}
		h.client = strictClient(h.Client)
	}
	h.cancels[stream] = cancel
	go func() {
		defer h.Abort(stream)
		h.carry(ctx, stream, w, sink)
	}()
}

// Abort implements Transport.
func (h *HTTP) Abort(stream int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.cancels[stream]; cancel != nil {
		cancel()
		delete(h.cancels, stream)
	}
}

// Close implements Transport.
func (h *HTTP) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, cancel := range h.cancels {
		cancel()
	}
	clear(h.cancels)
	if h.client != nil {
		h.client.CloseIdleConnections()
	}
}

func strictClient(base *http.Client) *http.Client {
	c := http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	if base != nil {
		c = *base
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("the server redirects") }
	return &c
}

func (h *HTTP) carry(ctx context.Context, stream int, w event.WireRequest, sink Sink) {
	request, err := h.request(ctx, w)
	if err != nil {
		sink.End(stream, session.RequestFailed, err.Error())
		return
	}
	response, err := h.client.Do(request)
	if err != nil {
		if ctx.Err() == nil {
			sink.End(stream, session.NetworkFailed, withoutURL(err).Error())
		}
		return
	}
	defer response.Body.Close()
	sink.Head(stream, response.StatusCode, response.Header.Get("Content-Type"), session.HeadInfo{
		RetryAfter: retryAfter(response.Header.Get("Retry-After"), time.Now()),
		TraceID:    response.Header.Get("X-Trace-Id"),
	})
	buffer := make([]byte, 32<<10)
	for {
		n, err := response.Body.Read(buffer)
		if n > 0 {
			sink.Feed(stream, buffer[:n])
		}
		switch {
		case err == nil:
		case err == io.EOF:
			sink.End(stream, session.EOF, "")
			return
		case ctx.Err() == nil:
			sink.End(stream, session.NetworkFailed, err.Error())
			return
		default:
			return
		}
	}
}

// withoutURL is the error without the method and the URL in front of it.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

func (h *HTTP) request(ctx context.Context, w event.WireRequest) (*http.Request, error) {
	base, ok := h.Endpoints[w.Endpoint]
	if !ok {
		return nil, fmt.Errorf("making the request: no endpoint %q", w.Endpoint)
	}
	request, err := http.NewRequestWithContext(ctx, w.Method, join(base, w.Path), bytes.NewReader(w.Body))
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	request.Header.Set("Accept", w.Accept)
	for _, header := range w.Headers {
		request.Header.Set(header[0], header[1])
	}
	if h.Header == nil {
		return request, nil
	}
	own, err := h.Header(ctx)
	if err != nil {
		return nil, fmt.Errorf("making the headers: %w", err)
	}
	for name, values := range own {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	return request, nil
}

// join appends a path, which is encoded already.
func join(base, path string) string {
	if path == "" {
		return base
	}
	base = strings.TrimRight(base, "/")
	if path[0] == '/' || path[0] == '?' {
		return base + path
	}
	return base + "/" + path
}

// longestWait is the most that a Retry-After is believed (R11), ms.
const longestWait = 5 * 60 * 1000

// retryAfter reads both forms of the header, in ms; -1 when there is none that
// makes sense.
func retryAfter(value string, now time.Time) int {
	value = strings.TrimSpace(value)
	if n, err := strconv.ParseUint(value, 10, 63); err == nil {
		return int(min(n, longestWait/1000)) * 1000
	}
	if t, err := http.ParseTime(value); err == nil {
		return int(min(max(t.Sub(now).Milliseconds(), 0), longestWait))
	}
	return -1
}
