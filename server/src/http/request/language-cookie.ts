import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Ctx } from '../../context.ts'
import { type Language, matchChosenLanguage, matchLanguage, parseAcceptLanguage } from '../../languages/languages.ts'
import { readCookie, setCookie } from './cookies.ts'

const COOKIE = 'latchkey_language'
const MAX_AGE_SECONDS = 400 * 86_400

/** The language that was chosen in this browser, or of the person who signed in here last. */
export const readLanguageCookie = (request: FastifyRequest, config: Config): Language | undefined =>
  matchChosenLanguage(readCookie(request, config, COOKIE) ?? '')

/** What was chosen in this browser, or else what the browser asks for. */
export const findBrowserLanguage = (request: FastifyRequest, config: Config): Language | undefined =>
  readLanguageCookie(request, config) ?? matchLanguage(parseAcceptLanguage(request.headers['accept-language']))

/** From now on pages in this browser are in the language of the person. Undefined: we do not have it. */
export function rememberLanguage({ config }: Ctx, reply: FastifyReply, locale: string | null): Language | undefined {
  const language = matchChosenLanguage(locale ?? '')
  if (language !== undefined) setLanguageCookie(reply, config, language)
  return language
}

export const setLanguageCookie = (reply: FastifyReply, config: Config, value: Language): void =>
  setCookie(reply, config, { name: COOKIE, value, maxAgeSeconds: MAX_AGE_SECONDS })
