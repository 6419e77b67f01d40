import { findMissingBrowser } from '../browser.mjs'
import { findMissingNpm } from '../npm.mjs'
import { tryRecipe } from '../recipe.mjs'
import { refreshAfterEnd, refreshTwice } from '../recipe-checks.mjs'

export const name = 'Recipe: openid-client and Passport'
export const findMissing = async () => findMissingBrowser() ?? (await findMissingNpm())
export const run = (demo) => tryRecipe({ page: 'openid-client.md', ...demo, check })

async function check(signedIn) {
  await refreshTwice(signedIn)
  await refreshAfterEnd(signedIn)
}
