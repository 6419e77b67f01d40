import { describe, expect, test } from 'vitest'
import { originProblem, redirectProblem } from '../../src/applications/clients/addresses.ts'
import { isClientId, settingsProblems } from '../../src/applications/clients/rules.ts'

describe('an unambiguous redirect URI is accepted', () => {
  test.each([
    'https://app.example.com/callback',
    'https://app.example.com',
    'https://app.example.com:8443/cb?tenant=acme&x=%2F',
    'https://app.example.com:443/cb',
    'https://xn--bcher-kva.example/cb',
    'https://app.example.com./cb',
    'https://192.0.2.7/cb',
    'https://[2001:db8::1]/cb',
    'http://localhost/cb',
    'http://localhost:8080/callback',
    'http://127.0.0.1:53123/cb',
    'http://127.9.9.9/cb',
    'http://[::1]:8080/cb',
    `https://app.example.com/${'a'.repeat(2_000 - 24)}`,
  ])('%s', (uri) => {
    expect(redirectProblem(uri, 'WEB')).toBeUndefined()
    expect(redirectProblem(uri, 'SPA')).toBeUndefined()
  })
})

test('private-use schemes are for SPA clients only', () => {
  for (const uri of ['com.example.app:/cb', 'com.example.app://cb/x?y=1', 'COM.example.app:/cb']) {
    expect(redirectProblem(uri, 'SPA')).toBeUndefined()
    expect(redirectProblem(uri, 'WEB')).toContain('https://')
  }
})

