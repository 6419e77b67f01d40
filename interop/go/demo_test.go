// Package interop tests the Go SDK against a real Latchkey, whose address is in LATCHKEY_URL.
package interop

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"testing"

	"latchkey.example/latchkey"
)

const redirectURI = "http://localhost:8080/callback"

// demo is what the tests do at Latchkey: sign users in, and change seats and webhooks of the demo.
type demo struct {
	t             *testing.T
	url           string
	operator      *latchkey.MachineToken
	machine       *latchkey.MachineToken
	applicationID string
}

func newDemo(t *testing.T) *demo {
	t.Helper()
	d := &demo{t: t, url: os.Getenv("LATCHKEY_URL")}
	if d.url == "" {
		t.Skip("LATCHKEY_URL is not set. Run these tests with npm run interop.")
	}
	d.operator = d.newMachine("demo-ops", "demo-ops-secret")
	d.machine = d.newMachine("demo-machine", "demo-machine-secret")
	var reply struct{ Applications []struct{ ID string } }
	d.call(d.operator, "GET", "/api/admin/applications?search=project-manager", nil, &reply)
	d.applicationID = reply.Applications[0].ID
	return d
}

func (d *demo) newMachine(id, secret string) *latchkey.MachineToken {
	d.t.Helper()
	machine, err := latchkey.NewMachineToken(latchkey.MachineOptions{Issuer: d.url, ClientID: id, ClientSecret: secret})
	d.check(err)
	return machine
}

func (d *demo) check(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *demo) call(machine *latchkey.MachineToken, method, path string, body, reply any) {
	d.t.Helper()
	token, err := machine.Get(context.Background())
	d.check(err)
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		d.check(err)
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, d.url+path, content)
	d.check(err)
	request.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	d.send(http.DefaultClient, request, reply)
}

func (d *demo) send(client *http.Client, request *http.Request, reply any) *http.Response {
	d.t.Helper()
	response, err := client.Do(request)
	d.check(err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	d.check(err)
	if response.StatusCode >= 400 {
		d.t.Fatalf("%s returned %d: %s", request.URL.Path, response.StatusCode, content)
	}
	if reply != nil {
		d.check(json.Unmarshal(content, reply))
	}
	return response
}

type tokens struct {
	AccessToken string `json:"access_token"`
	IDToken     string `json:"id_token"`
	browser     *http.Client
}

// signIn gets the tokens of a user with the authorization code flow, like a browser and an application.
func (d *demo) signIn(email string) tokens {
	d.t.Helper()
	jar, err := cookiejar.New(nil)
	d.check(err)
	browser := &http.Client{
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	d.post(browser, "/api/auth/login", "application/json", `{"email":"`+email+`","password":"latchkey-demo-2026"}`, nil)

	verifier := rand.Text() + rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {"demo-spa"}, "redirect_uri": {redirectURI},
		"scope": {"openid profile email"}, "nonce": {rand.Text()}, "prompt": {"none"},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(challenge[:])},
		"code_challenge_method": {"S256"},
	}
	request, err := http.NewRequest(http.MethodGet, d.url+"/oauth/authorize?"+query.Encode(), nil)
	d.check(err)
	location, err := d.send(browser, request, nil).Location()
	d.check(err)

	result := tokens{browser: browser}
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {location.Query().Get("code")}, "redirect_uri": {redirectURI},
		"client_id": {"demo-spa"}, "code_verifier": {verifier},
	}
	d.post(http.DefaultClient, "/api/oauth/token", "application/x-www-form-urlencoded", form.Encode(), &result)
	return result
}

func (d *demo) signOut(t tokens) {
	d.t.Helper()
	d.post(t.browser, "/api/auth/logout", "application/json", "{}", nil)
}

func (d *demo) post(client *http.Client, path, contentType, body string, reply any) {
	d.t.Helper()
	request, err := http.NewRequest(http.MethodPost, d.url+path, bytes.NewReader([]byte(body)))
	d.check(err)
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Origin", d.url)
	d.send(client, request, reply)
}

func (d *demo) revokeSeat(userID string) {
	d.t.Helper()
	body := map[string]string{"userId": userID, "applicationId": d.applicationID}
	d.call(d.machine, "POST", "/api/integration/licenses/revoke", body, nil)
}

func (d *demo) grantSeat(userID string) {
	d.t.Helper()
	var types []struct{ ID, Slug string }
	d.call(d.operator, "GET", "/api/licensing/license-types?applicationId="+d.applicationID, nil, &types)
	for _, licenseType := range types {
		if licenseType.Slug == "pro" {
			body := map[string]string{
				"userId": userID, "applicationId": d.applicationID, "licenseTypeId": licenseType.ID,
			}
			d.call(d.machine, "POST", "/api/integration/licenses/grant", body, nil)
		}
	}
}
