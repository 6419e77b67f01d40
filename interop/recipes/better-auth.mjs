import { findMissingBrowser } from '../browser.mjs'
import { findMissingNpm } from '../npm.mjs'
import { tryRecipe } from '../recipe.mjs'
import { refreshTwice } from '../recipe-checks.mjs'

export const name = 'Recipe: Better Auth'
export const findMissing = async () => findMissingBrowser() ?? (await findMissingNpm())
export const run = (demo) => tryRecipe({ page: 'better-auth.md', ...demo, check: refreshTwice })
