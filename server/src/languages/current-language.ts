import { AsyncLocalStorage } from 'node:async_hooks'
import { DEFAULT_LANGUAGE, type Language } from './languages.ts'

/** The language of the page, mail or response that is being made. It is not passed by hand, because every text needs it. */
const current = new AsyncLocalStorage<Language>()

export const currentLanguage = (): Language => current.getStore() ?? DEFAULT_LANGUAGE

export const runInLanguage = <Result>(language: Language, work: () => Result): Result => current.run(language, work)

/** For texts that are logged, stored, or read by programs. */
export const inEnglish = <Result>(work: () => Result): Result => runInLanguage(DEFAULT_LANGUAGE, work)
