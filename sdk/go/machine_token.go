package latchkey

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A token is replaced this long before it expires.
const renewalTime = time.Minute

// MachineOptions are the options of NewMachineToken.
type MachineOptions struct {
	// Issuer is the base URL of Latchkey, such as https://id.example.com.
	Issuer       string
	ClientID     string
	ClientSecret string
	// Scopes are the requested scopes. Default: all scopes of the client.
	Scopes []string
	// HTTPClient is used for requests to Latchkey. Default: a new one.
	HTTPClient *http.Client
}

// MachineToken gets the access token of a machine client (client credentials). The token is reused until shortly before
// it expires, and concurrent calls share one request.
type MachineToken struct {
	url           string
	clientID      string
	authorization string
	form          url.Values
	http          *http.Client
	now           func() time.Time

	mu      sync.Mutex
	token   string
	renewAt time.Time
	pending *call[string]
}

// NewMachineToken returns an error if an option is missing or wrong. It sends no request.
func NewMachineToken(options MachineOptions) (*MachineToken, error) {
	issuer, err := normalizeIssuer(options.Issuer)
	if err != nil {
		return nil, err
	}
	if options.ClientID == "" || options.ClientSecret == "" {
		return nil, errors.New("latchkey: ClientID and ClientSecret must not be empty")
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	if options.Scopes != nil {
		form.Set("scope", strings.Join(options.Scopes, " "))
	}
	// RFC 6749 §2.3.1: both are form-encoded before they are joined.
	credentials := url.QueryEscape(options.ClientID) + ":" + url.QueryEscape(options.ClientSecret)
	return &MachineToken{
		url:           issuer + "/api/oauth/token",
		clientID:      options.ClientID,
		authorization: "Basic " + base64.StdEncoding.EncodeToString([]byte(credentials)),
		form:          form,
		http:          withoutRedirects(options.HTTPClient),
		now:           time.Now,
	}, nil
}

// Get returns the current token. The error is an *AuthError with status 503 if Latchkey issues none.
func (m *MachineToken) Get(ctx context.Context) (string, error) {
	m.mu.Lock()
	if m.token != "" && m.now().Before(m.renewAt) {
		defer m.mu.Unlock()
		return m.token, nil
	}
	if m.pending == nil {
		m.pending = startCall(ctx, m.renew)
	}
	pending := m.pending
	m.mu.Unlock()
	return pending.wait(ctx)
}

// Forget forgets a token that Latchkey has refused. The next call of Get requests a new one.
func (m *MachineToken) Forget(token string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.token == token {
		m.token = ""
	}
}

func (m *MachineToken) renew(ctx context.Context) (string, error) {
	token, lifetime, err := m.request(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending = nil
	if err != nil {
		return "", err
	}
	m.token = token
	m.renewAt = m.now().Add(max(lifetime-renewalTime, lifetime/2))
	return token, nil
}

func (m *MachineToken) request(ctx context.Context) (string, time.Duration, error) {
	var reply struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	var failure struct {
		Description string `json:"error_description"`
	}
	status, err := request{url: m.url, authorization: m.authorization, form: m.form}.
		send(ctx, m.http, &reply, &failure)
	reason := failure.Description
	switch {
	case err != nil:
		reason = "Latchkey does not answer."
	case status == http.StatusOK && reply.AccessToken != "" && reply.ExpiresIn > 0:
		return reply.AccessToken, time.Duration(reply.ExpiresIn) * time.Second, nil
	case reason == "":
		reason = fmt.Sprintf("the response was %d", status)
	}
	return "", 0, newAuthError(Unavailable, fmt.Sprintf("No token for %s: %s", m.clientID, reason), "", err)
}
