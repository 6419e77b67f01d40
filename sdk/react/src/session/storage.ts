/** A sign-in in progress. The values are kept while the browser is at the service. */
export interface Attempt {
  state: string
  nonce: string
  verifier: string
  /** The URL to return to. */
  returnUrl: string
  tenant: string | undefined
}

/** Whether somebody was signed in in this tab, and for which tenant. */
export type LastStatus = { signedIn: true; tenant: string | undefined } | { signedIn: false }

/** Values for a reload of this tab. Tokens are never stored. */
export interface TabStorage {
  saveAttempt(attempt: Attempt): void
  findAttempt(): Attempt | undefined
  removeAttempt(): void
  saveLastStatus(status: LastStatus): void
  findLastStatus(): LastStatus | undefined
}

export function createTabStorage(clientId: string): TabStorage {
  const attemptKey = `latchkey.${clientId}.sign-in`
  const statusKey = `latchkey.${clientId}.status`
  return {
    saveAttempt: (attempt) => sessionStorage.setItem(attemptKey, JSON.stringify(attempt)),
    findAttempt: () => parse<Attempt>(sessionStorage.getItem(attemptKey)),
    removeAttempt: () => sessionStorage.removeItem(attemptKey),
    saveLastStatus: (status) => sessionStorage.setItem(statusKey, JSON.stringify(status)),
    findLastStatus: () => parse<LastStatus>(sessionStorage.getItem(statusKey)),
  }
}

function parse<T>(text: string | null): T | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}
