import { t } from '../translate.ts'
import {
  doubleQuote,
  homeOf,
  inShell,
  openAndSignIn,
  originOf,
  portOf,
  quote,
  type Snippet,
  type SnippetValues,
  withSecret,
} from './values.ts'

const isHttp = (address: string) => address.startsWith('http:')

export function oauth2Proxy(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const code = `provider = "oidc"
oidc_issuer_url = ${doubleQuote(issuer)}
client_id = ${doubleQuote(clientId)}
redirect_url = ${doubleQuote(redirectUri)}
scope = "openid profile email"
code_challenge_method = "S256"
# oauth2-proxy sends and checks a nonce only if it is told not to skip it.
insecure_oidc_skip_nonce = false
# Everybody who can sign in at Latchkey gets in.
email_domains = ["*"]
cookie_secure = ${!isHttp(redirectUri)}
http_address = "127.0.0.1:${portOf(redirectUri, '4180')}"
# The application behind the proxy.
upstreams = ["http://127.0.0.1:8080/"]
`
  return {
    files: [{ name: 'oauth2-proxy.cfg', code }],
    run: `OAUTH2_PROXY_COOKIE_SECRET="$(openssl rand -hex 16)" \\
${withSecret(values, 'oauth2-proxy --config oauth2-proxy.cfg', 'OAUTH2_PROXY_CLIENT_SECRET')}`,
    next: openAndSignIn(homeOf(redirectUri)),
  }
}

export function modAuthOpenidc(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const code = `OIDCProviderMetadataURL ${doubleQuote(`${issuer}/.well-known/openid-configuration`)}
OIDCClientID ${doubleQuote(clientId)}
OIDCClientSecret "\${LATCHKEY_CLIENT_SECRET}"
# An address that Apache answers itself. No page may exist there.
OIDCRedirectURI ${doubleQuote(redirectUri)}
OIDCCryptoPassphrase "exec:/usr/bin/openssl rand -hex 32"
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCRemoteUserClaim email

<Location "/">
    AuthType openid-connect
    Require valid-user
</Location>
`
  return {
    files: [{ name: '/etc/apache2/conf-available/latchkey.conf', code }],
    run: `sudo apt-get install libapache2-mod-auth-openidc
sudo a2enmod auth_openidc && sudo a2enconf latchkey
echo ${inShell(`export ${withSecret(values, '').trim()}`)} | sudo tee -a /etc/apache2/envvars > /dev/null
sudo systemctl restart apache2`,
    next: openAndSignIn(homeOf(redirectUri)),
  }
}

export function grafana(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const code = `[server]
http_port = ${portOf(redirectUri, '3000')}
root_url = ${homeOf(redirectUri)}

[auth.generic_oauth]
enabled = true
name = Latchkey
client_id = ${clientId}
client_secret = $__env{LATCHKEY_CLIENT_SECRET}
scopes = openid profile email
auth_url = ${issuer}/oauth/authorize
token_url = ${issuer}/api/oauth/token
api_url = ${issuer}/api/oauth/userinfo
use_pkce = true
login_attribute_path = email
name_attribute_path = name
allow_sign_up = true
`
  return {
    files: [{ name: 'grafana.ini', code }],
    run: withSecret(values, 'grafana server --config grafana.ini --homepath /usr/share/grafana'),
    next: openAndSignIn(`${originOf(redirectUri)}/login`),
  }
}

export function gitlab(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const code = `external_url ${quote(originOf(redirectUri))}
gitlab_rails['omniauth_allow_single_sign_on'] = ['openid_connect']
gitlab_rails['omniauth_block_auto_created_users'] = false
gitlab_rails['omniauth_providers'] = [
  {
    name: 'openid_connect',
    label: 'Latchkey',
    args: {
      name: 'openid_connect',
      scope: ['openid', 'profile', 'email'],
      response_type: 'code',
      issuer: ${quote(issuer)},
      discovery: true,
      client_auth_method: 'basic',
      uid_field: 'sub',
      pkce: true,
      client_options: {
        identifier: ${quote(clientId)},
        secret: ENV.fetch('LATCHKEY_CLIENT_SECRET'),
        redirect_uri: ${quote(redirectUri)}
      }
    }
  }
]
`
  return {
    files: [{ name: '/etc/gitlab/gitlab.rb', code }],
    run: `sudo ${withSecret(values, 'gitlab-ctl reconfigure')}`,
    next: t('Open {address} and sign in. GitLab needs an issuer with an https address.', {
      address: homeOf(redirectUri),
    }),
  }
}
