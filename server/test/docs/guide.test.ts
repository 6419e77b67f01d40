import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Guide, listPages, loadGuide } from '../../src/http/guide/content.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let guide: Guide
beforeAll(async () => {
  service = await startService()
  guide = loadGuide()
})
afterAll(() => service?.close())

const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers })

test('every file of docs, of its recipes and of its decisions is a page of one topic', () => {
  const names = listPages(guide).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBe(guide.pages.size)
  const folders = { '': '', 'recipes/': 'recipes', 'decisions/': 'decisions' }
  for (const [prefix, folder] of Object.entries(folders)) {
    const files = readdirSync(new URL(`../../../docs/${folder}`, import.meta.url)).filter((file) =>
      file.endsWith('.md'),
    )
    for (const file of files) {
      expect(names).toContain(file === 'README.md' ? folder : prefix + file.replace('.md', ''))
    }
  }
})

test('every link leads to a page, to a heading of it, or to another site', async () => {
  const targets = new Map<string, string>()
  const read = async (path: string) => {
    if (!targets.has(path)) {
      const response = await get(path)
      targets.set(path, response.ok ? await response.text() : '')
    }
    return targets.get(path) ?? ''
  }
  for (const { name } of guide.pages.values()) {
    const path = `/guide/${name}`
    const html = await read(path)
    for (const [, link = ''] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
      const { origin, pathname, hash } = new URL(link, service.url + path)
      if (origin !== service.url || ['/', '/docs'].includes(pathname)) continue
      const target = await read(pathname)
      expect(target, `${link} in ${path}`).not.toBe('')
      if (hash) expect(target, `${link} in ${path}`).toContain(`id="${decodeURIComponent(hash.slice(1))}"`)
    }
  }
})

test('a page has its topic, the pages before and after it, and headings that can be linked to', async () => {
  const html = await (await get('/guide/webhooks')).text()
  expect(html).toContain('<p class="topic">Events and audit</p><h1>Webhooks')
  expect(html).toMatch(/rel="prev">.*rel="next">/s)
  const [heading] = guide.pages.get('webhooks')?.headings ?? []
  expect(html).toContain(`<h2 id="${heading?.id}"`)
  expect(html).toContain(`<li><a href="#${heading?.id}">`)
})

test('the pages run own scripts only, and are compressed and sent again only after a change', async () => {
  for (const path of ['/guide', '/guide/events', '/guide/recipes/spring', '/guide/search.json']) {
    const first = await get(path, { 'accept-encoding': 'br' })
    const html = await first.text()
    expect(html).toBe(await (await get(path, { 'accept-encoding': 'identity' })).text())
    expect(first.headers.get('content-encoding')).toBe('br')
    expect(first.headers.get('content-security-policy')).not.toContain('unsafe')
    if (!path.endsWith('.json')) {
      expect(html).not.toMatch(/<script(?![^>]*src="\/assets\/)|<style|style="|<(?:img|link|script)[^>]*="https?:/)
    }
    const again = await get(path, { 'if-none-match': first.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
  }
})

test('HTML in a Markdown file is shown as text', async () => {
  const html = await (await get('/guide/recipes/auth-js')).text()
  expect(html).not.toContain('<form method="post" action="/refresh">')
})

test('an unknown page is not found', async () => {
  for (const path of ['/guide/nothing', '/guide/', '/guide/../package.json', '/guide/__proto__']) {
    expect((await get(path)).status, path).toBe(404)
  }
})

test('the script of the documentation is built, and cached forever', async () => {
  const html = await (await get('/guide')).text()
  const [, path = ''] = /src="(\/assets\/docs\/docs-[0-9a-f]+\.js)"/.exec(html) ?? []
  const [compressed, plain] = await Promise.all(
    ['br', 'identity'].map((name) => get(path, { 'accept-encoding': name })),
  )
  expect(compressed?.headers.get('content-encoding')).toBe('br')
  expect(compressed?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(await compressed?.text()).toBe(await plain?.text())
})
