import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(service.url + path, { method, headers })

describe('an address that does not exist', () => {
  test.each(['/nope', '/console-of-old', '/api/nope'])('is a page for a browser: %s', async (path) => {
    const response = await get(path, { accept: BROWSER })
    const html = await response.text()
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('vary')).toBe('Accept, Accept-Language, Cookie')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; style-src 'self'/)
    expect(html).toContain('<h1>Page not found</h1>')
    expect(html).toContain(`<code>${response.headers.get('x-request-id')}</code>`)
    expect(html).toContain('href="/account"')
    expect(html).not.toContain('<script')
  })

  test.each(['', '*/*', 'application/json'])('is JSON for a program that accepts %j', async (accept) => {
    const response = await get('/nope', { accept })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toMatchObject({ statusCode: 404, error: 'NOT_FOUND', requestId: expect.any(String) })
  })

  test('is JSON for another method than GET', async () => {
    expect((await get('/nope', { accept: BROWSER }, 'POST')).headers.get('content-type')).toContain('application/json')
  })

  test('shows nothing of the address', async () => {
    expect(await (await get('/%3Cscript%3Ehaunted', { accept: BROWSER })).text()).not.toContain('haunted')
  })
})

describe('an error of a page', () => {
  test('says what happened, with a reference and a way on', async () => {
    const response = await get('/oauth/authorize/continue', { accept: BROWSER })
    const html = await response.text()
    expect(response.status).toBe(400)
    expect(html).toContain('<h1>That did not work</h1>')
    expect(html).toMatch(/role="alert">This sign-in has taken too long/)
    expect(html).toContain(`<code>${response.headers.get('x-request-id')}</code>`)
    expect(html).toContain('href="/account"')
    expect(html).not.toContain('Try again</a>')
  })

  test('that may pass offers to try again', async () => {
    const lonely = await startService()
    await lonely.connection.close()
    const response = await fetch(`${lonely.url}/oauth/authorize?client_id=demo-spa`)
    const html = await response.text()
    await lonely.close()
    expect(response.status).toBe(500)
    expect(html).toContain('<h1>Something went wrong here</h1>')
    expect(html).toContain('href="/oauth/authorize?client_id=demo-spa"')
  })
})
