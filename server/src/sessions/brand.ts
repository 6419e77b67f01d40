import { findBrand } from '../branding/brands.ts'
import type { Ctx } from '../context.ts'
import type { Fields } from '../lib/fields.ts'
import type { Brand } from '../ui/brand.ts'
import { type Journey, openJourney } from './journey.ts'

/**
 * What the pages of a journey look like, before the sign-in or, with a viewer, for whoever is signed in. Who is on none
 * sees our own name, and nothing is read for that.
 */
export const brandOf = (
  ctx: Ctx,
  journey: Journey | undefined,
  viewerId?: string,
): Promise<Brand | undefined> =>
  findBrand(ctx, { clientId: journey?.clientId, tenant: journey?.tenant, viewerId })

/**
 * The same by what an address says: of the journey, or of the request that would begin one. A tenant in it is not
 * believed: anybody may found one, call it what they like and send people a link to one of our pages.
 */
export function brandOfAddress(ctx: Ctx, query: Fields): Promise<Brand | undefined> {
  const journey = openJourney(ctx, query.get('journey'))
  if (journey) return brandOf(ctx, journey)
  return findBrand(ctx, { clientId: query.get('client_id') })
}

/** The address of a page that is found without a journey, by a mail perhaps, and is to look like the pages of one. */
export function addressOf(
  path: string,
  parameters: Record<string, string>,
  clientId: string | undefined,
): string {
  const query = new URLSearchParams({
    ...parameters,
    ...(clientId !== undefined && { client_id: clientId }),
  })
  return query.size === 0 ? path : `${path}?${query}`
}
