// Package latchkey protects an API with Latchkey: it verifies access tokens, requires roles and licenses, calls
// Latchkey as a machine, and verifies webhooks.
package latchkey

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	defaultLicenseCache = 5 * time.Second
	maxTokenLength      = 16 << 10
)

var (
	bearer     = regexp.MustCompile(`^(?i:Bearer) +([\x21-\x7e]+)$`)
	asymmetric = regexp.MustCompile(`^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA)$`)
)

// Options are the options of New. Issuer is required, and ApplicationID or Audience.
type Options struct {
	// Issuer is the base URL of Latchkey, such as https://id.example.com.
	Issuer string
	// ApplicationID is the id of your application. Tokens for other applications are refused.
	ApplicationID string
	// Audience is the URI of your API, if it is registered as a resource. Then only tokens for this resource are
	// accepted, and the license is the one in the token. ApplicationID is then needed only with Machine. Without Machine,
	// setting both is an error, so that an empty Audience cannot mean the tokens of the application.
	Audience string
	// TenantID limits the accepted tokens to this tenant. Default: every tenant.
	TenantID string
	// Algorithms are the accepted signature algorithms. Default: RS256, PS256, ES256 and EdDSA. A key is used only for
	// the algorithm that the key set states for it.
	Algorithms []string
	// LicenseCache is how long the result of a license check is reused. Default: 5 seconds. Less than zero: not at all.
	LicenseCache time.Duration
	// Machine asks for licenses of users of whom there is only the id. See UserHasFeature.
	Machine *MachineToken
	// ResourceMetadataURL is where this API publishes its metadata (RFC 9728). It is named in the challenge of a 401.
	ResourceMetadataURL string
	// HTTPClient is used for requests to Latchkey. Default: a new one.
	HTTPClient *http.Client
}

// Client verifies access tokens of one application and checks licenses. Goroutines may share it.
type Client struct {
	options    Options
	algorithms []jose.SignatureAlgorithm
	keys       *keySet
	licenses   *licenseCheck
	now        func() time.Time
}

// New returns an error if an option is missing or wrong. It sends no request.
func New(options Options) (*Client, error) {
	issuer, err := normalizeIssuer(options.Issuer)
	if err != nil {
		return nil, err
	}
	options.Issuer = issuer
	if options.ApplicationID == "" && (options.Audience == "" || options.Machine != nil) {
		return nil, errors.New("latchkey: ApplicationID must be the id of your application")
	}
	if options.ApplicationID != "" && options.Audience != "" && options.Machine == nil {
		return nil, errors.New("latchkey: set either ApplicationID or Audience")
	}
	if len(options.Algorithms) == 0 {
		options.Algorithms = []string{"RS256", "PS256", "ES256", "EdDSA"}
	}
	if options.LicenseCache == 0 {
		options.LicenseCache = defaultLicenseCache
	}
	client := &Client{options: options, now: time.Now}
	now := func() time.Time { return client.now() }
	for _, algorithm := range options.Algorithms {
		if !asymmetric.MatchString(algorithm) {
			return nil, fmt.Errorf("latchkey: Algorithms must have a public key, such as RS256, but %q has none", algorithm)
		}
		client.algorithms = append(client.algorithms, jose.SignatureAlgorithm(algorithm))
	}
	httpClient := withoutRedirects(options.HTTPClient)
	client.keys = &keySet{url: issuer + "/api/oauth/jwks", http: httpClient, now: now}
	client.licenses = &licenseCheck{
		url:           issuer + "/api/integration/licenses/check",
		applicationID: options.ApplicationID,
		http:          httpClient,
		results:       newResultCache(options.LicenseCache, now),
	}
	return client, nil
}

// Verify verifies an access token. The error is an *AuthError: 401, or 503 if the keys cannot be read. If the claims
// have cnf, the token is bound to a key: check the DPoP proof of the request as well.
func (c *Client) Verify(ctx context.Context, token string) (*Auth, error) {
	auth, err := c.verify(ctx, token)
	var authError *AuthError
	if err != nil && !errors.As(err, &authError) {
		return nil, newAuthError(InvalidToken, "The access token is not valid.", c.challenge(InvalidToken), err)
	}
	return auth, err
}

// Authenticate is Verify for the Authorization header of a request. It refuses tokens that are bound to a key.
func (c *Client) Authenticate(ctx context.Context, authorization string) (*Auth, error) {
	match := bearer.FindStringSubmatch(authorization)
	if match == nil {
		return nil, newAuthError(InvalidToken, "Send an access token as Authorization: Bearer.", c.challenge(""), nil)
	}
	auth, err := c.Verify(ctx, match[1])
	if err == nil && auth.isBound() {
		return nil, newAuthError(InvalidToken, "The access token is bound to a key, so it is not valid as Bearer.",
			c.challenge(InvalidToken), nil)
	}
	return auth, err
}

