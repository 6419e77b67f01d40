package latchkey

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

const licensed = `{"hasLicense":true,"features":["reports"]}`

var background = context.Background()

func TestOneCheckServesAllFeaturesAndIsReused(t *testing.T) {
	issuer := newIssuer(t)
	issuer.respond(checkPath, 200, licensed)
	client := issuer.client(nil)
	auth := issuer.auth(client, nil)
	for feature, expected := range map[string]bool{"reports": true, "report": false} {
		if ok, err := client.HasFeature(background, auth, feature); ok != expected || err != nil {
			t.Fatalf("%s: %v, %v", feature, ok, err)
		}
	}
	if err := client.RequireLicense(background, auth, "reports"); err != nil {
		t.Fatal(err)
	}
	err := client.RequireLicense(background, auth, "audit")
	if refusal := expectAuthError(t, err, LicenseRequired, 403); refusal.Challenge != "" {
		t.Fatalf("unexpected challenge %q", refusal.Challenge)
	}
	if issuer.count(checkPath) != 1 {
		t.Fatalf("%d requests", issuer.count(checkPath))
	}
}

func TestATokenThatIsBoundToAKeyIsNotSentToLatchkey(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	bound := map[string]any{"cnf": map[string]any{"jkt": "x"}}
	auth := issuer.auth(client, bound)
	for feature, expected := range map[string]bool{"reports": true, "audit": false} {
		if ok, err := client.HasFeature(background, auth, feature); ok != expected || err != nil {
			t.Fatalf("%s: %v, %v", feature, ok, err)
		}
	}
	bound["license"] = nil
	err := client.RequireLicense(background, issuer.auth(client, bound), "reports")
	expectAuthError(t, err, LicenseRequired, 403)
	if issuer.count(checkPath) != 0 {
		t.Fatal("Latchkey was asked")
	}
}

func TestConcurrentChecksShareOneRequest(t *testing.T) {
	issuer := newIssuer(t)
	issuer.respond(checkPath, 200, licensed)
	client := issuer.client(nil)
	auth := issuer.auth(client, nil)
	var group sync.WaitGroup
	for range 64 {
		group.Add(1)
		go func() {
			defer group.Done()
			if ok, err := client.HasFeature(background, auth, "reports"); !ok || err != nil {
				t.Error(ok, err)
			}
		}()
	}
	group.Wait()
	if issuer.count(checkPath) != 1 {
		t.Fatalf("%d requests", issuer.count(checkPath))
	}
}

func TestAResultEndsAfterTheConfiguredTime(t *testing.T) {
	issuer := newIssuer(t)
	for lifetime, later := range map[time.Duration]time.Duration{0: 5 * time.Second, time.Minute: time.Minute, -1: 0} {
		client := issuer.client(func(options *Options) { options.LicenseCache = lifetime })
		auth := issuer.auth(client, nil)
		issuer.respond(checkPath, 200, licensed)
		if ok, err := client.HasFeature(background, auth, "reports"); !ok || err != nil {
			t.Fatal(ok, err)
		}
		issuer.respond(checkPath, 200, `{"hasLicense":false,"features":[]}`)
		client.now = func() time.Time { return time.Now().Add(later) }
		if ok, err := client.HasFeature(background, auth, "reports"); ok || err != nil {
			t.Fatal(lifetime, ok, err)
		}
	}
}

func TestAnotherSessionOfTheUserDoesNotUseTheResult(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	issuer.respond(checkPath, 200, licensed)
	if err := client.RequireLicense(background, issuer.auth(client, map[string]any{"jti": "1"}), "reports"); err != nil {
		t.Fatal(err)
	}
	issuer.respond(checkPath, 401, `{"error":"UNAUTHORIZED"}`)
	err := client.RequireLicense(background, issuer.auth(client, map[string]any{"jti": "2"}), "reports")
	expectAuthError(t, err, InvalidToken, 401)
}

