import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'

const PUBLIC = fileURLToPath(new URL('../../public/', import.meta.url))

let service: TestService
let shell: string
beforeAll(async () => {
  service = await startWorld()
  shell = await (await fetch(`${service.url}/console/`)).text()
})
afterAll(() => service?.close())

const filesIn = (html: string) =>
  [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path)

test('the console begins with at most 200 kB of script, compressed as by gzip', () => {
  const scripts = filesIn(shell).filter((path) => path.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(0)
  const sizes = scripts.map((path) => gzipSync(readFileSync(PUBLIC + path.replace('/console/', ''))).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200_000)
})

test('its files are kept for ever, and come in fewer bytes to whoever can read them', async () => {
  for (const path of filesIn(shell)) {
    const [small, plain] = await Promise.all(
      ['br', 'identity'].map((encoding) =>
        fetch(service.url + path, { headers: { 'accept-encoding': encoding } }),
      ),
    )
    expect(small?.headers.get('content-encoding')).toBe('br')
    expect(plain?.headers.get('content-encoding')).toBeNull()
    for (const answer of [small, plain]) {
      expect(answer?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(answer?.headers.get('vary')).toBe('Accept-Encoding')
    }
    expect(await small?.text()).toBe(await plain?.text())
  }
})

test('nothing in it comes from elsewhere', () => {
  for (const path of filesIn(shell)) expect(path).toMatch(/^\/console\/assets\/[\w-]+-[\w-]{8}\.(js|css)$/)
  expect(shell).not.toMatch(/https?:/)
  const styles = readdirSync(`${PUBLIC}assets`).filter((name) => name.endsWith('.css'))
  for (const name of styles)
    expect(readFileSync(`${PUBLIC}assets/${name}`, 'utf8')).not.toMatch(/url\(["']?https?:|@import/)
})

test('each answer has a number of its own for styles', async () => {
  const numbers = await Promise.all(
    [1, 2].map(async () => (await fetch(`${service.url}/console/`)).headers.get('content-security-policy')),
  )
  expect(numbers[0]).not.toBe(numbers[1])
})

test('a file that is not there is not answered with the page', async () => {
  expect((await fetch(`${service.url}/console/assets/index-00000000.js`)).status).toBe(404)
})
