package latchkey

import (
	"container/list"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const maxResults = 10_000

// licenseCheck reads the features that the license of a user has now.
type licenseCheck struct {
	url           string
	applicationID string
	http          *http.Client
	results       *resultCache
}

// featuresOfCaller returns the features of the user to whom the access token was issued.
func (l *licenseCheck) featuresOfCaller(ctx context.Context, token string) ([]string, error) {
	// Results are kept for each token and not for each user, so that a session that has ended cannot use the result of
	// another session, and its refusal does not reach the other session.
	digest := sha256.Sum256([]byte(token))
	return l.results.get(ctx, "token "+string(digest[:]), func(ctx context.Context) ([]string, error) {
		features, status, err := l.check(ctx, token, "")
		if status == http.StatusUnauthorized {
			// The session has ended since the token was issued.
			return nil, newAuthError(
				InvalidToken, "The access token is no longer valid.", `Bearer error="invalid_token"`, err)
		}
		return features, err
	})
}

// featuresOfUser returns the features of any user in the tenant of the machine.
func (l *licenseCheck) featuresOfUser(ctx context.Context, machine *MachineToken, userID string) ([]string, error) {
	return l.results.get(ctx, "user "+userID, func(ctx context.Context) ([]string, error) {
		token, err := machine.Get(ctx)
		if err != nil {
			return nil, err
		}
		features, status, err := l.check(ctx, token, userID)
		if status == http.StatusUnauthorized {
			machine.Forget(token)
		}
		return features, err
	})
}

func (l *licenseCheck) check(ctx context.Context, token, userID string) ([]string, int, error) {
	query := url.Values{"applicationId": {l.applicationID}}
	if userID != "" {
		query.Set("userId", userID)
	}
	var reply struct {
		Features *[]string `json:"features"`
	}
	status, err := request{url: l.url + "?" + query.Encode(), authorization: "Bearer " + token}.
		send(ctx, l.http, &reply, nil)
	if err != nil {
		return nil, 0, newAuthError(Unavailable, "The license cannot be checked now.", "", err)
	}
	if status != http.StatusOK || reply.Features == nil {
		return nil, status, newAuthError(Unavailable, fmt.Sprintf("The license check returned %d.", status), "", nil)
	}
	return *reply.Features, status, nil
}

// resultCache keeps each result for a few seconds. Concurrent calls with one key share one check.
type resultCache struct {
	lifetime time.Duration
	limit    int
	now      func() time.Time

	mu      sync.Mutex
	entries map[string]*list.Element
	// The oldest entry is first.
	order *list.List
}

type result struct {
	key       string
	call      *call[[]string]
	expiresAt time.Time
}

func newResultCache(lifetime time.Duration, now func() time.Time) *resultCache {
	return &resultCache{
		lifetime: lifetime, limit: maxResults, now: now, entries: map[string]*list.Element{}, order: list.New(),
	}
}

func (c *resultCache) get(
	ctx context.Context, key string, check func(context.Context) ([]string, error),
) ([]string, error) {
	return c.start(ctx, key, check).wait(ctx)
}

func (c *resultCache) start(
	ctx context.Context, key string, check func(context.Context) ([]string, error),
) *call[[]string] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.entries[key]; ok {
		if entry := known.Value.(*result); c.now().Before(entry.expiresAt) {
			return entry.call
		}
		c.remove(known)
	}
	entry := &result{key: key, expiresAt: c.now().Add(c.lifetime)}
	element := c.order.PushBack(entry)
	c.entries[key] = element
	entry.call = startCall(ctx, func(ctx context.Context) ([]string, error) {
		features, err := check(ctx)
		if err != nil {
			// A failed check is not reused.
			c.mu.Lock()
			defer c.mu.Unlock()
			c.remove(element)
		}
		return features, err
	})
	if c.order.Len() > c.limit {
		c.remove(c.order.Front())
	}
	return entry.call
}

// remove removes an entry, which may have been replaced or removed before.
func (c *resultCache) remove(element *list.Element) {
	key := element.Value.(*result).key
	if c.entries[key] == element {
		delete(c.entries, key)
		c.order.Remove(element)
	}
}
