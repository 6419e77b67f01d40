import { t } from '../translate.ts'
import { inShell, quote, type Snippet, type SnippetValues, withSecret } from './values.ts'

/** An API request of a machine client. */
interface MachineExample {
  file: string
  path: string
  /** The user id is a command-line argument. */
  perUser: boolean
  next: string
}

const CHECK: MachineExample = {
  file: 'check-license',
  path: '/api/integration/licenses/check',
  perUser: true,
  next: t(
    'It says whether this person holds a license. The id is the “sub” of their token; you also find it under Users.',
  ),
}

const TENANTS: MachineExample = {
  file: 'list-tenants',
  path: '/api/admin/tenants',
  perUser: false,
  next: t('It lists the tenants. The machine needs the scope “admin” for that.'),
}

/** Only a machine of the instance may list the tenants. */
const exampleOf = ({ ofTenant }: SnippetValues) => (ofTenant === false ? TENANTS : CHECK)

const toCommand = (values: SnippetValues, { perUser }: MachineExample, command: string) =>
  withSecret(values, `${command}${perUser ? ' "id of a person"' : ''}`)

export function inFetch(values: SnippetValues): Snippet {
  const example = exampleOf(values)
  const file = `${example.file}.mjs`
  const question = example.perUser
    ? `
// The user to check.
const [userId = ''] = process.argv.slice(2)
address.search = new URLSearchParams({ applicationId: ${quote(values.applicationId)}, userId })`
    : ''
  const code = `const issuer = ${quote(values.issuer)}

const response = await fetch(issuer + '/api/oauth/token', {
  method: 'POST',
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: ${quote(values.clientId)},
    client_secret: process.env.LATCHKEY_CLIENT_SECRET,
  }),
})
// Valid for expires_in seconds. Reuse it until then.
const { access_token, error_description } = await response.json()
if (!access_token) throw new Error(error_description)

const address = new URL(issuer + ${quote(example.path)})${question}
const answer = await fetch(address, { headers: { Authorization: 'Bearer ' + access_token } })
console.log(JSON.stringify(await answer.json(), null, 2))
`
  return { files: [{ name: file, code }], run: toCommand(values, example, `node ${file}`), next: example.next }
}

export function inCurl(values: SnippetValues): Snippet {
  const example = exampleOf(values)
  const file = `${example.file}.sh`
  const address = (path: string) => inShell(values.issuer + path)
  const question = example.perUser
    ? `
  --get --data-urlencode ${inShell(`applicationId=${values.applicationId}`)} --data-urlencode "userId=$1" \\`
    : ''
  const code = `# Valid for expires_in seconds. Reuse it until then.
TOKEN=$(curl -sS ${address('/api/oauth/token')} \\
  --user ${inShell(values.clientId)}":$LATCHKEY_CLIENT_SECRET" \\
  --data grant_type=client_credentials |
  sed -E 's/.*"access_token":"([^"]+)".*/\\1/')

curl -sS ${address(example.path)} \\${question}
  --header "Authorization: Bearer $TOKEN"
`
  return { files: [{ name: file, code }], run: toCommand(values, example, `sh ${file}`), next: example.next }
}
