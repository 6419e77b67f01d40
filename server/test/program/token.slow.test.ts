import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DeviceReply, decide, setDeviceFlow } from '../oauth/device-steps.ts'
import { run, runToEnd } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { signIn, startDemoService } from '../support/world.ts'

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

const asDevice = (...flags: string[]) => ['token', '--device', '--client', 'demo-spa', '--url', service.url, ...flags]

test.runIf(FULL)('latchkey token --device prints the tokens of whoever allows it in a browser', async () => {
  expect(await runToEnd(asDevice())).toEqual({ code: 1, output: expect.stringContaining('The device was refused') })
  await setDeviceFlow(service, 'demo-spa', true)
  for (const decision of ['allow', 'refuse'] as const) {
    const program = run(asDevice('--decode'))
    await program.prints('Waiting')
    const steps = program.output()
    expect(steps).toContain(`Open ${service.url}/device in a browser`)
    const user_code = /code=(\S+)/.exec(steps)?.[1] ?? ''
    await decide(service.url, await signIn(service.url, 'mia@acme.test'), { user_code } as DeviceReply, decision)
    const { code } = await program.exited
    const output = program.output().slice(steps.length)
    expect(code).toBe(decision === 'allow' ? 0 : 1)
    if (decision === 'refuse') expect(output).toContain('The device was refused')
    else expect(JSON.parse(output).id_token.claims).toMatchObject({ email: 'mia@acme.test', aud: 'demo-spa' })
  }
})

test.runIf(FULL)('latchkey token needs either a demo account or --device', async () => {
  const neither = await runToEnd(['token', '--client', 'demo-spa', '--url', service.url])
  expect(neither).toEqual({ code: 1, output: expect.stringContaining('Add --user with a demo account, or --device.') })
  const both = await runToEnd(asDevice('--user', 'mia@acme.test'))
  expect(both).toEqual({ code: 1, output: expect.stringContaining('cannot be used with') })
})
