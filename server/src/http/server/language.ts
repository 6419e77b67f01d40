import type { FastifyInstance } from 'fastify'
import { runInLanguage } from '../../languages/current-language.ts'
import { matchLanguage } from '../../languages/languages.ts'

/**
 * Programs log error messages, so the API ignores Accept-Language: its messages are in English. A program that shows them
 * to people, such as the console, names a language in this header.
 */
const HEADER = 'latchkey-language'

export function setLanguage(app: FastifyInstance): void {
  // The async context is lost while the body arrives through socket events, so it is set again after that.
  for (const hook of ['onRequest', 'preValidation'] as const) {
    app.addHook(hook as 'onRequest', ({ headers }, _reply, done) => {
      const tag = headers[HEADER]
      const language = typeof tag === 'string' ? matchLanguage([tag]) : undefined
      if (language === undefined) done()
      else runInLanguage(language, done)
    })
  }
}
