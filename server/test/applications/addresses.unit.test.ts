import { describe, expect, test } from 'vitest'
import { originProblem, redirectProblem } from '../../src/applications/clients/addresses.ts'
import { isClientId, settingsProblems } from '../../src/applications/clients/rules.ts'

describe('a redirect address that means one thing to everybody is taken', () => {
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

test('a scheme of an app of its own is for SPA clients only', () => {
  for (const uri of ['com.example.app:/cb', 'com.example.app://cb/x?y=1', 'COM.example.app:/cb']) {
    expect(redirectProblem(uri, 'SPA')).toBeUndefined()
    expect(redirectProblem(uri, 'WEB')).toContain('https://')
  }
})

describe('a redirect address that could lead astray is refused (T011, T013)', () => {
  test.each([
    ['nothing', ''],
    ['no scheme', 'app.example.com/cb'],
    ['a path', '/callback'],
    ['no host', 'https://'],
    ['no slashes', 'https:app.example.com/cb'],
    ['one slash', 'https:/app.example.com/cb'],
    ['three slashes', 'https:///app.example.com/cb'],
    ['another scheme with //', '//app.example.com/cb'],
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
    ['letters beyond ASCII', 'https://bücher.example/cb'],
    ['a look-alike letter', 'https://аpp.example.com/cb'],
    ['a backslash', 'https://app.example.com\\@evil.example/cb'],
    ['backslashes for slashes', 'https:\\\\app.example.com/cb'],
    ['quotes', 'https://app.example.com/"onload="x'],
    ['angle brackets', 'https://app.example.com/<script>'],
    ['half an escape', 'https://app.example.com/%2'],
    ['an escaped host', 'https://%61pp.example.com/cb'],
    ['a host in numbers', 'https://3221225991/cb'],
    ['plain http', 'http://app.example.com/cb'],
    ['plain http to a private address', 'http://192.168.0.1/cb'],
    ['plain http to every address', 'http://0.0.0.0/cb'],
    ['loopback in numbers', 'http://2130706433/cb'],
    ['loopback in hex', 'http://0x7f.1/cb'],
    ['a host that starts like loopback', 'http://127.0.0.1.evil.example/cb'],
    ['a host that starts like localhost', 'http://localhost.evil.example/cb'],
    ['a port that is none', 'https://app.example.com:99999/cb'],
    ['javascript', 'javascript:alert(1)'],
    ['javascript in any case', 'JaVaScRiPt:alert(1)'],
    ['javascript with slashes', 'javascript://app.example.com/%0aalert(1)'],
    ['javascript behind a tab', 'java\tscript:alert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['Data', 'Data:text/html;base64,PHNjcmlwdD4='],
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

test.each([
  'https://app.example.com',
  'https://app.example.com:8443',
  'http://localhost:8080',
  'http://[::1]:3000',
])('the origin %s is taken', (origin) => expect(originProblem(origin)).toBeUndefined())

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

test.each(['abc', 'demo-spa', 'my.app_1~x', 'A'.repeat(100)])('%s can be a client id', (id) => {
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
])('%j can be no client id: it is odd, or could pass for a person', (id) => {
  expect(isClientId(id)).toBe(false)
})

const fieldsAtFault = (...args: Parameters<typeof settingsProblems>) =>
  settingsProblems(...args).flatMap((problem) => problem?.field ?? [])

test.each([
  [
    'an address twice',
    'WEB',
    { redirectUris: ['https://a.example/', 'https://a.example/'] },
    ['redirectUris.1'],
  ],
  ['no redirect address', 'SPA', { redirectUris: [] }, ['redirectUris']],
  [
    'more than fifty',
    'WEB',
    { postLogoutRedirectUris: Array.from({ length: 51 }, (_, i) => `https://a.example/${i}`) },
    ['postLogoutRedirectUris'],
  ],
  [
    'addresses of a machine',
    'MACHINE',
    {
      redirectUris: ['https://a.example/'],
      postLogoutRedirectUris: ['https://a.example/'],
      allowedOrigins: ['https://a.example'],
    },
    ['redirectUris', 'postLogoutRedirectUris', 'allowedOrigins'],
  ],
  [
    'scopes of a person for a machine',
    'MACHINE',
    { scopes: ['a', 'openid', 'offline_access'] },
    ['scopes.1', 'scopes.2'],
  ],
  [
    'a scope with a space',
    'WEB',
    { scopes: ['a b', 'a"b', 'a\\b', ''] },
    ['scopes.0', 'scopes.1', 'scopes.2', 'scopes.3'],
  ],
  ['no PKCE method', 'SPA', { pkceMethods: [] }, ['pkceMethods']],
  ['a name of spaces', 'WEB', { name: '   ' }, ['name']],
  ['a name of 121 characters', 'WEB', { name: '𝓍'.repeat(121) }, ['name']],
] as [string, 'SPA' | 'WEB' | 'MACHINE', Parameters<typeof settingsProblems>[1], string[]][])(
  'a client with %s is refused, and the fields are named',
  (_name, kind, settings, fields) => expect(fieldsAtFault(kind, settings)).toEqual(fields),
)

test('what an SPA or WEB client may say by default is no scope that a machine may', () => {
  expect(
    fieldsAtFault('WEB', { scopes: ['openid', 'profile', 'email', 'offline_access', 'invoices:read'] }),
  ).toEqual([])
  expect(fieldsAtFault('MACHINE', { scopes: ['licenses:read', 'admin'], redirectUris: [] })).toEqual([])
})
