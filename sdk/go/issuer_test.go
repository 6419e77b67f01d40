package latchkey

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	application = "0197a3c2-0000-7000-8000-000000000001"
	tenant      = "0197a3c2-0000-7000-8000-00000000000a"
	jwksPath    = "/api/oauth/jwks"
	tokenPath   = "/api/oauth/token"
	checkPath   = "/api/integration/licenses/check"
)

// testKeys are the keys of the tests by name. Creating one takes long.
var testKeys = struct {
	sync.Mutex
	keys map[string]*rsa.PrivateKey
}{keys: map[string]*rsa.PrivateKey{}}

func createKey(t *testing.T, name string) *rsa.PrivateKey {
	t.Helper()
	testKeys.Lock()
	defer testKeys.Unlock()
	if testKeys.keys[name] == nil {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		testKeys.keys[name] = key
	}
	return testKeys.keys[name]
}

type response struct {
	status int
	header map[string]string
	body   string
}

// issuer serves keys and prepared responses on a local port, and signs tokens. It counts the requests.
type issuer struct {
	t      *testing.T
	server *httptest.Server

	mu        sync.Mutex
	requests  map[string]int
	responses map[string]response
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{t: t, requests: map[string]int{}, responses: map[string]response{}}
	i.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		i.requests[r.URL.Path]++
		found, ok := i.responses[r.URL.Path]
		i.mu.Unlock()
		if !ok {
			found = response{status: http.StatusNotFound}
		}
		for name, value := range found.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(found.status)
		_, _ = w.Write([]byte(found.body))
	}))
	t.Cleanup(i.server.Close)
	i.publish("first")
	return i
}

func (i *issuer) respond(path string, status int, body string) {
	i.respondWith(path, response{status: status, body: body})
}

func (i *issuer) respondWith(path string, r response) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.responses[path] = r
}

func (i *issuer) count(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.requests[path]
}

func (i *issuer) publish(kids ...string) {
	var keys []jose.JSONWebKey
	for _, kid := range kids {
		key := jose.JSONWebKey{Key: createKey(i.t, kid).Public(), KeyID: kid, Algorithm: "RS256", Use: "sig"}
		keys = append(keys, key)
	}
	i.publishKeys(keys...)
}

func (i *issuer) publishKeys(keys ...jose.JSONWebKey) {
	content, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		i.t.Fatal(err)
	}
	i.respond(jwksPath, http.StatusOK, string(content))
}

func (i *issuer) claims(changes map[string]any) map[string]any {
	now := time.Now().Unix()
	claims := map[string]any{
		"iss": i.server.URL, "sub": "user-1", "aud": application, "exp": now + 900, "iat": now,
		"client_id": "demo-spa", "scope": "openid reports:read",
		"tenant_id": tenant, "tenant_slug": "acme", "tenant_roles": []string{"member"},
		"license": map[string]any{"type": "pro", "name": "Pro", "features": []string{"reports"}},
	}
	for name, value := range changes {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	return claims
}

// sign signs a token. In changes, "typ" and "kid" change the header, "key" is the name of the key, and nil removes.
func (i *issuer) sign(changes map[string]any) string {
	i.t.Helper()
	header := map[string]any{"typ": "at+jwt", "kid": "first", "key": "first"}
	claims := map[string]any{}
	for name, value := range changes {
		if _, ok := header[name]; ok {
			header[name] = value
		} else {
			claims[name] = value
		}
	}
	options := &jose.SignerOptions{}
	for _, name := range []string{"typ", "kid"} {
		if header[name] != nil {
			options.WithHeader(jose.HeaderKey(name), header[name])
		}
	}
	key := createKey(i.t, header["key"].(string))
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, options)
	if err != nil {
		i.t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(i.claims(claims)).Serialize()
	if err != nil {
		i.t.Fatal(err)
	}
	return token
}

func (i *issuer) client(change func(*Options)) *Client {
	i.t.Helper()
	options := Options{Issuer: i.server.URL, ApplicationID: application}
	if change != nil {
		change(&options)
	}
	client, err := New(options)
	if err != nil {
		i.t.Fatal(err)
	}
	return client
}

func (i *issuer) auth(client *Client, changes map[string]any) *Auth {
	i.t.Helper()
	auth, err := client.Verify(context.Background(), i.sign(changes))
	if err != nil {
		i.t.Fatal(err, errors.Unwrap(err))
	}
	return auth
}

func expectAuthError(t *testing.T, err error, code ErrorCode, status int) *AuthError {
	t.Helper()
	var authError *AuthError
	if !errors.As(err, &authError) || authError.Code != code || authError.Status != status {
		t.Fatalf("expected %s (%d), got %#v", code, status, err)
	}
	return authError
}
