package latchkey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// Latchkey publishes a key 15 minutes before it signs, so keys of this age include every key in use.
	keysMaxAge = 10 * time.Minute
	// Tokens with invented key ids must not cause a request each.
	keysCooldown        = 30 * time.Second
	keysFailureCooldown = time.Second
)

// keySet keeps the public keys, and reads them again when they are old or when a token names an unknown key.
type keySet struct {
	url  string
	http *http.Client
	now  func() time.Time

	mu          sync.Mutex
	keys        map[string]jose.JSONWebKey
	expiresAt   time.Time
	nextFetchAt time.Time
	failure     error
	pending     *call[map[string]jose.JSONWebKey]
}

// find returns the key with this id, or nil. It returns an error if that cannot be decided now.
func (s *keySet) find(ctx context.Context, kid string) (*jose.JSONWebKey, error) {
	keys, pending, err := s.current(ctx, kid)
	if pending != nil {
		keys, err = pending.wait(ctx)
	}
	if err != nil {
		return nil, err
	}
	key, ok := keys[kid]
	if !ok {
		return nil, nil
	}
	return &key, nil
}

// current returns the keys, or the request for new ones if these do not suffice.
func (s *keySet) current(
	ctx context.Context, kid string,
) (map[string]jose.JSONWebKey, *call[map[string]jose.JSONWebKey], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if _, ok := s.keys[kid]; ok && now.Before(s.expiresAt) {
		return s.keys, nil, nil
	}
	if s.pending == nil {
		if now.Before(s.nextFetchAt) {
			return s.keys, nil, s.failure
		}
		s.pending = startCall(ctx, s.fetch)
	}
	return nil, s.pending, nil
}

func (s *keySet) fetch(ctx context.Context) (map[string]jose.JSONWebKey, error) {
	keys, err := readKeys(ctx, s.http, s.url)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = nil
	s.failure = err
	if err != nil {
		s.nextFetchAt = s.now().Add(keysFailureCooldown)
		return nil, err
	}
	s.keys = keys
	s.expiresAt = s.now().Add(keysMaxAge)
	s.nextFetchAt = s.now().Add(keysCooldown)
	return keys, nil
}

func readKeys(ctx context.Context, client *http.Client, url string) (map[string]jose.JSONWebKey, error) {
	var reply struct {
		Keys []json.RawMessage `json:"keys"`
	}
	status, err := request{url: url}.send(ctx, client, &reply, nil)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("latchkey: %s returned %d", url, status)
	}
	if reply.Keys == nil {
		return nil, errors.New("latchkey: the response is not a key set")
	}
	keys := make(map[string]jose.JSONWebKey, len(reply.Keys))
	for _, entry := range reply.Keys {
		var key jose.JSONWebKey
		// A key of a kind that this version does not know is left out.
		if json.Unmarshal(entry, &key) != nil || key.KeyID == "" || !key.IsPublic() {
			continue
		}
		if key.Use == "" || key.Use == "sig" {
			keys[key.KeyID] = key
		}
	}
	return keys, nil
}
