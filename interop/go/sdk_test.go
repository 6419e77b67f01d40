package interop

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"latchkey.example/latchkey"
)

// app is an application that Latchkey protects. It stores the webhooks that it received.
type app struct {
	t      *testing.T
	client *latchkey.Client
	server *httptest.Server

	mu      sync.Mutex
	secrets []string
	events  []*latchkey.WebhookEvent
	refused []latchkey.WebhookErrorCode
}

func newApp(d *demo) *app {
	d.t.Helper()
	client, err := latchkey.New(latchkey.Options{
		Issuer: d.url, ApplicationID: d.applicationID, Machine: d.machine, LicenseCache: 200 * time.Millisecond,
	})
	d.check(err)
	a := &app{t: d.t, client: client}
	describe := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth := latchkey.AuthFrom(r.Context())
		_ = json.NewEncoder(w).Encode([]string{auth.UserID, auth.ClientID, auth.TenantSlug})
	})
	mux := http.NewServeMux()
	mux.Handle("GET /me", latchkey.RequireAuth(client)(describe))
	mux.Handle("GET /settings", latchkey.RequireRole(client, "owner", "admin")(describe))
	mux.Handle("GET /reports", latchkey.RequireLicense(client, "reports")(describe))
	mux.HandleFunc("POST /hooks", a.receive)
	a.server = httptest.NewServer(mux)
	d.t.Cleanup(a.server.Close)
	return a
}

func (a *app) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	defer a.mu.Unlock()
	event, err := latchkey.VerifyWebhook(r.Header, body, a.secrets...)
	var refusal *latchkey.WebhookError
	if errors.As(err, &refusal) {
		a.refused = append(a.refused, refusal.Code)
		http.Error(w, refusal.Message, refusal.Status)
		return
	}
	a.events = append(a.events, event)
}

func (a *app) setSecrets(secrets ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.secrets = secrets
}

func (a *app) received() ([]*latchkey.WebhookEvent, []latchkey.WebhookErrorCode) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.events, a.refused
}

func (a *app) get(path, token string) (int, string) {
	a.t.Helper()
	request, err := http.NewRequest(http.MethodGet, a.server.URL+path, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, strings.TrimSpace(string(body))
}

func (a *app) expect(path, token string, status int) {
	a.t.Helper()
	if actual, body := a.get(path, token); actual != status {
		a.t.Fatalf("%s returned %d: %s", path, actual, body)
	}
}

// userID returns the id of the user of the token.
func (a *app) userID(token string) string {
	a.t.Helper()
	auth, err := a.client.Verify(context.Background(), token)
	if err != nil {
		a.t.Fatal(err)
	}
	return auth.UserID
}

func eventually(t *testing.T, check func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !check(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("It did not happen within 60 seconds.")
		}
	}
}

func TestEachRouteAdmitsTheUsersThatItShould(t *testing.T) {
	d := newDemo(t)
	a := newApp(d)
	owner, licensed := d.signIn("olivia@acme.test"), d.signIn("mia@acme.test")
	unlicensed, stranger := d.signIn("max@acme.test"), d.signIn("gus@globex.test")
	machine, err := d.machine.Get(context.Background())
	d.check(err)
	if _, body := a.get("/me", machine); body != `["","demo-machine","acme"]` {
		t.Fatal(body)
	}
	for _, test := range []struct {
		path, token string
		status      int
	}{
		{"/me", unlicensed.AccessToken, 200},
		{"/me", stranger.AccessToken, 200},
		{"/settings", owner.AccessToken, 200},
		{"/settings", licensed.AccessToken, 403},
		{"/reports", licensed.AccessToken, 200},
		{"/reports", unlicensed.AccessToken, 403},
		{"/reports", stranger.AccessToken, 403},
		{"/reports", machine, 403},
	} {
		a.expect(test.path, test.token, test.status)
	}
	for _, path := range []string{"/me", "/settings", "/reports"} {
		a.expect(path, "", 401)
		a.expect(path, licensed.IDToken, 401)
		a.expect(path, licensed.AccessToken[:len(licensed.AccessToken)-4]+"AAAA", 401)
	}
}

