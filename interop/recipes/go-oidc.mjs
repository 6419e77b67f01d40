import { findMissingBrowser } from '../browser.mjs'
import { findMissingGo } from '../go-tools.mjs'
import { tryRecipe } from '../recipe.mjs'
import { expectPkce, refreshAfterEnd, refreshTwice } from '../recipe-checks.mjs'

export const name = 'Recipe: go-oidc and x/oauth2'
// crypto/rand.Text is new in Go 1.24.
export const findMissing = async () =>
  findMissingBrowser() ?? (await findMissingGo({ minMinor: 24, module: 'github.com/coreos/go-oidc/v3@latest' }))
export const run = (demo) => tryRecipe({ page: 'go-oidc.md', check, ...demo })

async function check(signedIn) {
  await expectPkce(signedIn)
  await refreshTwice(signedIn)
  await refreshAfterEnd(signedIn)
}
