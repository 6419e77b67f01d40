import { findMissingBrowser } from '../browser.mjs'
import { findMissingNpm } from '../npm.mjs'
import { tryRecipe } from '../recipe.mjs'
import { refreshAfterEnd, refreshInTwoTabs } from '../recipe-checks.mjs'

export const name = 'Recipe: oidc-client-ts'
export const findMissing = async () => findMissingBrowser() ?? (await findMissingNpm())
export const run = (demo) => tryRecipe({ page: 'oidc-client-ts.md', ...demo, check })

async function check(signedIn) {
  await refreshInTwoTabs(signedIn)
  await refreshAfterEnd(signedIn)
}
