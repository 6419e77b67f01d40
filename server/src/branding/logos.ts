import type { StaticFolder } from '../http/routing/define-route.ts'
import { LOGO_PATH } from './service.ts'
import { findLogo } from './store.ts'

const HASH = /^[0-9a-f]{64}$/

/** Serves logos by the hash of their content, with the type that was determined from their bytes. */
export const logos: StaticFolder = {
  path: `${LOGO_PATH}/:hash`,
  param: 'hash',
  find: async (ctx, hash) => {
    const found = HASH.test(hash) ? await findLogo(ctx.db, hash) : undefined
    return found && { type: found.type, body: found.logo }
  },
}
