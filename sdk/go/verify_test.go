package latchkey

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

func encode(value any) string {
	content, ok := value.([]byte)
	if !ok {
		content, _ = json.Marshal(value)
	}
	return base64.RawURLEncoding.EncodeToString(content)
}

func expectRefusal(t *testing.T, client *Client, token string) {
	t.Helper()
	auth, err := client.Verify(context.Background(), token)
	refusal := expectAuthError(t, err, InvalidToken, 401)
	if auth != nil || refusal.Challenge != `Bearer error="invalid_token"` {
		t.Fatalf("unexpected %v, %q", auth, refusal.Challenge)
	}
}

func TestATokenThatIsBoundToAKeyIsRefusedAsBearer(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	for _, cnf := range []any{map[string]any{"jkt": "x"}, map[string]any{"x5t#S256": "x"}, map[string]any{}, "x"} {
		token := issuer.sign(map[string]any{"cnf": cnf})
		auth, err := client.Authenticate(context.Background(), "Bearer "+token)
		refusal := expectAuthError(t, err, InvalidToken, 401)
		if auth != nil || refusal.Challenge != `Bearer error="invalid_token"` {
			t.Fatalf("unexpected %v, %q", auth, refusal.Challenge)
		}
		if auth, err = client.Verify(context.Background(), token); err != nil || auth.Claims["cnf"] == nil {
			t.Fatal(auth, err)
		}
	}
}

func TestWithAnAudienceOnlyTokensForThisResourceAreAccepted(t *testing.T) {
	const api = "https://api.example.com/reports"
	issuer := newIssuer(t)
	client := issuer.client(func(options *Options) { options.ApplicationID, options.Audience = "", api })
	auth, err := client.Authenticate(context.Background(), "Bearer "+issuer.sign(map[string]any{"aud": api}))
	if err != nil {
		t.Fatal(err)
	}
	for _, audience := range []any{application, api + "/", "https://api.example.com", nil, ""} {
		expectRefusal(t, client, issuer.sign(map[string]any{"aud": audience}))
	}
	expectRefusal(t, issuer.client(nil), issuer.sign(map[string]any{"aud": api}))
	// Latchkey does not accept a token for a resource, so the license is the one in the token.
	for feature, expected := range map[string]bool{"reports": true, "export": false} {
		if has, err := client.HasFeature(context.Background(), auth, feature); err != nil || has != expected {
			t.Fatal(feature, has, err)
		}
	}
	if issuer.count("/api/integration/licenses/check") != 0 {
		t.Fatal("the token was sent to Latchkey")
	}
}

func TestTheClaimsOfAValidTokenBecomeAnAuth(t *testing.T) {
	issuer := newIssuer(t)
	token := issuer.sign(nil)
	auth, err := issuer.client(nil).Verify(context.Background(), token)
	if err != nil {
		t.Fatal(err)
	}
	expected := &Auth{
		UserID: "user-1", ClientID: "demo-spa", TenantID: tenant, TenantSlug: "acme",
		Roles: []string{"member"}, Scopes: []string{"openid", "reports:read"},
		License: &License{Type: "pro", Name: "Pro", Features: []string{"reports"}},
		Token:   token, Claims: auth.Claims,
	}
	if !reflect.DeepEqual(auth, expected) || auth.Claims["tenant_slug"] != "acme" {
		t.Fatalf("unexpected %#v", auth)
	}
	encoded, _ := json.Marshal(auth)
	for _, text := range []string{fmt.Sprint(auth), fmt.Sprintf("%+v", *auth), string(encoded)} {
		if strings.Contains(text, token) {
			t.Fatalf("the token is in %s", text)
		}
	}
}

func TestAMachineHasNoUserID(t *testing.T) {
	issuer := newIssuer(t)
	auth := issuer.auth(issuer.client(nil), map[string]any{
		"sub": "demo-machine", "client_id": "demo-machine", "license": nil, "tenant_roles": []string{},
	})
	if auth.UserID != "" || auth.ClientID != "demo-machine" || auth.License != nil {
		t.Fatalf("unexpected %v", auth)
	}
}

func TestATokenWithAWrongClaimOrHeaderIsRefused(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	now := time.Now().Unix()
	for _, changes := range []map[string]any{
		{"iss": "http://other.example"}, {"iss": nil},
		{"aud": "another-application"}, {"aud": nil}, {"aud": []string{}},
		{"exp": now - 1}, {"exp": nil}, {"exp": "tomorrow"}, {"nbf": now + 600},
		{"sub": nil}, {"client_id": nil}, {"client_id": []string{"demo-spa"}},
		{"typ": "JWT"}, {"typ": nil}, {"typ": "at+jwt+x"},
		{"kid": "unknown"}, {"kid": nil}, {"key": "stranger"},
	} {
		t.Run(fmt.Sprint(changes), func(t *testing.T) { expectRefusal(t, client, issuer.sign(changes)) })
	}
}

