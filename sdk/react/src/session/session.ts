import { type AuthError, signedOutError } from '../auth-error.ts'
import type { ActiveTenant, User } from './claims.ts'
import { createProtocol, type ProtocolOptions, type Tokens } from './protocol.ts'
import { createRenewal } from './renewal.ts'
import { findResponse } from './response.ts'
import { toReturnUrl } from './return-url.ts'
import { type Attempt, createTabStorage } from './storage.ts'
import { isRefused, needsInteraction, toAuthError } from './to-auth-error.ts'

export type AuthStatus = 'loading' | 'signedIn' | 'signedOut' | 'error'

/** What components show. It contains no token. */
export interface SessionState {
  status: AuthStatus
  error: AuthError | undefined
  user: User | undefined
  tenant: ActiveTenant | undefined
}

export interface SignInOptions {
  /** The slug of the tenant to sign in for. Default: the `tenant` of the provider. */
  tenant?: string | undefined
  /** The email address to prefill. */
  loginHint?: string | undefined
  /** Where to return to, a path of this origin. Default: the current page. */
  returnTo?: string | undefined
}

export interface SignOutOptions {
  /** Where to return to, a path of this origin. The URL must be registered for the client. Default: `/`. */
  returnTo?: string | undefined
}

export interface AccessTokenOptions {
  /** Renew an expired token by a redirect if there is no refresh token. The page is left. */
  redirect?: boolean
}

interface StartOptions {
  /** Also look for a session in a tab where nobody was signed in yet. */
  restore: boolean
  tenant: string | undefined
}

/** The sign-in of one page. Components subscribe to its state. */
export interface Session {
  getState(): SessionState
  subscribe(listener: () => void): () => void
  /** Completes a sign-in or restores the session. Only the first call does something. */
  start(options: StartOptions): void
  signIn(options?: SignInOptions): Promise<void>
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
  const listeners = new Set<() => void>()
  let state = LOADING
  let isStarted = false
  let otherTabs: BroadcastChannel | undefined
  let markReady = () => {}
  const ready = new Promise<void>((resolve) => {
    markReady = resolve
  })

  function setState(next: SessionState): void {
    state = next
    if (next.status !== 'loading') markReady()
    for (const listener of listeners) listener()
  }

  const explain = (error: unknown) =>
    toAuthError(error, {
      issuer: options.issuer,
      clientId: options.clientId,
      origin: location.origin,
      request: 'tokens',
    })
  const fail = (error: unknown, retry: () => Promise<void>) =>
    setState({ ...LOADING, status: 'error', error: explain(error).withRetry(retry) })

  const renewal = createRenewal({ refresh: protocol.refresh, explain, onChange: showTokens })

  function showTokens(tokens: Tokens | undefined): void {
    if (tokens === undefined) {
      storage.saveLastStatus({ signedIn: false })
      setState(SIGNED_OUT)
      return
    }
    const { user, tenant } = tokens
    storage.saveLastStatus({ signedIn: true, tenant: tenant?.slug })
    setState({ status: 'signedIn', error: undefined, user, tenant })
  }

  /** Sends the browser to the service. The page is left. */
  async function leave(
    { tenant, loginHint, returnTo = location.href }: SignInOptions,
    { silent }: { silent: boolean },
  ): Promise<void> {
    const attempt = protocol.createAttempt({ returnUrl: toReturnUrl(returnTo, location.origin), tenant })
    const url = await protocol.createAuthorizationUrl(attempt, {
      tenant,
      login_hint: loginHint,
      prompt: silent ? 'none' : undefined,
    })
    storage.saveAttempt(attempt)
    // The page that only restores a session does not become an entry of the history.
    if (silent) location.replace(url)
    else location.assign(url)
  }

  async function signIn(request: SignInOptions = {}): Promise<void> {
    try {
      await leave(request, { silent: false })
    } catch (error) {
      fail(error, () => signIn(request))
    }
  }

  async function restore(tenant: string | undefined): Promise<void> {
    try {
      await leave({ tenant }, { silent: true })
    } catch (error) {
      fail(error, () => restore(tenant))
    }
  }

  async function complete(response: URLSearchParams, attempt: Attempt): Promise<void> {
    try {
      renewal.set(await protocol.exchangeCode(response, attempt))
    } catch (error) {
      if (isRefused(error)) storage.saveLastStatus({ signedIn: false })
      if (needsInteraction(error)) setState(SIGNED_OUT)
      else fail(error, () => signIn({ tenant: attempt.tenant, returnTo: attempt.returnUrl }))
    }
  }

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

  async function load({ restore: isRestoring, tenant }: StartOptions): Promise<void> {
    const attempt = storage.findAttempt()
    const response = findResponse(location.href, { ...options, state: attempt?.state })
    if (response.kind === 'stale') replaceUrl(response.cleanUrl)
    if (response.kind === 'response' && attempt) {
      // Removed before the code is used: a reload must not use the code again.
      storage.removeAttempt()
      replaceUrl(toReturnUrl(attempt.returnUrl, location.origin))
      return complete(response.parameters, attempt)
    }
    const last = storage.findLastStatus()
    if (last?.signedIn) return restore(tenant ?? last.tenant)
    if (isRestoring && !last) return restore(tenant)
    setState(SIGNED_OUT)
  }

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    start(startOptions) {
      if (isStarted) return
      isStarted = true
      otherTabs = new BroadcastChannel(`latchkey ${options.issuer} ${options.clientId}`)
      otherTabs.onmessage = ({ data }) => {
        if (renewal.get()?.sessionId === data) renewal.set(undefined)
      }
      load(startOptions).catch((error: unknown) => fail(error, () => load(startOptions)))
    },
    signIn,
    signOut,
    async getAccessToken({ redirect = false } = {}) {
      await ready
      if (redirect && renewal.needsRedirect()) {
        await restore(renewal.get()?.tenant?.slug)
        // The page is being left.
        return new Promise(() => {})
      }
      return renewal.getAccessToken()
    },
    replaceToken: renewal.replaceToken,
    async switchTenant(slug) {
      await ready
      if (!renewal.get()) throw signedOutError()
      // Without a refresh token, or if the tenant requires a second factor or consent, the service must show a page.
      if (!(await renewal.switchTenant(slug))) await signIn({ tenant: slug })
    },
  }
}

/** Replaces the URL of the page. Routers notice it by the event, as after the back button. */
function replaceUrl(url: string): void {
  history.replaceState(history.state, '', url)
  window.dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
}
