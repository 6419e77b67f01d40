import { createHash } from 'node:crypto'

/** Allows for the noise of a shared machine, in times. */
export const TOLERANCE = 1.2

/** Times in milliseconds, for a processor slowed four times and slow 4G; kilobytes as transferred. */
export const BUDGETS = {
  signIn: { lcp: 800, blocking: 300, requests: 11, kilobytes: 46 },
  console: { lcp: 2_500, blocking: 300, requests: 28, kilobytes: 330 },
}

const VERIFIER = 'a'.repeat(43)

/** The authorization request of the demo application. */
const AUTHORIZE = `/oauth/authorize?${new URLSearchParams({
  client_id: 'demo-spa',
  redirect_uri: 'http://localhost:8080/callback',
  response_type: 'code',
  scope: 'openid profile email',
  state: 'state',
  nonce: 'nonce',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
})}`

/** What is opened, by whom, and what shows that it is complete. */
export const PAGES = [
  { name: 'Sign-in', kind: 'signIn', path: AUTHORIZE, complete: 'input[name=email]' },
  {
    name: 'Console: members',
    kind: 'console',
    email: 'olivia@acme.test',
    path: '/console/t/acme/members',
    complete: '#content tbody tr:nth-child(20)',
  },
  {
    name: 'Console: licenses',
    kind: 'console',
    email: 'olivia@acme.test',
    path: '/console/t/acme/licenses/project-manager',
    complete: '#content tbody tr:nth-child(20)',
  },
  {
    name: 'Console: instance',
    kind: 'console',
    email: 'admin@latchkey.test',
    path: '/console/instance',
    complete: '#content .example-data, #content svg[role=img]',
  },
]
