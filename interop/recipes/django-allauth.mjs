import { findMissingBrowser } from '../browser.mjs'
import { findMissingPip } from '../pip.mjs'
import { tryRecipe } from '../recipe.mjs'
import { expectNonceRefusal, expectPkce } from '../recipe-checks.mjs'

export const name = 'Recipe: django-allauth'
export const findMissing = async ({ folder }) => findMissingBrowser() ?? (await findMissingPip(folder))
export const run = (demo) =>
  tryRecipe({
    page: 'django-allauth.md',
    canRefresh: false,
    signOutAsks: true,
    check,
    ...demo,
  })

async function check(signedIn) {
  await expectPkce(signedIn)
  await expectNonceRefusal(signedIn)
}
