// What suites of recipes check besides sign-in, refresh and sign-out.
import { connect } from './demo-api.mjs'
import { control, refresh, signIn, startSignIn } from './sign-in.mjs'

/** Refreshes twice at the same time. The second refresh must not use the refresh token of the first. */
export async function refreshTwice({ page }) {
  const statuses = await page.evaluate(() => {
    // With the hidden fields of the form, such as a CSRF token.
    const body = new URLSearchParams(new FormData(document.querySelector('form[action="/refresh"]')))
    return Promise.all([1, 2].map(() => fetch('/refresh', { method: 'POST', body }).then(({ status }) => status)))
  })
  if (statuses.some((status) => status !== 200)) throw new Error(`Two refreshes at once were answered ${statuses}.`)
  await page.reload()
  await refresh(page)
  console.log('ok: two refreshes at the same time')
}

/** A race, so one round proves little. */
const ROUNDS = 5

/** Refreshes in two tabs of the browser at the same time. */
export async function refreshInTwoTabs({ page, appUrl }) {
  const other = await page.context().newPage()
  for (let round = 0; round < ROUNDS; round++) {
    // The tab reads the stored tokens while the first one renews them.
    await other.goto(appUrl)
    await Promise.all([refresh(page), refresh(other)])
  }
  await other.close()
  console.log('ok: two tabs refresh at the same time')
}

/** Ends the session at Latchkey, and expects that the program signs the user out at the next refresh. */
export async function refreshAfterEnd({ page, appUrl, url, provider }) {
  const context = await page.context().browser().newContext()
  try {
    const other = await context.newPage()
    await signIn(other, { appUrl, provider, userUrl: appUrl })
    const ended = await context.request.post(`${url}/api/auth/logout`, { headers: { Origin: url }, data: {} })
    if (!ended.ok()) throw new Error(`The sign-out at Latchkey was answered ${ended.status()}.`)
    await control(other, 'Refresh').click()
    await control(other, 'Sign in').waitFor()
  } finally {
    await context.close()
  }
  console.log('ok: signed out by a refresh after the session has ended')
}

/** Starts another sign-in, and expects that the library sends a PKCE challenge. */
export async function expectPkce({ page, appUrl }) {
  const context = await page.context().browser().newContext()
  try {
    const other = await context.newPage()
    await other.goto(appUrl)
    const sent = other.waitForRequest((request) => new URL(request.url()).pathname === '/oauth/authorize')
    await startSignIn(other)
    const { searchParams } = new URL((await sent).url())
    if (searchParams.get('code_challenge_method') !== 'S256' || !searchParams.get('code_challenge'))
      throw new Error('The authorization request has no PKCE challenge.')
  } finally {
    await context.close()
  }
  console.log('ok: PKCE with S256')
}

/** Shows that the client needs --no-require-nonce: without it, Latchkey refuses the request of the library. */
export async function expectNonceRefusal({ page, appUrl, url, clientId }) {
  const { asOperator } = await connect(url)
  const { clients } = await asOperator('GET', '/api/admin/clients?limit=100')
  const { id } = clients.find((client) => client.clientId === clientId)
  await asOperator('PATCH', `/api/admin/clients/${id}`, { requireNonce: true })
  const context = await page.context().browser().newContext()
  try {
    const other = await context.newPage()
    await other.goto(appUrl)
    const refused = other.waitForRequest((request) => isRefusal(new URL(request.url())))
    await startSignIn(other)
    await refused
  } finally {
    await context.close()
    await asOperator('PATCH', `/api/admin/clients/${id}`, { requireNonce: false })
  }
  console.log('ok: refused where a nonce is required')
}

const isRefusal = ({ searchParams }) =>
  searchParams.get('error') === 'invalid_request' && searchParams.get('error_description').includes('nonce')

/** How many times Latchkey has issued tokens for a grant type. */
export async function countIssued(url, grantType) {
  const metrics = await fetch(`${url}/metrics`).then((response) => response.text())
  const line = `latchkey_token_requests_total{grant_type="${grantType}",outcome="issued"} `
  return Number(
    metrics
      .split('\n')
      .find((text) => text.startsWith(line))
      .slice(line.length),
  )
}
