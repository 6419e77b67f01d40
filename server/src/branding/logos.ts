import type { Shelf } from '../http/define-route.ts'
import { LOGO_PATH } from './service.ts'
import { findLogo } from './store.ts'

const HASH = /^[0-9a-f]{64}$/

/** Logos by their content. Whatever somebody makes of one, it is a picture and nothing that runs. */
export const logos: Shelf = {
  path: `${LOGO_PATH}/:hash`,
  param: 'hash',
  find: async (ctx, hash) => {
    const found = HASH.test(hash) ? await findLogo(ctx.db, hash) : undefined
    return found && { type: found.type, body: found.logo }
  },
}