func TestATokenWithoutASignatureIsRefused(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	for _, algorithm := range []string{"none", "None", "NONE", ""} {
		header := encode(map[string]string{"alg": algorithm, "typ": "at+jwt", "kid": "first"})
		expectRefusal(t, client, header+"."+encode(issuer.claims(nil))+".")
	}
	parts := strings.Split(issuer.sign(nil), ".")
	expectRefusal(t, client, parts[0]+"."+parts[1]+".")
}

func TestHS256WithThePublicKeyAsTheSecretIsRefused(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	der, err := x509.MarshalPKIXPublicKey(createKey(t, "first").Public())
	if err != nil {
		t.Fatal(err)
	}
	header := encode(map[string]string{"alg": "HS256", "typ": "at+jwt", "kid": "first"})
	signed := header + "." + encode(issuer.claims(nil))
	for _, secret := range [][]byte{der, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})} {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(signed))
		expectRefusal(t, client, signed+"."+encode(mac.Sum(nil)))
	}
}

func TestEverySigningAlgorithmIsAcceptedOnlyWithTheKeyForIt(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	edPublic, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsa := createKey(t, "first")
	issuer.publishKeys(
		jose.JSONWebKey{Key: rsa.Public(), KeyID: "rs", Algorithm: "RS256", Use: "sig"},
		jose.JSONWebKey{Key: rsa.Public(), KeyID: "ps", Algorithm: "PS256", Use: "sig"},
		jose.JSONWebKey{Key: ec.Public(), KeyID: "es", Algorithm: "ES256", Use: "sig"},
		jose.JSONWebKey{Key: edPublic, KeyID: "ed", Algorithm: "EdDSA", Use: "sig"},
		jose.JSONWebKey{Key: rsa.Public(), KeyID: "bare", Use: "sig"},
	)
	sign := func(algorithm jose.SignatureAlgorithm, kid string, key any) string {
		options := (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", kid)
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
		if err != nil {
			t.Fatal(err)
		}
		token, err := jwt.Signed(signer).Claims(issuer.claims(nil)).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	for _, token := range []string{
		sign(jose.RS256, "rs", rsa), sign(jose.PS256, "ps", rsa), sign(jose.ES256, "es", ec), sign(jose.EdDSA, "ed", ed),
	} {
		if _, err := client.Verify(context.Background(), token); err != nil {
			t.Fatal(err, errors.Unwrap(err))
		}
	}
	for _, token := range []string{
		sign(jose.PS256, "rs", rsa), sign(jose.RS256, "ps", rsa), sign(jose.ES256, "ed", ec),
		sign(jose.EdDSA, "es", ed), sign(jose.RS256, "es", rsa), sign(jose.RS256, "bare", rsa),
	} {
		expectRefusal(t, client, token)
	}
}

func TestAKeyInTheHeaderOfTheTokenIsNotUsed(t *testing.T) {
	issuer := newIssuer(t)
	stranger := createKey(t, "stranger")
	options := (&jose.SignerOptions{EmbedJWK: true}).WithType("at+jwt").WithHeader("jku", "http://127.0.0.1:1/keys")
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: stranger, KeyID: "first"}}, options)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(issuer.claims(nil)).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	expectRefusal(t, issuer.client(nil), token)
}

func TestAChangedClaimIsRefused(t *testing.T) {
	issuer := newIssuer(t)
	parts := strings.Split(issuer.sign(nil), ".")
	changed := encode(issuer.claims(map[string]any{"tenant_roles": []string{"owner"}}))
	expectRefusal(t, issuer.client(nil), parts[0]+"."+changed+"."+parts[2])
}

func TestTextThatIsNotATokenIsRefusedWithoutARequest(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	nested := encode([]byte(strings.Repeat("[", 6_000)))
	for _, token := range []string{
		"", ".", "..", "a.b.c", "é.é.é", "\xff", strings.Repeat("x", 100_000),
		nested + ".e30.e30", encode([]int{}) + ".e30.e30",
	} {
		expectRefusal(t, client, token)
	}
	if issuer.count(jwksPath) != 0 {
		t.Fatal("the keys were requested")
	}
}

func TestARequestWithoutABearerTokenGetsAPlainChallenge(t *testing.T) {
	client := newIssuer(t).client(nil)
	for _, header := range []string{"", "Bearer", "Bearer ", "Basic YTpi", "Bearer a b", "Bearera.b.c", "Bearer a\n"} {
		_, err := client.Authenticate(context.Background(), header)
		if refusal := expectAuthError(t, err, InvalidToken, 401); refusal.Challenge != "Bearer" {
			t.Fatalf("unexpected challenge %q for %q", refusal.Challenge, header)
		}
	}
}

func TestTheSchemeIsNotCaseSensitive(t *testing.T) {
	issuer := newIssuer(t)
	if _, err := issuer.client(nil).Authenticate(context.Background(), "bearer "+issuer.sign(nil)); err != nil {
		t.Fatal(err)
	}
}

func TestATokenForAnotherTenantIsRefused(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(func(options *Options) { options.TenantID = tenant })
	issuer.auth(client, nil)
	expectRefusal(t, client, issuer.sign(map[string]any{"tenant_id": "another"}))
	expectRefusal(t, client, issuer.sign(map[string]any{"tenant_id": nil}))
}

