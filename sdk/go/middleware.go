package latchkey

import (
	"context"
	"errors"
	"net/http"
)

type contextKey struct{}

// RequireAuth returns middleware that verifies the access token. The handler gets the caller from AuthFrom.
func RequireAuth(client *Client) func(http.Handler) http.Handler {
	return guard(client, func(context.Context, *Auth) error { return nil })
}

// RequireRole returns middleware that also requires one of the roles in the tenant.
func RequireRole(client *Client, roles ...string) func(http.Handler) http.Handler {
	return guard(client, func(_ context.Context, auth *Auth) error { return client.RequireRole(auth, roles...) })
}

// RequireLicense returns middleware that also requires a license with the feature.
func RequireLicense(client *Client, feature string) func(http.Handler) http.Handler {
	return guard(client, func(ctx context.Context, auth *Auth) error { return client.RequireLicense(ctx, auth, feature) })
}

// AuthFrom returns the caller that the middleware has verified. It is nil for a request that did not pass one.
func AuthFrom(ctx context.Context) *Auth {
	auth, _ := ctx.Value(contextKey{}).(*Auth)
	return auth
}

func guard(client *Client, check func(context.Context, *Auth) error) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			auth, err := client.Authenticate(r.Context(), r.Header.Get("Authorization"))
			if err == nil {
				err = check(r.Context(), auth)
			}
			if err != nil {
				refuse(w, err)
				return
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, auth)))
		})
	}
}

func refuse(w http.ResponseWriter, err error) {
	var authError *AuthError
	if !errors.As(err, &authError) {
		authError = newAuthError(Unavailable, "The request cannot be decided now.", "", err)
	}
	authError.Write(w)
}
