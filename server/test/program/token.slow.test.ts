import { afterAll, beforeAll, expect, test } from 'vitest'
import { runToEnd } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const token = async (...flags: string[]) => {
  const args = ['token', '--user', 'mia@acme.test', '--client', 'demo-spa', '--url', service.url, ...flags]
  const { code, output } = await runToEnd(args)
  expect(code).toBe(0)
  return JSON.parse(output)
}

test.runIf(FULL)('latchkey token prints the tokens, and with --decode their claims instead', async () => {
  expect(await token()).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) })
  const { access_token, id_token, ...others } = await token('--decode')
  expect(others).toEqual({})
  expect(access_token.header.alg).toBe('RS256')
  expect(access_token.claims).toMatchObject({ iss: service.url, exp: expect.any(Number) })
  expect(id_token.claims).toMatchObject({ email: 'mia@acme.test', aud: 'demo-spa' })
})
