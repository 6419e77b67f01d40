import { listRoutes } from '../app.ts'
import { type Config, loadConfig, VARIABLES } from '../config.ts'
import { ERRORS } from '../errors.ts'
import { describeApi } from '../http/docs/openapi.ts'
import { MANAGEABLE_ROLES, PERMISSIONS } from '../tenants/permissions.ts'
import { createEventDocs } from './event-docs.ts'

/** A configuration with all routes: the demo has the mailbox. */
export const documentedConfig = (): Config => loadConfig('demo', { CLIENT_REGISTRATION: 'open', SUPPORT_ACCESS: 'on' })

/** The generated documents by file name. A test fails when the committed ones differ. */
export function generatedDocs(): Record<string, string> {
  const config = documentedConfig()
  const { routes } = listRoutes(config)
  const api = describeApi(routes, config.baseUrl)
  return {
    'openapi.json': `${JSON.stringify(api, null, 2)}\n`,
    'errors.md': createErrorDocs(),
    'configuration.md': createConfigurationDocs(),
    'roles.md': createRoleDocs(),
    'events.md': createEventDocs(),
  }
}

const createErrorDocs = () =>
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
    ...Object.entries(ERRORS).map(([code, [status, sentence]]) => `| ${status} | \`${code}\` | ${sentence} |`),
    '',
  ].join('\n')

const createConfigurationDocs = () =>
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

const createRoleDocs = () => {
  const roles = Object.keys(MANAGEABLE_ROLES) as (keyof typeof MANAGEABLE_ROLES)[]
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  const head = (first: string) => [row([first, ...roles]), row(['---', ...roles.map(() => '---')])]
  return [
    '# Roles in a tenant',
    '',
    'The service itself uses these tables. Only ACTIVE members have a role; everybody else, including Super Admins,',
    'gets 403 from every route of a tenant.',
    '',
    'With `mfaPolicy: REQUIRED` everything except leaving requires a second factor as well (403 `MFA_REQUIRED`).',
    '',
    ...head('Permission'),
    ...Object.values(PERMISSIONS).map(({ what, roles: allowed }) =>
      row([what, ...roles.map((role) => ((allowed as readonly string[]).includes(role) ? 'yes' : ''))]),
    ),
    '',
    'Roles that each role may change, remove, invite and assign:',
    '',
    ...head('Role'),
    ...roles.map((over) => row([over, ...roles.map((role) => (MANAGEABLE_ROLES[role].includes(over) ? 'yes' : ''))])),
    '',
  ].join('\n')
}
