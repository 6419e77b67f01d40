import { findMissingBrowser } from '../browser.mjs'
import { findMissingNpm } from '../npm.mjs'
import { tryRecipe } from '../recipe.mjs'
import { refreshAfterEnd, refreshTwice } from '../recipe-checks.mjs'

export const name = 'Recipe: Better Auth'
export const findMissing = async () => findMissingBrowser() ?? (await findMissingNpm())
export const run = (demo) => tryRecipe({ page: 'better-auth.md', ...demo, check })

async function check(signedIn) {
  await refreshTwice(signedIn)
  await refreshAfterEnd(signedIn)
}
