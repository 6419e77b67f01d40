import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { toFormTarget } from '../../src/oauth/authorize-response.tsx'
import type { TestService } from '../support/service.ts'
import { admin, authorize, CALLBACK, changeClient, exchange, signIn, startDemoService } from '../support/world.ts'

let service: TestService
let url: string
let cookie: string

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
})
afterAll(() => service.close())
beforeEach(() => setResponseModes(['query', 'form_post']))

const setResponseModes = (responseModes: string[]) => changeClient(service, 'demo-spa', { responseModes })

const readMetadata = async () =>
  (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as { response_modes_supported: string[] }

/** The action and the hidden fields of the page that posts the response. */
async function readForm(response: Response) {
  const html = await response.text()
  const decodeHtml = (text = '') => text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  return {
    action: decodeHtml(/<form method="post" action="([^"]+)"/.exec(html)?.[1]),
    fields: Object.fromEntries(fields.map(([, name, value]) => [name, decodeHtml(value)])) as Record<string, string>,
  }
}

test('with response_mode=form_post the code is in a form that the browser posts', async () => {
  const state = `st"><script>&'`
  const { response } = await authorize(url, cookie, { response_mode: 'form_post', state })
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('content-security-policy')).toContain("form-action 'self' http://localhost:8080")
  const { action, fields } = await readForm(response)
  expect(action).toBe(CALLBACK)
  expect(fields).toEqual({ code: expect.any(String), state, iss: url })
  expect((await exchange(url, fields.code)).status).toBe(200)
})

test('an error is posted too', async () => {
  const { response } = await authorize(url, '', { response_mode: 'form_post', prompt: 'none' })
  const { action, fields } = await readForm(response)
  expect(action).toBe(CALLBACK)
  expect(fields).toMatchObject({ error: 'login_required', state: 'st', iss: url })
})

test.each(['fragment', 'form_post.jwt', 'FORM_POST'])('response_mode=%s is invalid_request', async (response_mode) => {
  const { answer } = await authorize(url, cookie, { response_mode })
  expect(answer).toMatchObject({ error: 'invalid_request', state: 'st' })
})

test('a client receives responses only in its response modes', async () => {
  await setResponseModes(['query'])
  expect((await authorize(url, cookie, { response_mode: 'form_post' })).answer).toMatchObject({
    error: 'invalid_request',
    error_description: 'The response_mode must be query, as set for the client.',
  })
  await setResponseModes(['form_post'])
  expect((await authorize(url, cookie)).answer).toMatchObject({
    error_description: 'The response_mode must be form_post, as set for the client.',
  })
})

test('the metadata lists form_post only while an enabled client may use it', async () => {
  expect((await readMetadata()).response_modes_supported).toEqual(['query', 'form_post'])
  await setResponseModes(['query'])
  await expect.poll(async () => (await readMetadata()).response_modes_supported).toEqual(['query'])
  const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', { name: 'Form post' })
  const client = { applicationId, kind: 'WEB', name: 'Web', redirectUris: [CALLBACK], responseModes: ['form_post'] }
  const { id } = await admin<{ id: string }>(url, '/api/admin/clients', client)
  await expect.poll(async () => (await readMetadata()).response_modes_supported).toContain('form_post')
  await admin(url, `/api/admin/clients/${id}`, { disabled: true }, 'PATCH')
  await expect.poll(async () => (await readMetadata()).response_modes_supported).toEqual(['query'])
})

test('at least one response mode is required', async () => {
  await expect(setResponseModes([])).rejects.toThrow()
})

test('the policy of the page allows the redirect URI, by its scheme where it is an IPv6 address', () => {
  expect(toFormTarget('http://127.0.0.1:4000/callback')).toBe('http://127.0.0.1:4000')
  expect(toFormTarget('http://[::1]:4000/callback')).toBe('http:')
  expect(toFormTarget('com.example.app:/callback')).toBe('com.example.app:')
})
