import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { makeScratchFolder } from '../../server/test/support/scratch.ts'
import { type OpenIdProvider, startOpenIdProvider } from './open-id-provider.ts'

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string
    /** The issuers of the sign-in providers, by path name. Empty for a remote service. */
    issuers: { google?: string; acme?: string }
  }
}

const LATCHKEY = fileURLToPath(new URL('../../server/bin/latchkey.js', import.meta.url))

/** Uses the service at BASE_URL. Without one, starts the demo in a temporary folder and stops it afterwards. */
export default async function setup(project: TestProject) {
  // Vitest also sets this variable, to a path.
  const externalUrl = process.env.BASE_URL ?? ''
  if (/^https?:/.test(externalUrl)) {
    project.provide('baseUrl', externalUrl)
    project.provide('issuers', {})
    return
  }
  const folder = makeScratchFolder('latchkey-blackbox-')
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const google = await startOpenIdProvider({ redirectUri: `${baseUrl}/sso/google/callback` })
  const acme = await startOpenIdProvider({
    redirectUri: `${baseUrl}/sso/acme/callback`,
    isLegacy: true,
  })
  const service = spawn(process.execPath, [LATCHKEY, 'demo'], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      LATCHKEY_DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'warn',
      DRAIN_DELAY_MS: '0',
      // Logout tokens are sent to the tests.
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      // There are thousands of sign-ins, so hashes are cheap where they are not what is tested.
      ...(project.name === 'timing' ? {} : { PASSWORD_HASH_MEMORY_MIB: '1' }),
      SSO_PROVIDERS: 'GOOGLE,ACME',
      SSO_ACME_LABEL: 'Acme',
      ...toVariables('GOOGLE', google),
      ...toVariables('ACME', acme),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => service.once('exit', resolve))
  await new Promise<void>((resolve, reject) => {
    service.stdout.on('data', (chunk: Buffer) => chunk.includes('Latchkey is ready at') && resolve())
    ended.then(() => reject(new Error('the service did not start')))
  })
  project.provide('baseUrl', baseUrl)
  project.provide('issuers', { google: google.issuer, acme: acme.issuer })
  return async () => {
    service.kill('SIGTERM')
    await ended
    await Promise.all([google.stop(), acme.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}

const toVariables = (name: string, { issuer, clientId, clientSecret }: OpenIdProvider) => ({
  [`SSO_${name}_ISSUER`]: issuer,
  [`SSO_${name}_CLIENT_ID`]: clientId,
  [`SSO_${name}_CLIENT_SECRET`]: clientSecret,
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
