package latchkey

import (
	"fmt"
	"strings"
)

// License is the license of a user for the application, as it was when the token was issued.
type License struct {
	// Type is the slug of the license type.
	Type     string   `json:"type"`
	Name     string   `json:"name"`
	Features []string `json:"features"`
}

// Auth is the verified caller of a request: a user, or a machine client.
type Auth struct {
	// UserID is empty for a machine client.
	UserID     string
	ClientID   string
	TenantID   string
	TenantSlug string
	// Roles are the roles of the user in the tenant: owner, admin or member.
	Roles  []string
	Scopes []string
	// License is nil if the user had none.
	License *License
	// Token is the access token itself.
	Token string `json:"-"`
	// Claims are all claims of the token.
	Claims map[string]any `json:"-"`
}

// String leaves out the token, so that a log line does not contain it.
func (a Auth) String() string {
	return fmt.Sprintf("user %q, client %q, tenant %q", a.UserID, a.ClientID, a.TenantID)
}

// isBound tells whether only the holder of a key may use the token (RFC 9449 §6).
func (a *Auth) isBound() bool {
	_, ok := a.Claims["cnf"]
	return ok
}

// tokenClaims are the claims of an access token beyond those of every JWT.
type tokenClaims struct {
	Subject     string   `json:"sub"`
	ClientID    string   `json:"client_id"`
	Scope       string   `json:"scope"`
	TenantID    string   `json:"tenant_id"`
	TenantSlug  string   `json:"tenant_slug"`
	TenantRoles []string `json:"tenant_roles"`
	License     *License `json:"license"`
}

func (c tokenClaims) toAuth(token string, claims map[string]any) *Auth {
	auth := &Auth{
		UserID:     c.Subject,
		ClientID:   c.ClientID,
		TenantID:   c.TenantID,
		TenantSlug: c.TenantSlug,
		Roles:      c.TenantRoles,
		Scopes:     strings.Fields(c.Scope),
		License:    c.License,
		Token:      token,
		Claims:     claims,
	}
	if c.Subject == c.ClientID {
		auth.UserID = ""
	}
	return auth
}
