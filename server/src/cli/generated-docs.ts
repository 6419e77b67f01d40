import { surface } from '../app.ts'
import { loadConfig, VARIABLES } from '../config.ts'
import { ERRORS } from '../errors.ts'
import { describeApi } from '../http/openapi.ts'
import { PERMISSIONS, REACH } from '../tenants/permissions.ts'
import { describeEvents } from './event-docs.ts'

/** The documents made from the code, by file name. A test fails when the committed ones differ. */
export function generatedDocs(): Record<string, string> {
  // The demo's surface is the widest: it has the mailbox too.
  const config = loadConfig('demo', {})
  const { routes } = surface(config)
  const api = describeApi(routes, config.baseUrl)
  return {
    'openapi.json': `${JSON.stringify(api, null, 2)}\n`,
    'errors.md': describeErrors(),
    'configuration.md': describeConfiguration(),
    'roles.md': describeRoles(),
    'events.md': describeEvents(),
  }
}

const describeErrors = () =>
  [
    '# Errors',
    '',
    'Every error of the JSON routes has this body. `error` is stable; `message` is for people and may change.',
    '',
    '```json',
    '{ "statusCode": 404, "error": "NOT_FOUND", "message": "There is nothing at this address.", "requestId": "…" }',
    '```',
    '',
    '`VALIDATION_FAILED` adds `details`, a list of `{ "field", "message" }`.',
    '',
    '| Status | Error | Meaning |',
    '| --- | --- | --- |',
    ...Object.entries(ERRORS).map(
      ([code, [status, sentence]]) => `| ${status} | \`${code}\` | ${sentence} |`,
    ),
    '',
  ].join('\n')

const describeConfiguration = () =>
  [
    '# Configuration',
    '',
    'All settings come from the environment. `latchkey doctor` shows what is set and what is wrong.',
    '',
    '| Variable | Meaning (default) |',
    '| --- | --- |',
    ...Object.entries(VARIABLES).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
    '',
  ].join('\n')

const describeRoles = () => {
  const roles = Object.keys(REACH) as (keyof typeof REACH)[]
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  const head = (first: string) => [row([first, ...roles]), row(['---', ...roles.map(() => '---')])]
  return [
    '# Roles in a tenant',
    '',
    'These are the tables that the service itself reads. Only ACTIVE members have a role; to everybody else, Super Admins included,',
    'every door of a tenant is closed (403).',
    '',
    'With `mfaPolicy: REQUIRED` everything but leaving takes a second factor as well (403 `MFA_REQUIRED`).',
    '',
    ...head('What one may do'),
    ...Object.values(PERMISSIONS).map(({ what, roles: allowed }) =>
      row([what, ...roles.map((role) => ((allowed as readonly string[]).includes(role) ? 'yes' : ''))]),
    ),
    '',
    'Whom one may change, remove or invite, and which roles one may give:',
    '',
    ...head('Over'),
    ...roles.map((over) => row([over, ...roles.map((role) => (REACH[role].includes(over) ? 'yes' : ''))])),
    '',
  ].join('\n')
}
