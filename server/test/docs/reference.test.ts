import { createContext, Script } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Operation, type Reference, readReference } from '../../src/http/docs/reference/operations.ts'
import { createSampleRequest } from '../../src/http/docs/reference/request.ts'
import { LANGUAGES } from '../../src/http/docs/reference/samples.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let reference: Reference
beforeAll(async () => {
  service = await startService()
  reference = readReference((await (await fetch(`${service.url}/openapi.json`)).json()) as object)
})
afterAll(() => service?.close())

const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers })
const toText = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The section of an operation, until the next one. */
const sectionOf = (html: string, { id }: Operation) => {
  const start = html.indexOf(`<section class="operation" id="${id}"`)
  return start === -1 ? undefined : html.slice(start, html.indexOf('</section>', start))
}

test('the page of a resource shows every operation with its fields, errors and four examples, without script', async () => {
  let shown = 0
  for (const { path, operations } of reference.resources) {
    const html = await (await get(path)).text()
    for (const operation of operations) {
      const section = sectionOf(html, operation) ?? ''
      const text = toText(section)
      expect(text, operation.id).toContain(operation.path)
      for (const { name } of operation.parameters) expect(text, operation.id).toContain(name)
      for (const { code, meaning } of operation.errors) expect(text, operation.id).toContain(code + meaning)
      const request = createSampleRequest(operation, service.url)
      const [, forScript = ''] = /data-operation="([^"]*)"/.exec(section) ?? []
      expect(JSON.parse(toText(forScript)).body, operation.id).toEqual(request.body)
      for (const { id, write } of LANGUAGES) {
        expect(section, operation.id).toContain(`data-language="${id}"`)
        expect(text, `${operation.id} in ${id}`).toContain(write(request))
      }
      shown++
    }
  }
  expect(shown).toBeGreaterThan(140)
})

test('the overview links to every operation', async () => {
  const html = await (await get('/docs')).text()
  for (const { path, operations } of reference.resources) {
    for (const { id } of operations) expect(html).toContain(`href="${path}#${id}"`)
  }
})

test('every example in JavaScript is valid, and sends what the description says', async () => {
  for (const operation of reference.resources.flatMap(({ operations }) => operations)) {
    const request = createSampleRequest(operation, 'https://id.example.com')
    const code = LANGUAGES.find(({ id }) => id === 'javascript')?.write(request) ?? ''
    const sent: { url: string; options: { method?: string; body?: unknown } }[] = []
    const context = createContext({
      token: 'a-token',
      clientId: 'a',
      clientSecret: 'b',
      btoa,
      URLSearchParams,
      fetch: (url: string, options = {}) => {
        sent.push({ url, options })
        return { ok: true, json: () => ({}), text: () => '' }
      },
    })
    await new Script(`(async () => {\n${code}\n})()`).runInContext(context)
    const [{ url = '', options = {} } = {}] = sent
    expect(options.method ?? 'GET', operation.id).toBe(operation.method)
    expect(url, operation.id).not.toMatch(/[{}]/)
    if (request.mediaType === 'application/json') {
      expect(JSON.parse(String(options.body)), operation.id).toEqual(request.body)
    }
  }
})

test('the pages run own scripts only, and load nothing from other origins', async () => {
  for (const path of ['/docs', '/docs/licenses']) {
    const response = await get(path)
    const html = await response.text()
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; /,
    )
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(html).not.toMatch(/<script(?![^>]*src="\/assets\/)|<style|style="|(?:src|href)="(?:https?:)?\/\//)
  }
})

test('a page is compressed, and sent again only when it has changed', async () => {
  for (const path of ['/docs', '/docs/licenses', '/docs/search.json', '/openapi.json']) {
    const first = await get(path, { 'accept-encoding': 'br' })
    const plain = await get(path, { 'accept-encoding': 'identity' })
    expect(first.headers.get('content-encoding')).toBe('br')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await first.text()).toBe(await plain.text())
    expect(first.headers.get('cache-control')).toBe('no-cache')
    expect(first.headers.get('vary')).toBe('Accept-Encoding')
    const again = await get(path, { 'if-none-match': first.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
  }
})

test('the style sheet of the documentation is cached forever', async () => {
  const html = await (await get('/docs')).text()
  const [, path = ''] = /href="(\/assets\/docs\/docs-[0-9a-f]+\.css)"/.exec(html) ?? []
  const { status, headers } = await get(path)
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
})

test('the search entries name every operation, with its fields and errors', async () => {
  const entries = (await (await get('/docs/search.json')).json()) as { url: string; text: string; route: string }[]
  expect(entries.length).toBe(reference.resources.flatMap(({ operations }) => operations).length)
  const grant = entries.find(({ url }) => url === '/docs/licenses#grantLicense')
  expect(grant?.route).toBe('POST /api/integration/licenses/grant')
  for (const word of ['licenseTypeId', 'NO_SEATS_AVAILABLE', 'Idempotency-Key']) expect(grant?.text).toContain(word)
})
