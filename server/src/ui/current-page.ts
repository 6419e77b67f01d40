import { AsyncLocalStorage } from 'node:async_hooks'

/** The page that is being made, for the choice of the language in its footer. */
export interface CurrentPage {
  /** Where the browser returns to. */
  path: string
  createCsrf(): string
}

const current = new AsyncLocalStorage<CurrentPage>()

export const findCurrentPage = (): CurrentPage | undefined => current.getStore()

/** A page that cannot be opened again has no path. */
export const runAsPage = <Result>(page: CurrentPage | undefined, work: () => Result): Result =>
  page === undefined ? work() : current.run(page, work)
