import type { FastifyRequest } from 'fastify'
import { findDefaultLanguage } from '../branding/find-brand.ts'
import type { Ctx } from '../context.ts'
import { readLanguageCookie } from '../http/request/language-cookie.ts'
import { type Language, matchLanguage, parseAcceptLanguage } from '../languages/languages.ts'
import type { Fields } from '../lib/fields.ts'
import { type LoginTransaction, readLoginTransaction } from './login-transaction.ts'

interface LocalizedPage {
  request: FastifyRequest
  query: Fields
  tenant?: string
  /** Left out: that in the URL. */
  login?: LoginTransaction | undefined
}

/**
 * The language of a hosted page, undefined for the default: what the application asked for (`ui_locales`), then the language of this browser, which
 * is that of the person who signed in or what was chosen here, then the default language of the tenant, and then what the
 * browser asks for. The tenant is that of the login unless the page belongs to another one.
 */
export async function findPageLanguage(
  ctx: Ctx,
  { request, query, tenant, login = readLoginTransaction(ctx, query.get('journey')) }: LocalizedPage,
): Promise<Language | undefined> {
  return (
    // A later release, which a rolling upgrade runs too, may have more languages.
    matchLanguage([login?.language ?? '']) ??
    readLanguageCookie(request, ctx.config) ??
    // In the URL of an authorization request. Anybody can add it to a link, so it does not replace a known language.
    matchLanguage((query.get('ui_locales') ?? '').split(' ')) ??
    (await findDefaultLanguage(ctx, { clientId: login?.clientId, tenant: tenant ?? login?.tenant })) ??
    matchLanguage(parseAcceptLanguage(request.headers['accept-language']))
  )
}
