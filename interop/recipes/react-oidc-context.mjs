import { findMissingBrowser } from '../browser.mjs'
import { findMissingNpm } from '../npm.mjs'
import { tryRecipe } from '../recipe.mjs'
import { refreshAfterEnd, refreshInTwoTabs } from '../recipe-checks.mjs'

export const name = 'Recipe: react-oidc-context'
export const findMissing = async () => findMissingBrowser() ?? (await findMissingNpm())
export const run = (demo) => tryRecipe({ page: 'react-oidc-context.md', ...demo, check })

async function check(signedIn) {
  await refreshInTwoTabs(signedIn)
  await refreshAfterEnd(signedIn)
}
