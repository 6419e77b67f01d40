import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { findBrowserLanguage } from '../http/request/language-cookie.ts'
import { DEFAULT_LANGUAGE, type Language, matchLanguage } from '../languages/languages.ts'
import type { Fields } from '../lib/fields.ts'
import { readLoginTransaction } from './login-transaction.ts'

/**
 * The language of a hosted page: what the application asked for (`ui_locales`), then the language of this browser, which
 * is that of the person who signed in or what was chosen here, and then what the browser asks for.
 */
export async function findPageLanguage(
  ctx: Ctx,
  { request, query }: { request: FastifyRequest; query: Fields },
): Promise<Language> {
  const login = readLoginTransaction(ctx, query.get('journey'))
  return (
    login?.language ??
    matchLanguage((query.get('ui_locales') ?? '').split(' ')) ??
    findBrowserLanguage(request, ctx.config) ??
    DEFAULT_LANGUAGE
  )
}
