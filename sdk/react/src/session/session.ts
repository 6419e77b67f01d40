import type { AuthError } from '../auth-error.ts'
import { createStore, type Store } from '../store.ts'
import type { ActiveTenant, User } from './claims.ts'
import { createProtocol, type ProtocolOptions } from './protocol.ts'
import { createRedirects, type SignInOptions, type StartOptions } from './redirects.ts'
import { createRenewal } from './renewal.ts'
import { toReturnUrl } from './return-url.ts'
import { createTabStorage } from './storage.ts'
import { toAuthError } from './to-auth-error.ts'

export type AuthStatus = 'loading' | 'signedIn' | 'signedOut' | 'error'

/** What components show. It contains no token. */
export interface SessionState {
  status: AuthStatus
  error: AuthError | undefined
  user: User | undefined
  tenant: ActiveTenant | undefined
}

export interface SignOutOptions {
  /** Where to return to, a path of this origin. The URL must be registered for the client. Default: `/`. */
  returnTo?: string | undefined
}

export interface AccessTokenOptions {
  /** Renew an expired token by a redirect if there is no refresh token. The page is left. */
  redirect?: boolean
}

/** The sign-in of one page. Components subscribe to its state. */
export interface Session extends Store<SessionState> {
  /** Completes a sign-in or restores the session. Only the first call does something. */
  start(options: StartOptions): void
  signIn(options: SignInOptions): Promise<void>
  signOut(options?: SignOutOptions): Promise<void>
  getAccessToken(options?: AccessTokenOptions): Promise<string>
  /** Renews a token that the service has refused, and signs out if that fails. */
  replaceToken(refused: string): Promise<string>
  switchTenant(slug: string): Promise<void>
}

export const LOADING: SessionState = { status: 'loading', error: undefined, user: undefined, tenant: undefined }
const SIGNED_OUT: SessionState = { ...LOADING, status: 'signedOut' }

export function createSession(options: ProtocolOptions): Session {
  const protocol = createProtocol(options)
  const storage = createTabStorage(options.clientId)
  const { getState, setState, subscribe } = createStore(LOADING)
  const ready = whenReady({ getState, subscribe })
  const { issuer, clientId } = options
  const explain = (error: unknown) =>
    toAuthError(error, { issuer, clientId, origin: location.origin, request: 'tokens' })
  const fail = (error: unknown, retry: () => Promise<void>) =>
    setState({ ...LOADING, status: 'error', error: explain(error).withRetry(retry) })

  const renewal = createRenewal({
    refresh: protocol.refresh,
    explain,
    onChange(tokens) {
      storage.saveLastStatus(tokens ? { signedIn: true, tenant: tokens.tenant?.slug } : { signedIn: false })
      const { user, tenant } = tokens ?? {}
      setState(tokens ? { status: 'signedIn', error: undefined, user, tenant } : SIGNED_OUT)
    },
  })
  const redirects = createRedirects({
    options,
    protocol,
    storage,
    onTokens: renewal.set,
    onSignedOut: () => setState(SIGNED_OUT),
    onError: fail,
  })
  let otherTabs: BroadcastChannel | undefined

  async function signOut({ returnTo = '/' }: SignOutOptions = {}): Promise<void> {
    const tokens = renewal.get()
    renewal.set(undefined)
    if (tokens?.sessionId !== undefined) otherTabs?.postMessage(tokens.sessionId)
    try {
      location.assign(await protocol.endSession(tokens?.idToken, toReturnUrl(returnTo, location.origin)))
    } catch (error) {
      fail(error, () => signOut({ returnTo }))
    }
  }

  return {
    getState,
    subscribe,
    start(startOptions) {
      if (otherTabs) return
      otherTabs = new BroadcastChannel(`latchkey ${issuer} ${clientId}`)
      otherTabs.onmessage = ({ data }) => {
        if (renewal.get()?.sessionId === data) renewal.set(undefined)
      }
      void redirects.arrive(startOptions)
    },
    signIn: redirects.signIn,
    signOut,
    async getAccessToken({ redirect = false } = {}) {
      await ready
      if (!redirect || !renewal.needsRedirect()) return renewal.getAccessToken()
      await redirects.restore(renewal.get()?.tenant?.slug)
      // The page is being left.
      return new Promise(() => {})
    },
    replaceToken: renewal.replaceToken,
    async switchTenant(slug) {
      await ready
      // Without a refresh token, or if the tenant requires a second factor or consent, the service must show a page.
      if (!(await renewal.switchTenant(slug))) await redirects.signIn({ tenant: slug })
    },
  }
}

/** Resolves when the session is restored or known to be absent. Components may ask for a token before that. */
const whenReady = ({ getState, subscribe }: Store<SessionState>): Promise<void> =>
  new Promise((resolve) => {
    const unsubscribe = subscribe(() => {
      if (getState().status === 'loading') return
      unsubscribe()
      resolve()
    })
  })
