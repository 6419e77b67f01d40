import { findMissingBrowser } from '../browser.mjs'
import { findMissingGo } from '../go-tools.mjs'
import { readRecipe, tryRecipe } from '../recipe.mjs'
import { expectPkce } from '../recipe-checks.mjs'

export const name = 'Recipe: oauth2-proxy'
export const findMissing = async () =>
  findMissingBrowser() ?? (await findMissingGo({ minMinor: 25, module: findModule() }))
export const run = (demo) => tryRecipe({ page: 'oauth2-proxy.md', canRefresh: false, check, ...demo })

const findModule = () => /-require=(\S+)/.exec(readRecipe('oauth2-proxy.md').install)[1]

async function check(signedIn) {
  await expectPkce(signedIn)
  await readReport(signedIn)
}

/** The report is for signed-in users. Without a cookie of the proxy, Latchkey signs the user in again without a page. */
async function readReport({ page, appUrl, url }) {
  const address = `${appUrl}report.html`
  const { status, headers } = await fetch(address, { redirect: 'manual' })
  if (status !== 302 || !headers.get('location').startsWith(`${url}/oauth/authorize?`))
    throw new Error(`Without a sign-in, the report was answered ${status}.`)
  await page.context().clearCookies({ name: /^_oauth2_proxy/ })
  await page.goto(address)
  await page.getByText('Only signed-in users can read this report.').waitFor()
  await page.goto(appUrl)
  console.log('ok: the report is for signed-in users')
}
