import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { runCommandHere } from '../support/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

let database: TestDatabase
let env: Record<string, string>
beforeAll(async () => {
  database = await createDatabase()
  env = { DATABASE_URL: database.url, LATCHKEY_DATA_DIR: join(tempFolder(), 'data') }
})
afterAll(() => database.close())

/** The first test, the help and refused options are of the real program. */
const program = (...args: string[]) => runToEnd(args, { env })
const latchkey = (...args: string[]) => runCommandHere(args, env)
const WEB = ['client', 'create', '--application', 'shop', '--kind', 'WEB', '--name', 'Shop on the web']

test('the command line creates applications and clients and prints the secret once', async () => {
  expect(await latchkey('client', 'list')).toEqual({ code: 0, output: 'There are no clients yet.\n' })
  expect(await program('application', 'create', '--name', 'Shop', '--third-party')).toEqual({
    code: 0,
    output: expect.stringMatching(/^Application shop is created\. Its id is [0-9a-f-]{36}\.\n$/),
  })
  const created = await program(
    ...WEB,
    '--redirect-uri',
    'https://a.example/cb',
    'https://b.example/cb',
    '--scope',
    'openid',
  )
  expect(created).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^Client id: +lk_\w{24}\nClient secret: +lks_[\w-]{43}\nThe secret is not shown again\.\n$/,
    ),
  })
  const { output } = await latchkey('client', 'list')
  expect(output).toMatch(/^lk_\w{24} +WEB +shop +Shop on the web\n$/)
})

test('the command line creates, lists and deletes resources', async () => {
  const uri = 'https://api.example.com/mcp'
  const options = ['--application', 'shop', '--name', 'Reports', '--uri', uri, '--scope', 'read', 'write']
  expect(await latchkey('resource', 'list')).toEqual({ code: 0, output: 'There are no resources yet.\n' })
  expect(await latchkey('resource', 'create', ...options)).toEqual({
    code: 0,
    output: expect.stringMatching(/^Resource https:\S+ is registered\. Its id is [0-9a-f-]{36}\.\n$/),
  })
  expect((await latchkey('resource', 'list')).output).toMatch(/^https:\S+ +shop +Reports {2}\(read, write\)\n$/)
  const unconfirmed = await latchkey('resource', 'delete', uri)
  expect(unconfirmed).toEqual({ code: 1, output: expect.stringContaining('add --yes') })
  const deleted = await latchkey('resource', 'delete', uri, '--yes')
  expect(deleted).toEqual({ code: 0, output: `Resource ${uri} is deleted.\n` })
  const unknown = await latchkey('resource', 'delete', uri, '--yes')
  expect(unknown).toEqual({ code: 1, output: expect.stringContaining(`There is no resource ${uri}.`) })
})

test('a client that requires DPoP and may exchange tokens can be created and exported', async () => {
  await latchkey(
    ...WEB,
    '--redirect-uri',
    'https://d.example/cb',
    '--client-id',
    'with-dpop',
    '--require-dpop',
    '--token-exchange',
  )
  const [, exported = ''] = (await latchkey('export')).output.split('clientId: with-dpop')
  expect(exported).toContain('requireDpop: true')
  expect(exported).toContain('tokenExchange: true')
})

test('a client for a library that sends no nonce can be created', async () => {
  const options = [
    '--client-id',
    'no-nonce',
    '--no-require-nonce',
    '--no-userinfo-in-id-token',
    '--require-pushed-requests',
  ]
  await latchkey(...WEB, '--redirect-uri', 'https://c.example/cb', ...options)
  const { output } = await latchkey('export')
  const [, exported = ''] = output.split('clientId: no-nonce')
  expect(exported).toContain('requireNonce: false')
  expect(exported).toContain('userinfoInIdToken: false')
  expect(exported).toContain('requirePushedRequests: true')
})

test('a client with a back-channel logout can be created and exported', async () => {
  const uri = 'https://b.example/logout'
  const options = ['--redirect-uri', 'https://b.example/cb', '--client-id', 'told', '--backchannel-logout-uri']
  expect((await latchkey(...WEB, ...options, uri)).code).toBe(0)
  const [, exported = ''] = (await latchkey('export')).output.split('clientId: told')
  expect(exported).toContain(`backchannelLogoutUri: "${uri}"`)
})

test('an application with another signing algorithm can be created', async () => {
  await latchkey('application', 'create', '--name', 'Signed', '--signing-algorithm', 'ES256')
  const { output } = await latchkey('export')
  expect(output.split('slug: signed')[1]).toContain('signingAlgorithm: ES256')
  const refused = await program('application', 'create', '--name', 'Other', '--signing-algorithm', 'HS256')
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('RS256, PS256, ES256, EdDSA') })
})