describe('an unsafe or ambiguous redirect URI is refused (T011, T013)', () => {
  test.each([
    ['an empty string', ''],
    ['no scheme', 'app.example.com/cb'],
    ['a path', '/callback'],
    ['no host', 'https://'],
    ['no slashes', 'https:app.example.com/cb'],
    ['one slash', 'https:/app.example.com/cb'],
    ['three slashes', 'https:///app.example.com/cb'],
    ['a scheme-relative URI', '//app.example.com/cb'],
    ['a fragment', 'https://app.example.com/cb#x'],
    ['an empty fragment', 'https://app.example.com/cb#'],
    ['a user', 'https://user@app.example.com/cb'],
    ['a user and a password', 'https://app.example.com:x@evil.example/cb'],
    ['an empty user', 'https://@app.example.com/cb'],
    ['a wildcard host', 'https://*.example.com/cb'],
    ['a wildcard path', 'https://app.example.com/*'],
    ['space at the front', ' https://app.example.com/cb'],
    ['space inside', 'https://app.example.com/c b'],
    ['a line break', 'https://app.example.com/cb\r\nSet-Cookie: a=b'],
    ['a tab', 'https://app.example.com/\tcb'],
    ['a DEL', 'https://app.example.com/\x7f'],
    ['non-ASCII letters', 'https://bücher.example/cb'],
    ['a look-alike letter', 'https://аpp.example.com/cb'],
    ['a backslash', 'https://app.example.com\\@evil.example/cb'],
    ['backslashes for slashes', 'https:\\\\app.example.com/cb'],
    ['quotes', 'https://app.example.com/"onload="x'],
    ['angle brackets', 'https://app.example.com/<script>'],
    ['an incomplete escape', 'https://app.example.com/%2'],
    ['an escaped host', 'https://%61pp.example.com/cb'],
    ['a decimal host', 'https://3221225991/cb'],
    ['plain http', 'http://app.example.com/cb'],
    ['plain http to a private address', 'http://192.168.0.1/cb'],
    ['plain http to the unspecified address', 'http://0.0.0.0/cb'],
    ['a decimal loopback address', 'http://2130706433/cb'],
    ['a hexadecimal loopback address', 'http://0x7f.1/cb'],
    ['a host that starts like loopback', 'http://127.0.0.1.evil.example/cb'],
    ['a host that starts like localhost', 'http://localhost.evil.example/cb'],
    ['an invalid port', 'https://app.example.com:99999/cb'],
    ['javascript', 'javascript:alert(1)'],
    ['javascript in mixed case', 'JaVaScRiPt:alert(1)'],
    ['javascript with slashes', 'javascript://app.example.com/%0aalert(1)'],
    ['javascript with a tab', 'java\tscript:alert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['data in mixed case', 'Data:text/html;base64,PHNjcmlwdD4='],
    ['vbscript', 'vBsCrIpT:msgbox(1)'],
    ['file', 'file:///etc/passwd'],
    ['blob', 'blob:https://app.example.com/9115d58c'],
    ['about', 'about:blank'],
    ['filesystem', 'filesystem:https://app.example.com/temporary/x'],
    ['view-source', 'view-source:https://app.example.com/'],
    ['ws', 'wss://app.example.com/cb'],
    ['ftp', 'ftp://app.example.com/cb'],
    ['a private scheme without a dot', 'myapp:/cb'],
    ['a private scheme without a path', 'com.example.app:cb'],
    ['more than 2000 characters', `https://app.example.com/${'a'.repeat(2_001 - 24)}`],
  ])('%s', (_name, uri) => {
    for (const kind of ['SPA', 'WEB'] as const) expect(redirectProblem(uri, kind)).toEqual(expect.any(String))
  })
})

test.each(['https://app.example.com', 'https://app.example.com:8443', 'http://localhost:8080', 'http://[::1]:3000'])(
  'the origin %s is accepted',
  (origin) => expect(originProblem(origin)).toBeUndefined(),
)

test.each([
  'null',
  '*',
  '',
  'https://*.example.com',
  'https://app.example.com/',
  'https://app.example.com/path',
  'https://app.example.com:443',
  'https://APP.example.com',
  'HTTPS://app.example.com',
  'https://user@app.example.com',
  'https://bücher.example',
  'http://app.example.com',
  'com.example.app:/',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:https://app.example.com/x',
  'file:///',
])('%j is refused as an origin', (origin) => {
  expect(originProblem(origin)).toEqual(expect.any(String))
})

test.each(['abc', 'demo-spa', 'my.app_1~x', 'A'.repeat(100)])('%s is a valid client id', (id) => {
  expect(isClientId(id)).toBe(true)
})

test.each([
  '',
  'ab',
  'A'.repeat(101),
  'with space',
  'a/b',
  'ünïcode',
  'abc\n',
  "a'--",
  '0197a2b0-7d5c-7000-8000-00000000abcd',
  '0197A2B0-7D5C-4000-8000-00000000ABCD',
])('%j is not a valid client id', (id) => {
  expect(isClientId(id)).toBe(false)
})

const listInvalidFields = (...args: Parameters<typeof settingsProblems>) =>
  settingsProblems(...args).flatMap((problem) => problem?.field ?? [])

test.each([
  [
    'a duplicate redirect URI',
    'WEB',
    { redirectUris: ['https://a.example/', 'https://a.example/'] },
    ['redirectUris.1'],
  ],
  ['no redirect URI', 'SPA', { redirectUris: [] }, ['redirectUris']],
  [
    'more than fifty post-logout redirect URIs',
    'WEB',
    { postLogoutRedirectUris: Array.from({ length: 51 }, (_, i) => `https://a.example/${i}`) },
    ['postLogoutRedirectUris'],
  ],
  [
    'URIs for a machine',
    'MACHINE',
    {
      redirectUris: ['https://a.example/'],
      postLogoutRedirectUris: ['https://a.example/'],
      allowedOrigins: ['https://a.example'],
    },
    ['redirectUris', 'postLogoutRedirectUris', 'allowedOrigins'],
  ],
  [
    'scopes of a user for a machine',
    'MACHINE',
    { scopes: ['a', 'openid', 'offline_access'] },
    ['scopes.1', 'scopes.2'],
  ],
  [
    'scopes with forbidden characters',
    'WEB',
    { scopes: ['a b', 'a"b', 'a\\b', ''] },
    ['scopes.0', 'scopes.1', 'scopes.2', 'scopes.3'],
  ],
  ['no PKCE method', 'SPA', { pkceMethods: [] }, ['pkceMethods']],
  ['a name of spaces', 'WEB', { name: '   ' }, ['name']],
  ['a name of 121 characters', 'WEB', { name: '𝓍'.repeat(121) }, ['name']],
] as [string, 'SPA' | 'WEB' | 'MACHINE', Parameters<typeof settingsProblems>[1], string[]][])(
  'a client with %s is refused with the names of the fields',
  (_name, kind, settings, fields) => expect(listInvalidFields(kind, settings)).toEqual(fields),
)

test('user scopes are valid for a WEB client, and other scopes for a machine', () => {
  expect(
    listInvalidFields('WEB', { scopes: ['openid', 'profile', 'email', 'offline_access', 'invoices:read'] }),
  ).toEqual([])
  expect(listInvalidFields('MACHINE', { scopes: ['licenses:read', 'admin'], redirectUris: [] })).toEqual([])
})
