import {
  homeOf,
  isInsecure,
  openAndSignIn,
  portOf,
  quote,
  type Snippet,
  type SnippetValues,
  withSecret,
} from './values.ts'

export function omniAuth(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const insecure = isInsecure(issuer)
    ? `
# Only while Latchkey is on http, on your own machine.
SWD.url_builder = URI::HTTP
`
    : ''
  const code = `require 'omniauth_openid_connect'
require 'securerandom'
require 'sinatra'
${insecure}
# Sessions end with the process. In production, set a fixed secret.
set :sessions, secret: SecureRandom.hex(64)
use OmniAuth::Builder do
  provider :openid_connect,
           name: :openid_connect,
           issuer: ${quote(issuer)},
           discovery: true,
           scope: %i[openid profile email],
           pkce: true,
           client_options: {
             identifier: ${quote(clientId)},
             secret: ENV.fetch('LATCHKEY_CLIENT_SECRET'),
             redirect_uri: ${quote(redirectUri)}
           }
end

get '/' do
  token = Rack::Protection::AuthenticityToken.token(session)
  %(<form method="post" action="/auth/openid_connect">
    <input type="hidden" name="authenticity_token" value="#{token}">
    <button>Sign in</button>
  </form>)
end

get '/auth/openid_connect/callback' do
  content_type :text
  "Hello #{request.env['omniauth.auth'].info.email}"
end
`
  return {
    files: [{ name: 'app.rb', code }],
    run: `gem install sinatra puma rackup omniauth_openid_connect
${withSecret(values, `ruby app.rb -p ${portOf(redirectUri, '4567')}`)}`,
    next: openAndSignIn(homeOf(redirectUri)),
  }
}
