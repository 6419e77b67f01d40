import { findBrand } from '../branding/find-brand.ts'
import type { Ctx } from '../context.ts'
import type { Fields } from '../lib/fields.ts'
import type { Brand } from '../ui/brand.ts'
import { type LoginTransaction, readLoginTransaction } from './login-transaction.ts'

/**
 * The brand of the pages of a login, for the signed-in user if `viewerId` is given. Without a login this is the default
 * brand, and nothing is read.
 */
export const findLoginBrand = (
  ctx: Ctx,
  login: LoginTransaction | undefined,
  viewerId?: string,
): Promise<Brand | undefined> => findBrand(ctx, { clientId: login?.clientId, tenant: login?.tenant, viewerId })

/**
 * The brand for a URL with a login or a client_id. A tenant in the URL is ignored: anybody may create a tenant with any
 * name and send links to our pages.
 */
export function findUrlBrand(ctx: Ctx, query: Fields): Promise<Brand | undefined> {
  const login = readLoginTransaction(ctx, query.get('journey'))
  if (login) return findLoginBrand(ctx, login)
  return findBrand(ctx, { clientId: query.get('client_id') })
}

/** The URL of a page that is reached without a login, for example from a mail, with the client whose brand it shows. */
export function urlWithClient(path: string, parameters: Record<string, string>, clientId: string | undefined): string {
  const query = new URLSearchParams({
    ...parameters,
    ...(clientId !== undefined && { client_id: clientId }),
  })
  return query.size === 0 ? path : `${path}?${query}`
}
