import { findMissingBrowser } from '../browser.mjs'
import { findMissingPip } from '../pip.mjs'
import { tryRecipe } from '../recipe.mjs'
import { renewBySilentSignIn } from '../silent-sign-in.mjs'

export const name = 'Recipe: mozilla-django-oidc'
export const findMissing = async ({ folder }) => findMissingBrowser() ?? (await findMissingPip(folder))
export const run = (demo) =>
  tryRecipe({
    page: 'mozilla-django-oidc.md',
    canRefresh: false,
    // The middleware renews the session at almost every request.
    env: { RENEW_SECONDS: '1' },
    check: renewBySilentSignIn,
    ...demo,
  })
