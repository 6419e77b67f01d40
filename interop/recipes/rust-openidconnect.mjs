import { findMissingBrowser } from '../browser.mjs'
import { findOutput } from '../commands.mjs'
import { tryRecipe } from '../recipe.mjs'
import { refreshAfterEnd, refreshTwice } from '../recipe-checks.mjs'

export const name = 'Recipe: openidconnect (Rust)'

export async function findMissing() {
  if ((await findOutput('cargo', ['--version'])) === undefined) return 'Rust is not installed (https://rustup.rs).'
  if ((await findOutput('cargo', ['info', 'openidconnect'])) === undefined)
    return 'cargo is older than 1.82, or cannot reach a package registry.'
  return findMissingBrowser()
}

export const run = (demo) => tryRecipe({ page: 'rust-openidconnect.md', ...demo, check })

async function check(signedIn) {
  await refreshTwice(signedIn)
  await refreshAfterEnd(signedIn)
}
