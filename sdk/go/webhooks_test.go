package latchkey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	secret    = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	newSecret = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
	event     = `{"id":"e1","position":7,"type":"member.joined","timestamp":"2026-03-01T09:30:00.000Z",` +
		`"data":{"name":"Zoë"}}`
)

func signWebhook(secret, id, timestamp, body string) http.Header {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "." + body))
	header := http.Header{}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", timestamp)
	header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return header
}

func after(seconds int) string { return fmt.Sprint(time.Now().Unix() + int64(seconds)) }

func expectWebhookError(t *testing.T, code WebhookErrorCode, header http.Header, body string, secrets ...string) {
	t.Helper()
	result, err := VerifyWebhook(header, []byte(body), secrets...)
	var webhookError *WebhookError
	if result != nil || !errors.As(err, &webhookError) || webhookError.Code != code || webhookError.Status != 400 {
		t.Fatalf("expected %s, got %v, %v", code, result, err)
	}
}

func TestASignedMessageBecomesAnEvent(t *testing.T) {
	result, err := VerifyWebhook(signWebhook(secret, "e1", after(0), event), []byte(event), secret)
	if err != nil {
		t.Fatal(err)
	}
	if result.ID != "e1" || result.Type != "member.joined" || result.Position != 7 ||
		string(result.Data) != `{"name":"Zoë"}` {
		t.Fatalf("unexpected %+v", result)
	}
}

func TestTheSignatureIsThatOfStandardWebhooks(t *testing.T) {
	// The example of the specification, with its published secret.
	header := signWebhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
		`{"test": 2432232314}`)
	if signature := header.Get("webhook-signature"); signature != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Fatal(signature)
	}
}

func TestEachSideMayKnowTheOldAndTheNewSecret(t *testing.T) {
	now := after(0)
	old, renewed, both := signWebhook(secret, "e1", now, event), signWebhook(newSecret, "e1", now, event), http.Header{}
	for name := range old {
		both.Set(name, old.Get(name))
	}
	both.Set("webhook-signature", renewed.Get("webhook-signature")+" "+old.Get("webhook-signature"))
	for _, test := range []struct {
		header  http.Header
		secrets []string
	}{{both, []string{secret}}, {both, []string{newSecret}}, {renewed, []string{secret, newSecret}}} {
		if _, err := VerifyWebhook(test.header, []byte(event), test.secrets...); err != nil {
			t.Fatal(err)
		}
	}
	expectWebhookError(t, InvalidSignature, renewed, event, secret)
}

func TestAChangedMessageIsRefused(t *testing.T) {
	expectWebhookError(t, InvalidSignature, signWebhook(secret, "e1", after(0), event), event+" ", secret)
	for name, value := range map[string]string{"webhook-id": "e2", "webhook-timestamp": after(-2)} {
		header := signWebhook(secret, "e1", after(0), event)
		header.Set(name, value)
		expectWebhookError(t, InvalidSignature, header, event, secret)
	}
}

func TestAMessageAtAnotherTimeIsRefused(t *testing.T) {
	for _, timestamp := range []string{after(-302), after(303), "nan", "-1", "1e9", "٣", strings.Repeat("9", 400), " 1"} {
		expectWebhookError(t, InvalidTimestamp, signWebhook(secret, "e1", timestamp, event), event, secret)
	}
	for _, seconds := range []int{-290, 290} {
		if _, err := VerifyWebhook(signWebhook(secret, "e1", after(seconds), event), []byte(event), secret); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnotherFormOfSignatureIsRefused(t *testing.T) {
	header := signWebhook(secret, "e1", after(0), event)
	right := strings.TrimPrefix(header.Get("webhook-signature"), "v1,")
	for _, signature := range []string{"v1,", "v1", ",", "v1,%%%", "v1a,AAAA", "v2," + right, right, "v1,é"} {
		header.Set("webhook-signature", signature)
		expectWebhookError(t, InvalidSignature, header, event, secret)
	}
}

func TestAMissingHeaderIsNamed(t *testing.T) {
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		header := signWebhook(secret, "e1", after(0), event)
		header.Del(name)
		expectWebhookError(t, MissingHeader, header, event, secret)
	}
}

func TestASignedBodyThatIsNotAnEventIsRefused(t *testing.T) {
	for _, body := range []string{"", "[]", "{}", "null", "\xff"} {
		expectWebhookError(t, InvalidBody, signWebhook(secret, "e1", after(0), body), body, secret)
	}
}

func TestASecretThatWouldAcceptEverythingIsAConfigurationError(t *testing.T) {
	header := signWebhook("whsec_", "e1", after(0), event)
	for _, secrets := range [][]string{nil, {""}, {"whsec_"}, {"whsec_AAAA"}, {"not base64!"}, {secret, ""}} {
		_, err := VerifyWebhook(header, []byte(event), secrets...)
		var webhookError *WebhookError
		if err == nil || errors.As(err, &webhookError) {
			t.Fatalf("unexpected %v for %q", err, secrets)
		}
	}
}