describe('a client with a key', () => {
  const options = (id: string) => ['--redirect-uri', 'https://e.example/cb', '--client-id', id]
  const withKey = (id: string, ...rest: string[]) =>
    latchkey(...WEB, ...options(id), '--auth-method', 'private_key_jwt', ...rest)
  const write = (name: string, text: string): string => {
    const file = join(tempFolder(), name)
    writeFileSync(file, text)
    return file
  }

  test('can be created and exported, with its keys or their address, and gets no secret', async () => {
    const { publicKey } = generateKeyPairSync('ed25519')
    const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'first' }] }
    const created = { code: 0, output: expect.stringMatching(/^Client id: +with-\w+\n$/) }
    expect(await withKey('with-keys', '--jwks', write('keys.json', JSON.stringify(jwks)))).toEqual(created)
    expect(await withKey('with-address', '--jwks-uri', 'https://e.example/jwks')).toEqual(created)
    const { clients } = parse((await latchkey('export')).output)
    const exported = (id: string) => clients.find(({ clientId }: { clientId: string }) => clientId === id)
    const tokenEndpointAuthMethod = 'private_key_jwt'
    expect(exported('with-keys')).toMatchObject({ tokenEndpointAuthMethod, jwks, jwksUri: null })
    expect(exported('with-address')).toMatchObject({
      tokenEndpointAuthMethod,
      jwks: null,
      jwksUri: 'https://e.example/jwks',
    })
  })

  test('can be required to sign its requests', async () => {
    const { publicKey } = generateKeyPairSync('ed25519')
    const jwks = write('signing.json', JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }))
    await latchkey(...WEB, ...options('signs'), '--require-signed-requests', '--jwks', jwks)
    const [, exported = ''] = (await latchkey('export')).output.split('clientId: signs')
    expect(exported).toContain('requireSignedRequests: true')
    const refused = await latchkey(...WEB, ...options('cannot-sign'), '--require-signed-requests')
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('jwks is required') })
  })

  test('can have the security profile FAPI2, in an application with another algorithm than RS256', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const file = write('fapi.json', JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }))
    const create = (application: string) => {
      const names = ['--application', application, '--kind', 'WEB', '--name', 'Bank', ...options('with-fapi')]
      return latchkey('client', 'create', ...names, '--security-profile', 'FAPI2', '--jwks', file)
    }
    expect(await create('shop')).toMatchObject({ code: 1, output: expect.stringContaining('signingAlgorithm') })
    expect(await create('signed')).toMatchObject({ code: 0 })
    const { clients } = parse((await latchkey('export')).output)
    const exported = clients.find(({ clientId }: { clientId: string }) => clientId === 'with-fapi')
    expect(exported).toMatchObject({ securityProfile: 'FAPI2', requireDpop: true, requirePushedRequests: true })
  })

  test.each<[string, () => string[], RegExp]>([
    ['without keys', () => [], /^This is not valid:\n {2}- jwks is required for private_key_jwt, or jwksUri\n$/],
    ['with a file that is missing', () => ['--jwks', '/nowhere.json'], /^\/nowhere\.json cannot be read as JSON\.\n$/],
    ['with a single key', () => ['--jwks', write('one.json', '{"kty":"OKP"}')], /is not a JWK Set: \{"keys": \[/],
    ['with text as a key', () => ['--jwks', write('text.json', '{"keys":["x"]}')], /jwks\.keys\.0 must be a JWK\n$/],
  ])('%s is refused with a readable message', async (_name, rest, output) => {
    expect(await withKey('refused', ...rest())).toEqual({ code: 1, output: expect.stringMatching(output) })
  })
})

test('the help of client create names the option for such a library', async () => {
  const { output } = await program('client', 'create', '--help')
  const unwrapped = output.replace(/\s+/g, ' ')
  expect(unwrapped).toContain('--no-require-nonce accept sign-ins of libraries that send no nonce')
})

const REFUSED: [string, string[], string][] = [
  ['an unknown application', [...WEB.slice(0, 3), 'gone', ...WEB.slice(4)], 'There is no application gone.\n'],
  ['an unknown tenant', [...WEB, '--tenant', 'gone'], 'There is no tenant gone.\n'],
  ['a client without a redirect URI', WEB, 'This is not valid:\n  - redirectUris must name at least one\n'],
  [
    'a slug that is taken',
    ['application', 'create', '--name', 'X', '--slug', 'shop'],
    'This slug is taken. Choose another.\n',
  ],
]

test.each(FULL ? REFUSED : REFUSED.slice(0, 1))(
  '%s is refused with a readable message',
  async (_name, args, output) => {
    expect(await program(...args)).toEqual({ code: 1, output })
  },
)

test('the command line creates, lists and revokes registration tokens', async () => {
  const created = await latchkey(
    ...['registration-token', 'create', '--name', 'Partners', '--uses', '5', '--redirect-host', 'app.example.com'],
  )
  expect(created).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^Registration token: {2}lki_[\w-]{43}\nThe token is not shown again\.\nIt expires at \S+\.\n.*CLIENT_REGISTRATION is off\.\n$/,
    ),
  })
  const { output } = await latchkey('registration-token', 'list')
  const [, id = ''] = /^([0-9a-f-]{36}) {2}0\/5 +\S+ {2}Partners\n$/.exec(output) ?? []
  expect(await latchkey('registration-token', 'revoke', id)).toEqual({
    code: 0,
    output: 'The registration token is revoked.\n',
  })
  expect((await latchkey('registration-token', 'revoke', id)).code).toBe(1)
  expect((await latchkey('registration-token', 'create', '--name', 'x', '--uses', 'many')).output).toContain('maxUses')
})
