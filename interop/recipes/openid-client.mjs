import { findMissingBrowser } from '../browser.mjs'
import { findMissingNpm } from '../npm.mjs'
import { tryRecipe } from '../recipe.mjs'
import { refreshTwice } from '../recipe-checks.mjs'

export const name = 'Recipe: openid-client and Passport'
export const findMissing = async () => findMissingBrowser() ?? (await findMissingNpm())
export const run = (demo) => tryRecipe({ page: 'openid-client.md', ...demo, check: refreshTwice })
