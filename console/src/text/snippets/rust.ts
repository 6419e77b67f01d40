import { t } from '../translate.ts'
import { doubleQuote, portOf, type Snippet, type SnippetValues, withSecret } from './values.ts'

export function openidconnectRs(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const code = `use openidconnect::core::{CoreAuthenticationFlow, CoreClient, CoreProviderMetadata};
use openidconnect::{
    reqwest, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce, PkceCodeChallenge, RedirectUrl,
    Scope, TokenResponse,
};
use std::io::{BufRead, BufReader, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let redirect_uri = ${doubleQuote(redirectUri)};
    let http = reqwest::blocking::ClientBuilder::new()
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    let metadata = CoreProviderMetadata::discover(&IssuerUrl::new(${doubleQuote(issuer)}.into())?, &http)?;
    let secret = ClientSecret::new(std::env::var("LATCHKEY_CLIENT_SECRET")?);
    let client_id = ClientId::new(${doubleQuote(clientId)}.into());
    let client = CoreClient::from_provider_metadata(metadata, client_id, Some(secret))
        .set_redirect_uri(RedirectUrl::new(redirect_uri.into())?);

    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (address, state, nonce) = client
        .authorize_url(CoreAuthenticationFlow::AuthorizationCode, CsrfToken::new_random, Nonce::new_random)
        .add_scope(Scope::new("profile".into()))
        .add_scope(Scope::new("email".into()))
        .set_pkce_challenge(challenge)
        .url();
    println!("Open {address}");

    // Waits for one sign-in. In a web server, keep state, nonce and verifier in the session of the browser.
    let listener = std::net::TcpListener::bind(${doubleQuote(`127.0.0.1:${portOf(redirectUri, '8080')}`)})?;
    let (mut stream, _) = listener.accept()?;
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line)?;
    let path = line.split_whitespace().nth(1).ok_or("not an HTTP request")?;
    let url = url::Url::parse(redirect_uri)?.join(path)?;
    let find = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    if find("state").as_ref() != Some(state.secret()) {
        return Err("the state is wrong".into());
    }
    let tokens = client
        .exchange_code(AuthorizationCode::new(find("code").ok_or("no code")?))?
        .set_pkce_verifier(verifier)
        .request(&http)?;
    let id_token = tokens.id_token().ok_or("no ID token")?;
    let claims = id_token.claims(&client.id_token_verifier(), &nonce)?;
    let email = claims.email().map(|email| email.as_str()).unwrap_or_default();
    write!(stream, "HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\nHello {email}")?;
    Ok(())
}
`
  return {
    files: [{ name: 'src/main.rs', code }],
    run: `cargo init --name signin && cargo add url openidconnect --features openidconnect/reqwest-blocking
${withSecret(values, 'cargo run')}`,
    next: t('Open the address that the program prints, and sign in.'),
  }
}
