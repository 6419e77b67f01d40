import { latchkeyNode, mcpServer } from '../snippets/apis.ts'
import { springResourceServer } from '../snippets/java.ts'
import { inCurl, inFetch } from '../snippets/machine.ts'
import { gitlab, grafana, modAuthOpenidc, oauth2Proxy } from '../snippets/tools.ts'
import { t } from '../translate.ts'
import type { Library } from './library.ts'

const SOFTWARE = { group: 'Ready-made software', kind: 'WEB' } as const
const API = { group: 'APIs', kind: 'MACHINE', redirectUris: '', nonce: 'none', protectsApi: true } as const
const MACHINE = { group: 'Machines', kind: 'MACHINE', redirectUris: '', nonce: 'none' } as const

/** Software that only needs settings, APIs, and machines. The facts come from the documentation and the source code. */
export const SOFTWARE_AND_APIS: Library[] = [
  {
    ...SOFTWARE,
    id: 'oauth2-proxy',
    name: 'oauth2-proxy',
    keywords: 'reverse proxy kubernetes ingress nginx traefik',
    nonce: 'configured',
    redirectUris: 'http://localhost:4180/oauth2/callback',
    fixedPath: true,
    snippet: oauth2Proxy,
  },
  {
    ...SOFTWARE,
    id: 'mod-auth-openidc',
    name: 'Apache (mod_auth_openidc)',
    keywords: 'httpd reverse proxy web server',
    nonce: 'always',
    redirectUris: 'http://localhost/redirect_uri',
    snippet: modAuthOpenidc,
  },
  {
    ...SOFTWARE,
    id: 'grafana',
    name: 'Grafana',
    keywords: 'dashboard monitoring generic oauth',
    nonce: 'never',
    redirectUris: 'http://localhost:3001/login/generic_oauth',
    fixedPath: true,
    snippet: grafana,
  },
  {
    ...SOFTWARE,
    id: 'gitlab',
    name: 'GitLab',
    keywords: 'git omniauth self-managed',
    nonce: 'always',
    redirectUris: 'https://gitlab.example.com/users/auth/openid_connect/callback',
    fixedPath: true,
    snippet: gitlab,
  },
  {
    ...API,
    id: 'mcp-server',
    name: 'MCP server',
    sender: t('An MCP client'),
    keywords: 'model context protocol ai agent claude vs code copilot',
    kind: 'SPA',
    // MCP clients use OAuth 2.0, not OpenID Connect.
    nonce: 'never',
    redirectUris: 'http://127.0.0.1:33418/\nhttps://vscode.dev/redirect',
    native: true,
    snippet: mcpServer,
  },
  {
    ...API,
    id: 'latchkey-node',
    name: '@latchkey/node',
    keywords: 'express fastify hono nextjs javascript typescript api resource server access token',
    snippet: latchkeyNode,
  },
  {
    ...API,
    id: 'spring-resource-server',
    name: 'Spring resource server',
    keywords: 'java kotlin spring boot security api access token jwt',
    snippet: springResourceServer,
  },
  {
    ...MACHINE,
    id: 'fetch',
    name: 'fetch',
    keywords: 'node javascript typescript client credentials job cron',
    snippet: inFetch,
  },
  {
    ...MACHINE,
    id: 'curl',
    name: 'curl',
    keywords: 'shell bash client credentials job cron',
    snippet: inCurl,
  },
]
