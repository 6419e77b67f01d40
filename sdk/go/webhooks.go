package latchkey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	webhookTolerance = 5 * time.Minute
	// Standard Webhooks asks for at least this many. An empty secret would accept the signature of anybody.
	minSecretBytes = 24
)

var seconds = regexp.MustCompile(`^[0-9]{1,12}$`)

// WebhookEvent is an event that Latchkey has sent. The events are listed in docs/events.md of Latchkey.
type WebhookEvent struct {
	// ID is the same in every attempt to deliver the event.
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	// Position is the place of the event in the order of all events.
	Position int64           `json:"position"`
	Data     json.RawMessage `json:"data"`
}

// VerifyWebhook verifies a webhook request (Standard Webhooks) and returns its event. Pass the body as it was received,
// byte for byte. During a rotation, pass the old and the new secret. The error is a *WebhookError, or another error if
// a secret is not valid.
func VerifyWebhook(header http.Header, body []byte, secrets ...string) (*WebhookEvent, error) {
	keys, err := toKeys(secrets)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		if header.Get(name) == "" {
			return nil, newWebhookError(MissingHeader, fmt.Sprintf("The header %s is missing.", strings.ToLower(name)))
		}
	}
	timestamp := header.Get("Webhook-Timestamp")
	if !isRecent(timestamp) {
		return nil, newWebhookError(
			InvalidTimestamp, "The webhook is too old, or the clock of this machine is wrong.")
	}
	signed := append([]byte(header.Get("Webhook-Id")+"."+timestamp+"."), body...)
	if !isSigned(signed, header.Get("Webhook-Signature"), keys) {
		return nil, newWebhookError(InvalidSignature, "The signature of the webhook is wrong.")
	}
	var event WebhookEvent
	if json.Unmarshal(body, &event) != nil || event.ID == "" || event.Type == "" || event.Data == nil {
		return nil, newWebhookError(InvalidBody, "The body of the webhook is not an event.")
	}
	return &event, nil
}

func toKeys(secrets []string) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, errors.New("latchkey: pass at least one webhook secret")
	}
	keys := make([][]byte, 0, len(secrets))
	for _, secret := range secrets {
		key, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) < minSecretBytes {
			return nil, errors.New(
				"latchkey: the webhook secret is not valid; copy it as Latchkey showed it, with whsec_ at the start")
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func isRecent(timestamp string) bool {
	if !seconds.MatchString(timestamp) {
		return false
	}
	value, err := strconv.ParseInt(timestamp, 10, 64)
	return err == nil && time.Since(time.Unix(value, 0)).Abs() <= webhookTolerance
}

func isSigned(signed []byte, signatures string, keys [][]byte) bool {
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write(signed)
		expected := mac.Sum(nil)
		for _, signature := range strings.Split(signatures, " ") {
			encoded, ok := strings.CutPrefix(signature, "v1,")
			decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
			if ok && err == nil && hmac.Equal(decoded, expected) {
				return true
			}
		}
	}
	return false
}
