import { findMissingBrowser } from '../browser.mjs'
import { findMissingNpm } from '../npm.mjs'
import { tryRecipe } from '../recipe.mjs'
import { refreshAfterEnd, refreshTwice } from '../recipe-checks.mjs'

export const name = 'Recipe: Auth.js with Next.js'
export const findMissing = async () => findMissingBrowser() ?? (await findMissingNpm())
export const run = (demo) => tryRecipe({ page: 'next-auth.md', ...demo, check, env: { NEXT_TELEMETRY_DISABLED: '1' } })

async function check(signedIn) {
  await refreshTwice(signedIn)
  await refreshAfterEnd(signedIn)
}
