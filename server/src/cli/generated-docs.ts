import { surface } from '../app.ts'
import { loadConfig, VARIABLES } from '../config.ts'
import { ERRORS } from '../errors.ts'
import { describeApi } from '../http/openapi.ts'

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