func TestACheckThatCannotBeDecidedFailsAndIsNotReused(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	issuer.respond("/elsewhere", 200, licensed)
	for number, bad := range []response{
		{status: 500}, {status: 403, body: "{}"}, {status: 302, header: map[string]string{"Location": "/elsewhere"}},
		{status: 200, body: "<html>"}, {status: 200, body: `{"features":"reports"}`}, {status: 200, body: "null"},
		{status: 503, header: map[string]string{"Retry-After": "60"}},
	} {
		auth := issuer.auth(client, map[string]any{"jti": fmt.Sprint(number)})
		issuer.respondWith(checkPath, bad)
		ok, err := client.HasFeature(background, auth, "reports")
		expectAuthError(t, err, Unavailable, 503)
		if ok {
			t.Fatal("the feature was allowed")
		}
		issuer.respond(checkPath, 200, licensed)
		if ok, err = client.HasFeature(background, auth, "reports"); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
}

func TestACheckIsRepeatedWhenTheServiceSaysSo(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	auth := issuer.auth(client, nil)
	issuer.respondWith(checkPath, response{status: 429, header: map[string]string{"Retry-After": "0"}})
	_, err := client.HasFeature(background, auth, "reports")
	expectAuthError(t, err, Unavailable, 503)
	if issuer.count(checkPath) != maxAttempts {
		t.Fatalf("%d requests", issuer.count(checkPath))
	}
}

func TestNoConnectionIs503(t *testing.T) {
	issuer := newIssuer(t)
	client := issuer.client(nil)
	auth := issuer.auth(client, nil)
	issuer.server.Close()
	expectAuthError(t, client.RequireLicense(background, auth, "reports"), Unavailable, 503)
}

func TestMachinesAndUsersWithoutATenantHaveNoLicense(t *testing.T) {
	issuer := newIssuer(t)
	issuer.respond(checkPath, 200, licensed)
	client := issuer.client(nil)
	for _, auth := range []*Auth{
		nil, issuer.auth(client, map[string]any{"tenant_id": nil}), issuer.auth(client, map[string]any{"sub": "demo-spa"}),
	} {
		expectAuthError(t, client.RequireLicense(background, auth, "reports"), LicenseRequired, 403)
	}
	if issuer.count(checkPath) != 0 {
		t.Fatal("Latchkey was asked")
	}
}

func TestTheNumberOfResultsIsLimited(t *testing.T) {
	issuer := newIssuer(t)
	issuer.respond(checkPath, 200, licensed)
	client := issuer.client(nil)
	results := client.licenses.results
	results.limit = 3
	for number := range 10 {
		auth := issuer.auth(client, map[string]any{"jti": fmt.Sprint(number)})
		if err := client.RequireLicense(background, auth, "reports"); err != nil {
			t.Fatal(err)
		}
	}
	if len(results.entries) != 3 || results.order.Len() != 3 {
		t.Fatalf("%d and %d entries", len(results.entries), results.order.Len())
	}
}

func newMachine(t *testing.T, issuer *issuer) *MachineToken {
	t.Helper()
	machine, err := NewMachineToken(
		MachineOptions{Issuer: issuer.server.URL, ClientID: "demo-machine", ClientSecret: "very-secret"})
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func TestAMachineTokenIsReusedUntilAMinuteBeforeItExpires(t *testing.T) {
	issuer := newIssuer(t)
	issuer.respond(tokenPath, 200, `{"access_token":"one","expires_in":900}`)
	machine := newMachine(t, issuer)
	for range 3 {
		if token, err := machine.Get(background); token != "one" || err != nil {
			t.Fatal(token, err)
		}
	}
	if issuer.count(tokenPath) != 1 {
		t.Fatalf("%d requests", issuer.count(tokenPath))
	}
	issuer.respond(tokenPath, 200, `{"access_token":"two","expires_in":900}`)
	machine.now = func() time.Time { return time.Now().Add(840 * time.Second) }
	if token, err := machine.Get(background); token != "two" || err != nil {
		t.Fatal(token, err)
	}
}

func TestARefusedMachineIs503WithTheReason(t *testing.T) {
	issuer := newIssuer(t)
	issuer.respond(tokenPath, 400, `{"error":"invalid_client","error_description":"The client or its secret is wrong."}`)
	_, err := newMachine(t, issuer).Get(background)
	refusal := expectAuthError(t, err, Unavailable, 503)
	if refusal.Message != "No token for demo-machine: The client or its secret is wrong." {
		t.Fatal(refusal.Message)
	}
	issuer.server.Close()
	_, err = newMachine(t, issuer).Get(background)
	expectAuthError(t, err, Unavailable, 503)
	if text := fmt.Sprint(err, errors.Unwrap(err)); strings.Contains(text, "very-secret") {
		t.Fatal(text)
	}
}

func TestALicenseIsCheckedByTheIDOfTheUser(t *testing.T) {
	issuer := newIssuer(t)
	issuer.respond(tokenPath, 200, `{"access_token":"one","expires_in":900}`)
	issuer.respond(checkPath, 200, licensed)
	if ok, err := issuer.client(nil).UserHasFeature(background, "user-1", "reports"); ok || err == nil {
		t.Fatal("a client without a machine was asked")
	}
	client := issuer.client(func(options *Options) { options.Machine = newMachine(t, issuer) })
	if ok, err := client.UserHasFeature(background, "user-1", "reports"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	// Latchkey refuses the token of the machine: the user is not to blame, and the next check uses a new token.
	issuer.respond(checkPath, 401, "{}")
	_, err := client.UserHasFeature(background, "user-2", "reports")
	expectAuthError(t, err, Unavailable, 503)
	issuer.respond(checkPath, 200, licensed)
	if ok, err := client.UserHasFeature(background, "user-2", "reports"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if issuer.count(tokenPath) != 2 {
		t.Fatalf("%d requests", issuer.count(tokenPath))
	}
}

func TestMiddleware(t *testing.T) {
	issuer := newIssuer(t)
	issuer.respond(checkPath, 200, licensed)
	client := issuer.client(nil)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, AuthFrom(r.Context()).UserID)
	})
	routes := map[string]http.Handler{
		"auth":    RequireAuth(client)(handler),
		"role":    RequireRole(client, "owner", "admin")(handler),
		"license": RequireLicense(client, "reports")(handler),
	}
	for _, test := range []struct {
		route   string
		token   bool
		changes map[string]any
		status  int
	}{
		{"auth", false, nil, 401},
		{"auth", true, map[string]any{"aud": "another"}, 401},
		{"auth", true, nil, 200},
		{"role", false, nil, 401},
		{"role", true, nil, 403},
		{"role", true, map[string]any{"tenant_roles": []string{"admin"}}, 200},
		{"license", false, nil, 401},
		{"license", true, map[string]any{"tenant_id": nil}, 403},
		{"license", true, nil, 200},
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		if test.token {
			request.Header.Set("Authorization", "Bearer "+issuer.sign(test.changes))
		}
		recorder := httptest.NewRecorder()
		routes[test.route].ServeHTTP(recorder, request)
		if recorder.Code != test.status || (test.status == 200) != (recorder.Body.String() == "user-1") {
			t.Errorf("%+v: %d %s", test, recorder.Code, recorder.Body)
		}
		needsChallenge := test.status == 401 || (test.status == 403 && test.route == "role")
		if hasChallenge := recorder.Header().Get("WWW-Authenticate") != ""; hasChallenge != needsChallenge {
			t.Errorf("%+v: %v", test, recorder.Header())
		}
	}
	if AuthFrom(background) != nil {
		t.Error("a context without a caller has one")
	}
}
