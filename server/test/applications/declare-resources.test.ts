import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { apply as applyYaml, exportAll } from '../declaration/apply-yaml.ts'
import { startService } from '../support/service.ts'

let ctx: Ctx
let close: () => Promise<void>
beforeAll(async () => {
  ;({ ctx, close } = await startService())
})
afterAll(() => close())

const apply = (yaml: string, prune = false) => applyYaml(ctx, yaml, { prune })

const URI = 'https://api.example.com/reports'
const APPLICATIONS = `
applications:
  - { slug: shop, name: Shop }
  - { slug: partner, name: Partner }
clients:
  - { clientId: partner-bot, application: partner, kind: MACHINE, name: Bot }
`
const resource = (fields: string) => `resources:\n  - { uri: '${URI}', name: Reports, ${fields} }\n`

test('a declaration creates a resource with its references, and a second run changes nothing', async () => {
  const yaml = APPLICATIONS + resource('application: shop, scopes: [reports:read], allowedClients: [partner-bot]')
  expect(await apply(yaml)).toContain(
    `  + resource ${URI}\n      application: "shop"\n      name: "Reports"\n      scopes: ["reports:read"]\n      allowedClients: ["partner-bot"]\n`,
  )
  expect(await apply(yaml)).toBe('Nothing to change.')
})

test('it changes settings, and leaves omitted ones as they are', async () => {
  expect(await apply(resource('application: shop, scopes: [reports:read, reports:write]'))).toContain(
    `  ~ resource ${URI}\n      scopes: ["reports:read"] → ["reports:read","reports:write"]\n`,
  )
  const exported = await exportAll(ctx)
  expect(exported).toContain(URI)
  expect(await apply(exported)).toBe('Nothing to change.')
  expect(exported).toMatch(/allowedClients:[\s[-]+partner-bot/)
})

test.each([
  ['application: partner', 'cannot become partner'],
  ['application: nobody', 'there is no such application'],
  ['application: shop, scopes: [openid]', 'scopes.0 is a scope of Latchkey itself'],
  ['application: shop, allowedClients: [nobody]', 'allowedClients.0 is not the id of a client'],
])('a declaration with %s is refused', async (fields, reason) => {
  await expect(apply(resource(fields))).rejects.toThrow(reason)
})

test('a resource that is no longer declared is deleted with --prune only', async () => {
  expect(await apply('resources: []')).toContain(`= resource ${URI}: not declared, kept`)
  expect(await apply('resources: []', true)).toContain(`- resource ${URI}\n      of shop; the tokens for it end`)
  expect(await exportAll(ctx)).not.toContain(URI)
})
