import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Page } from 'playwright-core'
import { apply } from '../declaration/apply-yaml.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD } from '../support/world.ts'

interface McpServer {
  url: string
  close(): Promise<void>
}

const demo = (file: string) => new URL(`../../../demo/${file}`, import.meta.url)

/** Starts the MCP server of the demo, on a free port. */
export async function startMcpServer(issuer: string): Promise<McpServer> {
  const { startMcpServer: start } = await import(demo('mcp-server.mjs').href)
  return start({ issuer, clientId: 'demo-web', clientSecret: 'demo-web-secret' })
}

/** Registers it as demo/mcp-server.yaml does, but at its own address. */
export async function declareMcpServer({ ctx }: TestService, { url }: McpServer): Promise<void> {
  const declaration = readFileSync(demo('mcp-server.yaml'), 'utf8')
  await apply(ctx, declaration.replaceAll('http://localhost:4000/mcp', url))
}

/** Who the agent says it is: what its provider for the MCP SDK has beside the addresses. */
export type Identity = Partial<OAuthClientProvider>

export const registeredAs = (clientId: string): Identity => ({ clientInformation: () => ({ client_id: clientId }) })

/** An agent that nobody registered. It keeps what it gets from Latchkey, or the URL of its document. */
export function unregistered(identity: Identity = {}): Identity {
  let stored: OAuthClientInformationMixed | undefined
  return {
    clientInformation: () => stored,
    saveClientInformation(information) {
      stored = information
    },
    ...identity,
  }
}

export interface Agent {
  /** Connects. If the server asks for a sign-in, `signIn` goes through the pages. */
  connect(signIn: (url: URL) => Promise<void>): Promise<void>
  callTool(name: string): Promise<{ isError: boolean; text: string }>
  /** The access token that it has. */
  readonly accessToken: string
  close(): Promise<void>
}

/** An agent with the client of the MCP SDK. It listens on a free port of the loopback interface for the code. */
export async function createAgent(serverUrl: string, identity: Identity): Promise<Agent> {
  const callback = await listenForCode()
  const stored: { tokens?: OAuthTokens; verifier?: string; authorizationUrl?: URL } = {}
  const authProvider: OAuthClientProvider = {
    redirectUrl: callback.url,
    clientMetadata: { redirect_uris: [callback.url], client_name: 'Test agent' },
    clientInformation: () => undefined,
    tokens: () => stored.tokens,
    saveTokens: (tokens) => void Object.assign(stored, { tokens }),
    codeVerifier: () => stored.verifier ?? '',
    saveCodeVerifier: (verifier) => void Object.assign(stored, { verifier }),
    redirectToAuthorization: (authorizationUrl) => void Object.assign(stored, { authorizationUrl }),
    ...identity,
  }
  const newTransport = () => new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider })
  let client = newClient()
  return {
    async connect(signIn) {
      const transport = newTransport()
      const isConnected = await client.connect(transport).then(
        () => true,
        (error: unknown) => {
          if (!stored.authorizationUrl) throw error
          return false
        },
      )
      if (isConnected || !stored.authorizationUrl) return
      const code = callback.waitForCode()
      await signIn(stored.authorizationUrl)
      await transport.finishAuth(await code)
      client = newClient()
      await client.connect(newTransport())
    },
    async callTool(name) {
      const { content, isError = false } = await client.callTool({ name, arguments: {} })
      const [first] = content as { text: string }[]
      return { isError: isError === true, text: first?.text ?? '' }
    },
    get accessToken() {
      return stored.tokens?.access_token ?? ''
    },
    async close() {
      await client.close()
      callback.close()
    },
  }
}

const newClient = () => new Client({ name: 'test', version: '1.0.0' })

async function listenForCode() {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    async waitForCode(): Promise<string> {
      for (;;) {
        const [request, response] = await once(server, 'request')
        response.end('You can close this page.')
        const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1')
        if (pathname !== '/callback') continue
        const code = searchParams.get('code')
        if (code === null) throw new Error(`The redirect has no code: ${searchParams}`)
        return code
      }
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Signs a person in and allows the agent, as the person sees it. Returns the text of the consent page, if it is shown. */
export async function allowInBrowser(page: Page, url: URL, email: string): Promise<string | undefined> {
  await page.goto(url.href)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  const end = page.getByText('You can close this page.')
  await allow.or(end).waitFor()
  if (await end.isVisible()) return undefined
  const text = await page.innerText('main')
  await allow.click()
  await end.waitFor()
  return text
}
