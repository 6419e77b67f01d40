import type { FastifyInstance, FastifyRequest } from 'fastify'
import { currentLanguage, runInLanguage } from '../../languages/current-language.ts'
import { DEFAULT_LANGUAGE, type Language, matchChosenLanguage } from '../../languages/languages.ts'

/**
 * Programs log error messages, so the API ignores Accept-Language: its messages are in English. A program that shows them
 * to people, such as the console, names a language in this header.
 */
const HEADER = 'latchkey-language'

export const namesLanguage = ({ headers }: FastifyRequest): boolean => headers[HEADER] !== undefined

export function setLanguage(app: FastifyInstance): void {
  // The async context is lost while the body arrives through socket events, so it is set again after that.
  for (const hook of ['onRequest', 'preValidation'] as const) {
    app.addHook(hook as 'onRequest', (request, _reply, done) => inRequestLanguage(request, done))
  }
}

/** Also for work that begins with an event of the connection, whose async context is not that of the request. */
export function inRequestLanguage<Result>(request: FastifyRequest, work: () => Result): Result {
  const language = languageOf(request)
  return language === currentLanguage() ? work() : runInLanguage(language, work)
}

function languageOf({ headers, routeOptions }: FastifyRequest): Language {
  const tag = headers[HEADER]
  // The errors of OAuth are in ASCII (RFC 6749 §5.2), and for developers.
  if (typeof tag !== 'string' || routeOptions.config.oauth) return DEFAULT_LANGUAGE
  return matchChosenLanguage(tag) ?? DEFAULT_LANGUAGE
}
