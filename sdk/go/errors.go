package latchkey

import (
	"encoding/json"
	"net/http"
)

// ErrorCode says why a request was refused.
type ErrorCode string

const (
	// InvalidToken (401): there is no valid access token.
	InvalidToken ErrorCode = "invalid_token"
	// InsufficientScope (403): the role or the scope is missing.
	InsufficientScope ErrorCode = "insufficient_scope"
	// LicenseRequired (403): the license is missing, or does not have the feature.
	LicenseRequired ErrorCode = "license_required"
	// Unavailable (503): Latchkey does not answer, or refuses this service.
	Unavailable ErrorCode = "unavailable"
)

var statuses = map[ErrorCode]int{
	InvalidToken:      http.StatusUnauthorized,
	InsufficientScope: http.StatusForbidden,
	LicenseRequired:   http.StatusForbidden,
	Unavailable:       http.StatusServiceUnavailable,
}

// AuthError says why a request was refused, with the response to send.
type AuthError struct {
	Code    ErrorCode
	Status  int
	Message string
	// Challenge is the WWW-Authenticate header (RFC 6750 §3), for a 401 and for a missing role or scope.
	Challenge string

	cause error
}

func newAuthError(code ErrorCode, message, challenge string, cause error) *AuthError {
	return &AuthError{Code: code, Status: statuses[code], Message: message, Challenge: challenge, cause: cause}
}

func (e *AuthError) Error() string { return e.Message }

// Unwrap returns the cause, for logs. Do not send it to the caller.
func (e *AuthError) Unwrap() error { return e.cause }

// Write sends the response that refuses the request.
func (e *AuthError) Write(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	if e.Challenge != "" {
		header.Set("WWW-Authenticate", e.Challenge)
	}
	if e.Status == http.StatusServiceUnavailable {
		header.Set("Retry-After", "1")
	}
	w.WriteHeader(e.Status)
	// An error here means that the caller has gone.
	_ = json.NewEncoder(w).Encode(map[string]string{"error": string(e.Code), "message": e.Message})
}

// WebhookErrorCode says what is wrong with a webhook request.
type WebhookErrorCode string

const (
	MissingHeader    WebhookErrorCode = "missing_header"
	InvalidTimestamp WebhookErrorCode = "invalid_timestamp"
	InvalidSignature WebhookErrorCode = "invalid_signature"
	InvalidBody      WebhookErrorCode = "invalid_body"
)

// WebhookError means that the request was not sent by Latchkey, is too old, or has been changed. Respond with Status,
// which is 400.
type WebhookError struct {
	Code    WebhookErrorCode
	Status  int
	Message string
}

func newWebhookError(code WebhookErrorCode, message string) *WebhookError {
	return &WebhookError{Code: code, Status: http.StatusBadRequest, Message: message}
}

func (e *WebhookError) Error() string { return e.Message }
