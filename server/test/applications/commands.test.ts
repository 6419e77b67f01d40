import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

const latchkey = (...args: string[]) => runToEnd(args, { env })
const WEB = ['client', 'create', '--application', 'shop', '--kind', 'WEB', '--name', 'Shop on the web']

test('the command line creates applications and clients and prints the secret once', async () => {
  expect(await latchkey('client', 'list')).toEqual({ code: 0, output: 'There are no clients yet.\n' })
  expect(await latchkey('application', 'create', '--name', 'Shop', '--third-party')).toEqual({
    code: 0,
    output: expect.stringMatching(/^Application shop is created\. Its id is [0-9a-f-]{36}\.\n$/),
  })
  const created = await latchkey(
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

test('a client for a library that sends no nonce can be created', async () => {
  const options = ['--client-id', 'no-nonce', '--no-require-nonce', '--no-userinfo-in-id-token']
  await latchkey(...WEB, '--redirect-uri', 'https://c.example/cb', ...options)
  const { output } = await latchkey('export')
  const [, exported = ''] = output.split('clientId: no-nonce')
  expect(exported).toContain('requireNonce: false')
  expect(exported).toContain('userinfoInIdToken: false')
})

test('the help of client create names the option for such a library', async () => {
  const { output } = await latchkey('client', 'create', '--help')
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
    expect(await latchkey(...args)).toEqual({ code: 1, output })
  },
)
