package latchkey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	requestTimeout = 5 * time.Second
	maxAttempts    = 4
	maxBodyBytes   = 1 << 20
)

// normalizeIssuer returns the base URL of Latchkey without a slash at the end.
func normalizeIssuer(issuer string) (string, error) {
	parsed, err := url.Parse(issuer)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" {
		return "", errors.New("latchkey: Issuer must be the base URL of Latchkey, such as https://id.example.com")
	}
	return strings.TrimRight(issuer, "/"), nil
}

// withoutRedirects copies the client. A redirect is never followed, because it could carry a token elsewhere.
func withoutRedirects(client *http.Client) *http.Client {
	if client == nil {
		client = &http.Client{}
	}
	copied := *client
	copied.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &copied
}

// request is a request to Latchkey. With a form, it is a POST, otherwise a GET.
type request struct {
	url           string
	authorization string
	form          url.Values
}

// send sends a request and reads the JSON of a 200 into reply, and of every other status into failure.
func (r request) send(ctx context.Context, client *http.Client, reply, failure any) (int, error) {
	status, content, err := r.sendWithRetry(ctx, client)
	if err != nil {
		return 0, err
	}
	if status == http.StatusOK {
		if len(content) > maxBodyBytes || json.Unmarshal(content, reply) != nil {
			return 0, fmt.Errorf("latchkey: the response of %s is not the expected JSON", r.url)
		}
	} else if failure != nil {
		// An error page of a proxy is not JSON, and its status says enough.
		_ = json.Unmarshal(content, failure)
	}
	return status, nil
}

// sendWithRetry repeats a request after 429 and 503, when the service says so with Retry-After. Both mean that nothing
// was done, so every request may be repeated. A failed connection is repeated only for GET.
func (r request) sendWithRetry(ctx context.Context, client *http.Client) (int, []byte, error) {
	for attempt := 1; ; attempt++ {
		status, content, wait, err := r.try(ctx, client)
		isRepeatable := wait >= 0
		if err != nil {
			wait, isRepeatable = 100*time.Millisecond<<attempt, r.form == nil
		}
		if attempt == maxAttempts || !isRepeatable || !canWait(ctx, wait) {
			return status, content, err
		}
		select {
		case <-ctx.Done():
			return 0, nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func canWait(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() == nil && (!ok || time.Until(deadline) > wait)
}

// try sends the request once. It also returns how long to wait before the next attempt; less than zero for none.
func (r request) try(ctx context.Context, client *http.Client) (int, []byte, time.Duration, error) {
	method, body := http.MethodGet, io.Reader(nil)
	if r.form != nil {
		method, body = http.MethodPost, strings.NewReader(r.form.Encode())
	}
	httpRequest, err := http.NewRequestWithContext(ctx, method, r.url, body)
	if err != nil {
		return 0, nil, -1, err
	}
	httpRequest.Header.Set("Accept", "application/json")
	if r.form != nil {
		httpRequest.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if r.authorization != "" {
		httpRequest.Header.Set("Authorization", r.authorization)
	}
	response, err := client.Do(httpRequest)
	if err != nil {
		return 0, nil, -1, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxBodyBytes+1))
	return response.StatusCode, content, retryAfter(response), err
}

func retryAfter(response *http.Response) time.Duration {
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode != http.StatusServiceUnavailable {
		return -1
	}
	seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16)
	if err != nil {
		return -1
	}
	return time.Duration(seconds) * time.Second
}

// call is work whose result several goroutines wait for.
type call[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// startCall runs work on its own goroutine, so that it does not end with the request of the first caller.
func startCall[T any](ctx context.Context, work func(context.Context) (T, error)) *call[T] {
	started := &call[T]{done: make(chan struct{})}
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
	go func() {
		defer cancel()
		defer close(started.done)
		started.value, started.err = work(detached)
	}()
	return started
}

func (c *call[T]) wait(ctx context.Context) (T, error) {
	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
