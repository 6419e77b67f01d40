import { setTimeout as sleep } from 'node:timers/promises'
import { findMissingBrowser } from '../browser.mjs'
import { findMissingPip } from '../pip.mjs'
import { tryRecipe } from '../recipe.mjs'
import { countIssued, expectPkce } from '../recipe-checks.mjs'

export const name = 'Recipe: mozilla-django-oidc'
export const findMissing = async ({ folder }) => findMissingBrowser() ?? (await findMissingPip(folder))
export const run = (demo) =>
  tryRecipe({
    page: 'mozilla-django-oidc.md',
    canRefresh: false,
    env: { RENEW_SECONDS: '5' },
    check,
    ...demo,
  })

async function check(signedIn) {
  await expectPkce(signedIn)
  await renewSession(signedIn)
}

const TIMEOUT_MS = 60_000

/** The middleware of the library signs the user in again without a page, after RENEW_SECONDS. */
async function renewSession({ page, url }) {
  const before = await countIssued(url, 'authorization_code')
  for (const deadline = Date.now() + TIMEOUT_MS; (await countIssued(url, 'authorization_code')) === before; ) {
    if (Date.now() > deadline) throw new Error('The session was not renewed.')
    await sleep(200)
    await page.reload()
  }
  await page.getByText('Signed in as mia@acme.test').waitFor()
  console.log('ok: the session was renewed without a page')
}
