import { execFileSync, spawnSync } from 'node:child_process'
import { extname } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { type Client, newClientDraft } from '../../../console/src/areas/instance/applications/clients/client-draft.ts'
import {
  applyLibrary,
  guessLibrary,
  redirectUriFor,
} from '../../../console/src/areas/instance/applications/clients/library-choice.ts'
import { findLibrary, LIBRARIES, sendsNonce } from '../../../console/src/text/libraries/libraries.ts'
import type { Library } from '../../../console/src/text/libraries/library.ts'
import type { SnippetFile, SnippetValues } from '../../../console/src/text/snippets/values.ts'
import { redirectProblem } from '../../src/applications/clients/addresses.ts'

const PORT = '49152'
const SECRET = "lks_it's-a-secret"

const urisOf = ({ redirectUris }: Library) => redirectUris.split('\n').filter(Boolean)

/** The usual redirect URI of the library, on a port that nothing else names. */
function redirectOf(library: Library, path?: string): string {
  const [uri = ''] = urisOf(library)
  if (!/^https?:/.test(uri)) return uri
  const url = new URL(uri)
  url.host = `localhost:${PORT}`
  if (path !== undefined && !library.fixedPath) url.pathname = path
  return url.href
}

const valuesOf = (library: Library, changes: Partial<SnippetValues> = {}): SnippetValues => ({
  issuer: 'https://id.acme.test',
  clientId: 'my-client',
  clientSecret: SECRET,
  applicationId: '0199c0de-0000-7000-8000-000000000001',
  redirectUri: redirectOf(library),
  postLogoutUri: `http://localhost:${PORT}/`,
  ofTenant: true,
  ...changes,
})

const codeOf = (library: Library, values: SnippetValues) =>
  library
    .snippet(values)
    .files.map(({ code }) => code)
    .join('\n')

const wholeTextOf = (library: Library, values: SnippetValues) => {
  const { files, run = '', next } = library.snippet(values)
  return [...files.flatMap(({ name, code }) => [name, code]), run, next].join('\n')
}

const getLibrary = (id: string): Library => {
  const library = findLibrary(id)
  if (!library) throw new Error(`${id} is not in the list`)
  return library
}

const byId = (library: Library) => [library.id, library] as const

