import {
  doubleQuote,
  homeOf,
  inShell,
  isInsecure,
  openAndSignIn,
  originOf,
  pathOf,
  type Snippet,
  type SnippetValues,
  withSecret,
} from './values.ts'

export function aspNetCore(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const insecure = isInsecure(issuer)
    ? `
        // Only while Latchkey is on http, on your own machine.
        options.RequireHttpsMetadata = false;
        options.NonceCookie.SecurePolicy = CookieSecurePolicy.SameAsRequest;
        options.NonceCookie.SameSite = SameSiteMode.Lax;
        options.CorrelationCookie.SecurePolicy = CookieSecurePolicy.SameAsRequest;
        options.CorrelationCookie.SameSite = SameSiteMode.Lax;`
    : ''
  const code = `using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;

var builder = WebApplication.CreateBuilder(args);
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = ${doubleQuote(issuer)};
        options.ClientId = ${doubleQuote(clientId)};
        options.ClientSecret = builder.Configuration["LATCHKEY_CLIENT_SECRET"];
        options.CallbackPath = ${doubleQuote(pathOf(redirectUri))};
        // The defaults are id_token and form_post. Latchkey has the code flow, with the response in the query.
        options.ResponseType = "code";
        options.ResponseMode = "query";
        options.Scope.Add("email");
        options.MapInboundClaims = false;${insecure}
    });
builder.Services.AddAuthorization();

var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();
app.MapGet("/", (HttpContext http) => $"Hello {http.User.FindFirst("email")?.Value}").RequireAuthorization();
app.Run();
`
  return {
    files: [{ name: 'Program.cs', code }],
    run: `dotnet add package Microsoft.AspNetCore.Authentication.OpenIdConnect
${withSecret(values, `dotnet run --urls ${inShell(originOf(redirectUri))}`)}`,
    next: openAndSignIn(homeOf(redirectUri)),
  }
}