func TestARevokedSeatClosesTheRouteAndANewOneOpensIt(t *testing.T) {
	d := newDemo(t)
	a := newApp(d)
	token := d.signIn("mia@acme.test").AccessToken
	a.expect("/reports", token, 200)
	userID := a.userID(token)
	hasFeature := func() bool {
		ok, err := a.client.UserHasFeature(context.Background(), userID, "reports")
		d.check(err)
		return ok
	}
	if !hasFeature() {
		t.Fatal("the user has no license")
	}
	d.revokeSeat(userID)
	granted := false
	t.Cleanup(func() {
		if !granted {
			d.grantSeat(userID)
		}
	})
	eventually(t, func() bool { status, _ := a.get("/reports", token); return status == 403 })
	eventually(t, func() bool { return !hasFeature() })
	a.expect("/me", token, 200)
	granted = true
	d.grantSeat(userID)
	eventually(t, func() bool { status, _ := a.get("/reports", token); return status == 200 })
}

func TestALicenseCheckNoticesThatTheUserHasSignedOut(t *testing.T) {
	d := newDemo(t)
	a := newApp(d)
	session, other := d.signIn("mia@acme.test"), d.signIn("mia@acme.test")
	a.expect("/reports", session.AccessToken, 200)
	d.signOut(session)
	eventually(t, func() bool { status, _ := a.get("/reports", session.AccessToken); return status == 401 })
	a.expect("/reports", other.AccessToken, 200)
}

func TestTokensStayValidWhenTheKeysAreRotated(t *testing.T) {
	d := newDemo(t)
	a := newApp(d)
	token := d.signIn("mia@acme.test").AccessToken
	d.call(d.operator, "POST", "/api/admin/keys/rotate", nil, nil)
	a.expect("/reports", token, 200)
	a.expect("/reports", d.signIn("mia@acme.test").AccessToken, 200)
}

func TestWebhooksAreVerifiedBeforeDuringAndAfterARotationOfTheSecret(t *testing.T) {
	d := newDemo(t)
	a := newApp(d)
	userID := a.userID(d.signIn("mia@acme.test").AccessToken)
	changeSeat := func() {
		d.revokeSeat(userID)
		d.grantSeat(userID)
	}
	var webhook, renewed struct{ ID, Secret string }
	body := map[string]any{"url": a.server.URL + "/hooks", "events": []string{"license.granted"}}
	d.call(d.operator, "POST", "/api/admin/webhooks", body, &webhook)
	path := "/api/admin/webhooks/" + webhook.ID
	t.Cleanup(func() { d.call(d.operator, "DELETE", path, nil, nil) })

	a.setSecrets(webhook.Secret)
	changeSeat()
	eventually(t, func() bool { events, _ := a.received(); return len(events) > 0 })
	events, _ := a.received()
	var data struct{ UserID string }
	d.check(json.Unmarshal(events[0].Data, &data))
	if events[0].Type != "license.granted" || data.UserID != userID {
		t.Fatalf("unexpected %+v", events[0])
	}

	d.call(d.operator, "POST", path+"/secret", nil, &renewed)
	for _, secrets := range [][]string{{webhook.Secret}, {renewed.Secret}, {webhook.Secret, renewed.Secret}} {
		before, _ := a.received()
		a.setSecrets(secrets...)
		changeSeat()
		eventually(t, func() bool { events, _ := a.received(); return len(events) > len(before) })
	}
	if _, refused := a.received(); len(refused) != 0 {
		t.Fatal(refused)
	}

	a.setSecrets("whsec_" + strings.Repeat("A", 43) + "=")
	changeSeat()
	eventually(t, func() bool {
		_, refused := a.received()
		return len(refused) > 0 && refused[0] == latchkey.InvalidSignature
	})
}
