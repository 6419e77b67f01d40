import type { Ctx } from '../context.ts'
import type { Fields } from '../lib/fields.ts'
import { sealText, unsealText } from '../lib/seal.ts'
import { type LoginTransaction, urlWithLogin } from './login-transaction.ts'

const PURPOSE = 'typed-address'

/**
 * The URL of another page of the sign-in, with the address that the person has entered. It is encrypted, because logs
 * and the history of the browser keep URLs.
 */
export function urlWithAddress(
  ctx: Ctx,
  path: string,
  { login, email }: { login: LoginTransaction | undefined; email: string | undefined },
): string {
  if (login) return urlWithLogin(ctx, path, { ...login, loginHint: email ?? login.loginHint })
  return email === undefined ? path : `${path}?address=${sealText(ctx.keys, PURPOSE, email)}`
}

/** The address that was entered on another page, or that the client expects. */
export const readTypedAddress = (ctx: Ctx, query: Fields, login: LoginTransaction | undefined): string | undefined =>
  login?.loginHint ?? unsealText(ctx.keys, PURPOSE, query.get('address'))
