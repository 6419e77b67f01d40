import { findMissingBrowser } from '../browser.mjs'
import { findMissingNpm } from '../npm.mjs'
import { tryRecipe } from '../recipe.mjs'
import { refreshAfterEnd, refreshTwice } from '../recipe-checks.mjs'

export const name = 'Recipe: Auth.js'
export const findMissing = async () => findMissingBrowser() ?? (await findMissingNpm())
export const run = (demo) => tryRecipe({ page: 'auth-js.md', ...demo, check, provider: 'Sign in with Latchkey' })

async function check(signedIn) {
  await refreshTwice(signedIn)
  await refreshAfterEnd(signedIn)
}
