import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'

const PUBLIC = fileURLToPath(new URL('../../public/', import.meta.url))

let service: TestService
let shell: string
beforeAll(async () => {
  service = await startDemoService()
  shell = await (await fetch(`${service.url}/console/`)).text()
})
afterAll(() => service?.close())

const findAssets = (html: string) =>
  [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path)

test('the initial scripts of the console have at most 242 kB with gzip', () => {
  const scripts = findAssets(shell).filter((path) => path.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(0)
  const sizes = scripts.map((path) => gzipSync(readFileSync(PUBLIC + path.replace('/console/', ''))).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(242_000)
})

test('assets are cached as immutable and served with Brotli if accepted', async () => {
  for (const path of findAssets(shell)) {
    const [compressed, plain] = await Promise.all(
      ['br', 'identity'].map((encoding) => fetch(service.url + path, { headers: { 'accept-encoding': encoding } })),
    )
    expect(compressed?.headers.get('content-encoding')).toBe('br')
    expect(plain?.headers.get('content-encoding')).toBeNull()
    for (const response of [compressed, plain]) {
      expect(response?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response?.headers.get('vary')).toBe('Accept-Encoding')
    }
    expect(await compressed?.text()).toBe(await plain?.text())
  }
})

test('the console loads no files from other origins', () => {
  for (const path of findAssets(shell)) expect(path).toMatch(/^\/console\/assets\/[\w-]+-[\w-]{8}\.(js|css)$/)
  expect(shell).not.toMatch(/https?:/)
  const styles = readdirSync(`${PUBLIC}assets`).filter((name) => name.endsWith('.css'))
  for (const name of styles)
    expect(readFileSync(`${PUBLIC}assets/${name}`, 'utf8')).not.toMatch(/url\(["']?https?:|@import/)
})

test('each response has a new style nonce', async () => {
  const policies = await Promise.all(
    [1, 2].map(async () => (await fetch(`${service.url}/console/`)).headers.get('content-security-policy')),
  )
  expect(policies[0]).not.toBe(policies[1])
})

test('a missing asset is answered with 404 and not with the page', async () => {
  expect((await fetch(`${service.url}/console/assets/index-00000000.js`)).status).toBe(404)
})
