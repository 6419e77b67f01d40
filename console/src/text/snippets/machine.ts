import { inShell, quote, type Snippet, type SnippetValues, secretOf } from './values.ts'

/** What a machine asks for once it has a token. */
interface Errand {
  file: string
  path: string
  /** Asks about somebody, who is named when it is run. */
  ofPerson: boolean
  next: string
}

export const CHECK: Errand = {
  file: 'check-license',
  path: '/api/integration/licenses/check',
  ofPerson: true,
  next: 'It says whether this person holds a license. The id is the “sub” of their token; you also find it under Users.',
}

export const TENANTS: Errand = {
  file: 'list-tenants',
  path: '/api/admin/tenants',
  ofPerson: false,
  next: 'It lists the tenants. The machine needs the scope “admin” for that.',
}

const runOf = (values: SnippetValues, { ofPerson }: Errand, command: string) =>
  `LATCHKEY_CLIENT_SECRET=${secretOf(values)} ${command}${ofPerson ? ' "id of a person"' : ''}`

export function inFetch(values: SnippetValues, errand: Errand): Snippet {
  const file = `${errand.file}.mjs`
  const question = errand.ofPerson
    ? `
// The person it is about.
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
// Good for as many seconds as expires_in says: keep it until then.
const { access_token, error_description } = await response.json()
if (!access_token) throw new Error(error_description)

const address = new URL(issuer + ${quote(errand.path)})${question}
const answer = await fetch(address, { headers: { Authorization: 'Bearer ' + access_token } })
console.log(JSON.stringify(await answer.json(), null, 2))
`
  return { tool: 'fetch', file, code, run: runOf(values, errand, `node ${file}`), next: errand.next }
}

export function inCurl(values: SnippetValues, errand: Errand): Snippet {
  const file = `${errand.file}.sh`
  const address = (path: string) => inShell(values.issuer + path)
  const question = errand.ofPerson
    ? `
  --get --data-urlencode ${inShell(`applicationId=${values.applicationId}`)} --data-urlencode "userId=$1" \\`
    : ''
  const code = `# Good for as many seconds as expires_in says: keep it until then.
TOKEN=$(curl -sS ${address('/api/oauth/token')} \\
  --user ${inShell(values.clientId)}":$LATCHKEY_CLIENT_SECRET" \\
  --data grant_type=client_credentials |
  sed -E 's/.*"access_token":"([^"]+)".*/\\1/')

curl -sS ${address(errand.path)} \\${question}
  --header "Authorization: Bearer $TOKEN"
`
  return { tool: 'curl', file, code, run: runOf(values, errand, `sh ${file}`), next: errand.next }
}
