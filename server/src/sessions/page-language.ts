import type { FastifyRequest } from 'fastify'
import { findDefaultLanguage } from '../branding/find-brand.ts'
import type { Ctx } from '../context.ts'
import { readLanguageCookie } from '../http/request/language-cookie.ts'
import { DEFAULT_LANGUAGE, type Language, matchLanguage, parseAcceptLanguage } from '../languages/languages.ts'
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
 * The language of a hosted page: what the application asked for (`ui_locales`), then the language of this browser, which
 * is that of the person who signed in or what was chosen here, then the default language of the tenant, and then what the
 * browser asks for. The tenant is that of the login unless the page belongs to another one.
 */
export async function findPageLanguage(
  ctx: Ctx,
  { request, query, tenant, login = readLoginTransaction(ctx, query.get('journey')) }: LocalizedPage,
): Promise<Language> {
  return (
    // A later release, which a rolling upgrade runs too, may have more languages.
    matchLanguage([login?.language ?? '']) ??
    matchLanguage((query.get('ui_locales') ?? '').split(' ')) ??
    readLanguageCookie(request, ctx.config) ??
    (await findDefaultLanguage(ctx, { clientId: login?.clientId, tenant: tenant ?? login?.tenant })) ??
    matchLanguage(parseAcceptLanguage(request.headers['accept-language'])) ??
    DEFAULT_LANGUAGE
  )
}
