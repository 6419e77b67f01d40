import { AuthError, renewalError, signedOutError } from '../auth-error.ts'
import { isInvalidGrant } from './to-auth-error.ts'
import type { Tokens } from './tokens.ts'

/** Access tokens are renewed this long before they expire. */
const RENEW_BEFORE_MS = 30_000

interface RenewalOptions {
  refresh(tokens: Tokens, refreshToken: string, tenant: string | undefined): Promise<Tokens>
  explain(error: unknown): AuthError
  /** Called with the new tokens, or with undefined when the session has ended. */
  onChange(tokens: Tokens | undefined): void
}

/** Holds the tokens and renews them, one request at a time, because a refresh token may be used only once. */
export interface Renewal {
  get(): Tokens | undefined
  set(tokens: Tokens | undefined): void
  getAccessToken(): Promise<string>
  /** True if the access token has expired and there is no refresh token. */
  needsRedirect(): boolean
  replaceToken(refused: string): Promise<string>
  /** Gets tokens for another tenant. Returns false if that is not possible without a page of the service. */
  switchTenant(slug: string): Promise<boolean>
}

export function createRenewal({ refresh, explain, onChange }: RenewalOptions): Renewal {
  let tokens: Tokens | undefined
  let running: Promise<Tokens> | undefined

  function set(next: Tokens | undefined): void {
    tokens = next
    onChange(next)
  }

  function requireTokens(): Tokens {
    if (!tokens) throw signedOutError()
    return tokens
  }

  const expiresWithin = (ms: number, { expiresAt }: Tokens) => expiresAt - ms <= Date.now()

  async function request(tenant: string | undefined): Promise<Tokens> {
    const current = requireTokens()
    if (current.refreshToken === undefined) throw renewalError()
    try {
      const renewed = await refresh(current, current.refreshToken, tenant)
      // The user has signed out meanwhile.
      if (tokens !== current) throw signedOutError()
      set(renewed)
      return renewed
    } catch (error) {
      // With another tenant, the service may refuse the tenant alone. The tokens then stay valid.
      if (isInvalidGrant(error) && tenant === undefined && tokens === current) {
        set(undefined)
        throw signedOutError()
      }
      throw explain(error)
    }
  }

  /** Joins a renewal that is running. A switch to another tenant waits for it and starts its own. */
  function renew(tenant?: string): Promise<Tokens> {
    if (running && tenant === undefined) return running
    const started = running
      ? running.then(
          () => request(tenant),
          () => request(tenant),
        )
      : request(tenant)
    running = started
    const finish = () => {
      if (running === started) running = undefined
    }
    started.then(finish, finish)
    return started
  }

  return {
    get: () => tokens,
    set,
    needsRedirect: () => tokens !== undefined && tokens.refreshToken === undefined && expiresWithin(0, tokens),
    async getAccessToken() {
      if (running) await running.catch(() => {})
      const current = requireTokens()
      const canRenew = current.refreshToken !== undefined
      if (!expiresWithin(canRenew ? RENEW_BEFORE_MS : 0, current)) return current.accessToken
      try {
        return (await renew()).accessToken
      } catch (error) {
        // The current token is good for a few more seconds, in which the connection may come back.
        const isTemporary = error instanceof AuthError && error.name === 'NetworkError'
        if (isTemporary && !expiresWithin(0, current)) return current.accessToken
        throw error
      }
    },
    async replaceToken(refused) {
      const current = requireTokens()
      // Another request has replaced it already.
      if (current.accessToken !== refused) return current.accessToken
      if (current.refreshToken !== undefined) return (await renew()).accessToken
      set(undefined)
      throw signedOutError()
    },
    async switchTenant(slug) {
      if (requireTokens().refreshToken === undefined) return false
      try {
        await renew(slug)
        return true
      } catch (error) {
        if (error instanceof AuthError && isInvalidGrant(error.cause)) return false
        throw error
      }
    },
  }
}
