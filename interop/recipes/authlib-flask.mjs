import { findMissingBrowser } from '../browser.mjs'
import { findMissingPip } from '../pip.mjs'
import { tryRecipe } from '../recipe.mjs'
import { expectPkce, refreshAfterEnd, refreshTwice } from '../recipe-checks.mjs'

export const name = 'Recipe: Authlib with Flask'
export const findMissing = async ({ folder }) => findMissingBrowser() ?? (await findMissingPip(folder))
export const run = (demo) => tryRecipe({ page: 'authlib-flask.md', check, ...demo })

async function check(signedIn) {
  await expectPkce(signedIn)
  await refreshTwice(signedIn)
  await refreshAfterEnd(signedIn)
}