// HasFeature tells whether the license of the caller has the feature now. It asks Latchkey with the caller's own token
// and reuses the result for a few seconds. The error is an *AuthError with status 503 if Latchkey cannot be reached. With
// Options.Audience, or if the token is bound to a key, it reads the license in the token instead.
func (c *Client) HasFeature(ctx context.Context, auth *Auth, feature string) (bool, error) {
	if auth == nil || auth.UserID == "" || auth.TenantID == "" {
		return false, nil
	}
	// Latchkey does not accept a token for a resource, or a bound one from us, who do not have the key.
	if c.options.Audience != "" || auth.isBound() {
		return auth.License != nil && slices.Contains(auth.License.Features, feature), nil
	}
	features, err := c.licenses.featuresOfCaller(ctx, auth.Token)
	return slices.Contains(features, feature), toUnavailable(err)
}

// UserHasFeature is HasFeature for a user of whom there is only the id. It asks with the token of Options.Machine.
func (c *Client) UserHasFeature(ctx context.Context, userID, feature string) (bool, error) {
	if c.options.Machine == nil {
		return false, errors.New("latchkey: set Options.Machine to check a license by the id of the user")
	}
	if userID == "" {
		return false, nil
	}
	features, err := c.licenses.featuresOfUser(ctx, c.options.Machine, userID)
	return slices.Contains(features, feature), toUnavailable(err)
}

// RequireLicense returns an *AuthError with status 403 unless the license has the feature.
func (c *Client) RequireLicense(ctx context.Context, auth *Auth, feature string) error {
	ok, err := c.HasFeature(ctx, auth, feature)
	if err == nil && !ok {
		return newAuthError(LicenseRequired, fmt.Sprintf("This needs a license with the feature %s.", feature), "", nil)
	}
	return err
}

// RequireRole returns an *AuthError with status 403 unless the user has one of the roles in the tenant.
func (c *Client) RequireRole(auth *Auth, roles ...string) error {
	if auth != nil && slices.ContainsFunc(auth.Roles, func(role string) bool { return slices.Contains(roles, role) }) {
		return nil
	}
	return c.forbid(fmt.Sprintf("This needs the role %s.", strings.Join(roles, " or ")))
}

// RequireScope returns an *AuthError with status 403 unless the token has the scope.
func (c *Client) RequireScope(auth *Auth, scope string) error {
	if auth != nil && slices.Contains(auth.Scopes, scope) {
		return nil
	}
	return c.forbid(fmt.Sprintf("This needs the scope %s.", scope))
}

func (c *Client) verify(ctx context.Context, token string) (*Auth, error) {
	if len(token) > maxTokenLength {
		return nil, errors.New("the token is too long")
	}
	parsed, err := jwt.ParseSigned(token, c.algorithms)
	if err != nil {
		return nil, err
	}
	header := parsed.Headers[0]
	// RFC 9068 §4: otherwise an ID token would be accepted as an access token.
	typ, _ := header.ExtraHeaders[jose.HeaderType].(string)
	if typ = strings.ToLower(typ); typ != "at+jwt" && typ != "application/at+jwt" {
		return nil, errors.New("the token is not an access token")
	}
	if header.KeyID == "" {
		return nil, errors.New("the token names no key")
	}
	key, err := c.keys.find(ctx, header.KeyID)
	if err != nil {
		return nil, newAuthError(Unavailable, "The keys of Latchkey cannot be read.", "", err)
	}
	if key == nil || key.Algorithm != header.Algorithm {
		return nil, errors.New("the token names an unknown key")
	}
	var registered jwt.Claims
	var own tokenClaims
	var all map[string]any
	if err := parsed.Claims(key.Key, &registered, &own, &all); err != nil {
		return nil, err
	}
	if err := c.check(registered, own); err != nil {
		return nil, err
	}
	return own.toAuth(token, all), nil
}

func (c *Client) check(registered jwt.Claims, own tokenClaims) error {
	if registered.Expiry == nil || own.Subject == "" || own.ClientID == "" {
		return errors.New("a required claim is missing")
	}
	if c.options.TenantID != "" && own.TenantID != c.options.TenantID {
		return errors.New("the token is for another tenant")
	}
	audience := c.options.ApplicationID
	if c.options.Audience != "" {
		audience = c.options.Audience
	}
	// The clock of Latchkey may be ahead, so a token from the future is not an error.
	registered.IssuedAt = nil
	return registered.ValidateWithLeeway(jwt.Expected{
		Issuer: c.options.Issuer, AnyAudience: jwt.Audience{audience}, Time: c.now(),
	}, 0)
}

func (c *Client) forbid(message string) error {
	return newAuthError(InsufficientScope, message, c.challenge(InsufficientScope), nil)
}

// challenge follows RFC 6750 §3, and RFC 9728 §5.1 for the metadata.
func (c *Client) challenge(code ErrorCode) string {
	var parameters []string
	if code != "" {
		parameters = append(parameters, fmt.Sprintf("error=%q", string(code)))
	}
	if c.options.ResourceMetadataURL != "" {
		parameters = append(parameters, fmt.Sprintf("resource_metadata=%q", c.options.ResourceMetadataURL))
	}
	return strings.TrimSpace("Bearer " + strings.Join(parameters, ", "))
}

// toUnavailable turns the end of the caller's context into an *AuthError. Other errors are such errors already.
func toUnavailable(err error) error {
	var authError *AuthError
	if err == nil || errors.As(err, &authError) {
		return err
	}
	return newAuthError(Unavailable, "The license cannot be checked now.", "", err)
}