describe('the facts about libraries', () => {
  test('each id and each name occurs once', () => {
    expect(LIBRARIES.length).toBeGreaterThanOrEqual(25)
    for (const key of ['id', 'name'] as const)
      expect(new Set(LIBRARIES.map((library) => library[key])).size).toBe(LIBRARIES.length)
  })

  test.each(LIBRARIES.map(byId))('%s is complete, and the service accepts its redirect addresses', (_, library) => {
    expect(library.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(library.keywords.trim()).not.toBe('')
    expect(urisOf(library).length > 0).toBe(library.kind !== 'MACHINE')
    for (const uri of urisOf(library)) expect(redirectProblem(uri, library.kind)).toBeUndefined()
    expect(library.nonce === 'none').toBe(library.kind === 'MACHINE')
  })

  // Verified in the source code of each. A library that learns to send a nonce must move.
  test('these send no nonce', () => {
    const ids = LIBRARIES.filter(({ nonce }) => nonce === 'never').map(({ id }) => id)
    expect(ids).toEqual(['django-allauth', 'laravel-socialite', 'php-league', 'grafana', 'mcp-server'])
  })

  const configured = LIBRARIES.filter(({ nonce }) => nonce === 'configured')
  test.each(configured.map(byId))('the code for %s turns the nonce on', (_, library) => {
    expect(codeOf(library, valuesOf(library))).toMatch(/nonce: crypto|'nonce'|skip_nonce = false/)
  })
})

describe('the code for a library', () => {
  test.each(LIBRARIES.map(byId))('of %s contains the values of the client', (_, library) => {
    const values = valuesOf(library)
    const text = wholeTextOf(library, values)
    expect(text).toContain(values.issuer)
    // An API needs the id of its application, unless its clients sign users in with the snippet.
    const isApiAlone = library.protectsApi && library.kind === 'MACHINE'
    expect(text).toContain(isApiAlone ? values.applicationId : values.clientId)
    if (library.protectsApi || library.kind === 'MACHINE') return
    const isWeb = values.redirectUri.startsWith('http')
    expect(text).toContain(isWeb ? PORT : values.redirectUri)
    if (!library.fixedPath) expect(text).toContain(isWeb ? new URL(values.redirectUri).pathname : values.redirectUri)
  })

  test.each(LIBRARIES.map(byId))('of %s has the secret only in the commands, and no placeholder', (_, library) => {
    const known = library.snippet(valuesOf(library))
    const unknown = library.snippet(valuesOf(library, { clientSecret: undefined }))
    const isConfidential = library.kind !== 'SPA' && !library.protectsApi
    expect(known.run?.includes('lks_it') ?? false).toBe(isConfidential)
    expect(unknown.run?.includes('your client secret') ?? false).toBe(isConfidential)
    expect(unknown.files).toEqual(known.files)
    const text = wholeTextOf(library, valuesOf(library))
    expect(text).not.toMatch(/\[object|\bNaN\b|\bundefined\b(?!,| \}\))/)
    expect(text).not.toMatch(/TODO|CHANGE_?ME|YOUR_|your[ -]client|<your/i)
    expect(text).not.toMatch(/\$\{(?!LATCHKEY_CLIENT_SECRET\})/)
    expect(codeOf(library, valuesOf(library))).not.toContain('example.com')
  })

  const inBothForms = LIBRARIES.flatMap((library) => {
    const usual = valuesOf(library)
    const unusual = valuesOf(library, {
      redirectUri: redirectOf(library, "/it's/here"),
      issuer: 'http://localhost:3000',
    })
    return [usual, unusual].flatMap((values) =>
      library
        .snippet(values)
        .files.map((file) => ({ title: `${library.id} ${file.name} ${values.redirectUri}`, file })),
    )
  })
  const parsed = inBothForms.filter(({ file }) => parserOf(file) !== undefined)
  test.each(parsed)('is valid: $title', ({ file }) => {
    expect(parserOf(file)?.(file.code)).toBe('')
  })

  test.each(LIBRARIES.map(byId))('of %s has commands that a shell can read', (_, library) => {
    const { run = '' } = library.snippet(valuesOf(library))
    expect(spawnSync('sh', ['-n'], { input: run, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('the choice of a library', () => {
  test('sets kind, addresses and nonce, and keeps addresses that a person has typed', () => {
    const draft = newClientDraft('SPA')
    const django = getLibrary('django-allauth')
    const chosen = { ...draft, ...applyLibrary(draft, undefined, django) }
    expect(chosen).toMatchObject({
      libraryId: 'django-allauth',
      kind: 'WEB',
      requireNonce: false,
      redirectUris: 'http://localhost:8000/accounts/oidc/latchkey/login/callback/',
      postLogoutRedirectUris: 'http://localhost:8000/',
      allowedOrigins: '',
    })
    const typed = { ...chosen, redirectUris: 'https://app.acme.test/callback' }
    const changed = { ...typed, ...applyLibrary(typed, django, getLibrary('react-oidc-context')) }
    expect(changed).toMatchObject({
      kind: 'SPA',
      requireNonce: true,
      redirectUris: 'https://app.acme.test/callback',
      allowedOrigins: 'http://localhost:5173',
    })
    const api = { ...changed, ...applyLibrary(changed, undefined, getLibrary('spring-resource-server')) }
    expect(api).toMatchObject({ kind: 'MACHINE', redirectUris: '', requireNonce: true, scopes: [] })
  })

  test.each(LIBRARIES.map(byId))('of %s requires a nonce if it sends one', (_, library) => {
    const { requireNonce } = applyLibrary(newClientDraft('SPA'), undefined, library)
    expect(requireNonce).toBe(library.kind === 'MACHINE' || sendsNonce(library))
  })

  test('is guessed for an existing client from a redirect path that only one library has', () => {
    const guess = (kind: Client['kind'], ...redirectUris: string[]) =>
      guessLibrary({ kind, redirectUris } as Client)?.id
    expect(guess('WEB', 'https://shop.acme.test/signin-oidc')).toBe('asp-net-core')
    expect(guess('WEB', 'https://shop.acme.test/callback')).toBe('openid-client')
    expect(guess('SPA', 'https://shop.acme.test/signin-oidc')).toBe('oauth4webapi')
    expect(guess('MACHINE')).toBe('fetch')
  })

  test('uses the redirect address of the client that fits the library, and names a missing one', () => {
    const grafana = getLibrary('grafana')
    const path = '/login/generic_oauth'
    const both = ['https://a.acme.test/x', `https://b.acme.test${path}`]
    expect(redirectUriFor(grafana, both)).toEqual({ uri: `https://b.acme.test${path}`, isRegistered: true })
    expect(redirectUriFor(grafana, ['https://a.acme.test/x'])).toEqual({
      uri: `https://a.acme.test${path}`,
      isRegistered: false,
    })
    expect(redirectUriFor(getLibrary('go-oidc'), both)).toEqual({ uri: both[0], isRegistered: true })
    const app = getLibrary('appauth-ios')
    expect(redirectUriFor(app, ['com.acme.app:/back'])).toEqual({ uri: 'com.acme.app:/back', isRegistered: true })
    expect(redirectUriFor(app, ['https://a.acme.test/x'])).toMatchObject({ isRegistered: false })
  })
})

type Parser = (code: string) => string

/** Returns the errors of a text. Undefined if there is no parser for the file on this machine. */
function parserOf({ name }: SnippetFile): Parser | undefined {
  return PARSERS[extname(name)]
}

const parseScript =
  (lang: 'js' | 'jsx' | 'ts'): Parser =>
  (code) =>
    parseSync(`file.${lang}`, code, { lang, sourceType: 'module' })
      .errors.map(({ message }) => message)
      .join('\n')

const without =
  (read: (code: string) => unknown): Parser =>
  (code) => {
    read(code)
    return ''
  }

/** A program that reads the text from standard input and fails if it is not valid. */
function program(command: string, ...args: string[]): Parser | undefined {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
  } catch (error) {
    // gofmt has no --version and exits with 2.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  }
  return (input) => {
    const { status, stderr } = spawnSync(command, args, { input, encoding: 'utf8' })
    return status === 0 ? '' : stderr || `exit status ${status}`
  }
}

const scriptOf = (html: string) => /<script type="module">(.*)<\/script>/s.exec(html)?.[1] ?? ''

const PARSERS: Record<string, Parser | undefined> = {
  '.mjs': parseScript('js'),
  '.js': parseScript('js'),
  '.jsx': parseScript('jsx'),
  '.ts': parseScript('ts'),
  '.html': (html) => parseScript('js')(scriptOf(html)),
  '.json': without(JSON.parse),
  '.yaml': without((text) => parseYaml(text)),
  '.sh': program('sh', '-n'),
  '.py': program('python3', '-c', 'import ast, sys; ast.parse(sys.stdin.read())'),
  '.cfg': program('python3', '-c', 'import sys, tomllib; tomllib.loads(sys.stdin.read())'),
  '.ini': program(
    'python3',
    '-c',
    'import configparser, sys; configparser.ConfigParser(interpolation=None).read_string(sys.stdin.read())',
  ),
  '.go': program('gofmt', '-e'),
  '.rs': program('rustfmt', '--edition', '2021'),
  '.rb': program('ruby', '-c'),
  '.php': program('php', '-l'),
}
