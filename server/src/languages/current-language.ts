import { AsyncLocalStorage } from 'node:async_hooks'
import { DEFAULT_LANGUAGE, type Language, matchLanguage } from './languages.ts'

/** The language of the page, mail or response that is being made. It is not passed by hand, because every text needs it. */
const current = new AsyncLocalStorage<Language | undefined>()

export const currentLanguage = (): Language => current.getStore() ?? DEFAULT_LANGUAGE

/** The language of the page, or the one that the request names; undefined where none is known: texts are in English. */
export const findRequestLanguage = (): Language | undefined => current.getStore()

export const runInLanguage = <Result>(language: Language | undefined, work: () => Result): Result =>
  current.run(language, work)

/** For texts that are logged, stored, or read by programs. */
export const inEnglish = <Result>(work: () => Result): Result => runInLanguage(DEFAULT_LANGUAGE, work)

/** Continues the work of a request in a job, in the language of that request. A later release may have more languages. */
export function resumeInLanguage<Result>(tag: string | undefined, work: () => Result): Result {
  const language = matchLanguage([tag ?? ''])
  return language === undefined ? work() : runInLanguage(language, work)
}
