import { existsSync } from 'node:fs'
import { findMissingBrowser } from '../browser.mjs'
import { tryRecipe } from '../recipe.mjs'

const FILES = ['/usr/sbin/apache2', '/usr/lib/apache2/modules/mod_auth_openidc.so']

export const name = 'Recipe: mod_auth_openidc (Apache)'

export const findMissing = () =>
  FILES.every((path) => existsSync(path))
    ? findMissingBrowser()
    : 'Apache with mod_auth_openidc is not installed (Debian packages apache2 and libapache2-mod-auth-openidc).'

export const run = (demo) => tryRecipe({ page: 'mod-auth-openidc.md', ...demo, userPath: 'private/' })