func TestATokenFromAClockThatIsAheadIsAccepted(t *testing.T) {
	issuer := newIssuer(t)
	issuer.auth(issuer.client(nil), map[string]any{"iat": time.Now().Unix() + 30})
}

func TestTheChallengeNamesTheMetadata(t *testing.T) {
	client := newIssuer(t).client(func(options *Options) {
		options.ResourceMetadataURL = "https://api.example.com/metadata"
	})
	_, err := client.Verify(context.Background(), "x")
	expected := `Bearer error="invalid_token", resource_metadata="https://api.example.com/metadata"`
	if refusal := expectAuthError(t, err, InvalidToken, 401); refusal.Challenge != expected {
		t.Fatalf("unexpected challenge %q", refusal.Challenge)
	}
}

func TestRolesAndScopesAreRequired(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	auth := issuer.auth(client, nil)
	if err := client.RequireRole(auth, "owner", "member"); err != nil {
		t.Fatal(err)
	}
	if err := client.RequireScope(auth, "reports:read"); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		client.RequireRole(auth, "owner", "admin"), client.RequireRole(auth), client.RequireRole(nil, "owner"),
		client.RequireScope(auth, "reports"), client.RequireScope(nil, "openid"),
	} {
		refusal := expectAuthError(t, err, InsufficientScope, 403)
		if refusal.Challenge != `Bearer error="insufficient_scope"` {
			t.Fatalf("unexpected challenge %q", refusal.Challenge)
		}
	}
}

func TestAWrongConfigurationIsReportedAtTheStart(t *testing.T) {
	for _, change := range []func(*Options){
		func(options *Options) { options.Issuer = "localhost:3000" },
		func(options *Options) { options.Issuer = "" },
		func(options *Options) { options.ApplicationID = "" },
		func(options *Options) { options.Audience = "https://api.example.com" },
		func(options *Options) {
			options.ApplicationID, options.Audience, options.Machine = "", "x", &MachineToken{}
		},
		func(options *Options) { options.Algorithms = []string{"none"} },
		func(options *Options) { options.Algorithms = []string{"RS256", "HS256"} },
	} {
		options := Options{Issuer: "http://localhost:3000", ApplicationID: application}
		change(&options)
		if _, err := New(options); err == nil {
			t.Fatalf("no error for %+v", options)
		}
	}
}

func TestANewKeyIsFoundAndInventedKeysCauseNoMoreRequests(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	invent := func(requests int) {
		t.Helper()
		for number := range 20 {
			expectRefusal(t, client, issuer.sign(map[string]any{"kid": fmt.Sprint("invented-", number)}))
		}
		if issuer.count(jwksPath) != requests {
			t.Fatalf("%d requests", issuer.count(jwksPath))
		}
	}
	issuer.auth(client, nil)
	issuer.publish("first", "second")
	invent(1)
	client.now = func() time.Time { return time.Now().Add(keysCooldown) }
	issuer.auth(client, map[string]any{"kid": "second", "key": "second"})
	invent(2)
}

func TestAWithdrawnKeyIsRefusedAfterTenMinutes(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	issuer.auth(client, nil)
	issuer.publish("second")
	client.now = func() time.Time { return time.Now().Add(keysMaxAge) }
	expectRefusal(t, client, issuer.sign(map[string]any{"exp": time.Now().Add(time.Hour).Unix()}))
}

func TestUnreadableKeysAre503AndAreNotRequestedForEveryToken(t *testing.T) {
	for _, bad := range []response{
		{status: 500}, {status: 200, body: "<html>"}, {status: 200, body: "{}"},
		{status: 200, body: `{"keys":[` + strings.Repeat(" ", 2<<20) + `]}`},
	} {
		issuer := newIssuer(t)
		client := issuer.client(nil)
		issuer.respondWith(jwksPath, bad)
		token := issuer.sign(nil)
		_, err := client.Verify(context.Background(), token)
		expectAuthError(t, err, Unavailable, 503)
		_, err = client.Verify(context.Background(), token)
		expectAuthError(t, err, Unavailable, 503)
		if issuer.count(jwksPath) != 1 {
			t.Fatalf("%d requests", issuer.count(jwksPath))
		}
		issuer.publish("first")
		client.now = func() time.Time { return time.Now().Add(keysFailureCooldown) }
		issuer.auth(client, nil)
	}
}

func TestAKeySetWithKeysOfAnUnknownKindIsRead(t *testing.T) {
	issuer := newIssuer(t)
	known := issuer.responses[jwksPath].body
	more := strings.Replace(known, `[`, `[{"kty":"future","kid":"x"},"text",{"kid":5},`, 1)
	issuer.respond(jwksPath, http.StatusOK, more)
	issuer.auth(issuer.client(nil), nil)
}

func TestTheEndOfARequestDoesNotEndTheRequestForTheKeys(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	token := issuer.sign(nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := client.Verify(ctx, token)
	expectAuthError(t, err, Unavailable, 503)
	if _, err = client.Verify(context.Background(), token); err != nil || issuer.count(jwksPath) != 1 {
		t.Fatalf("%v after %d requests", err, issuer.count(jwksPath))
	}
}
