import type { Protocol, ProtocolOptions } from './protocol.ts'
import { findResponse } from './response.ts'
import { toReturnUrl } from './return-url.ts'
import type { Attempt, TabStorage } from './storage.ts'
import { isRefused, needsInteraction } from './to-auth-error.ts'
import type { Tokens } from './tokens.ts'

export interface SignInOptions {
  /** The slug of the tenant to sign in for. Default: the `tenant` of the provider. */
  tenant?: string | undefined
  /** The email address to prefill. */
  loginHint?: string | undefined
  /** Where to return to, a path of this origin. Default: the current page. */
  returnTo?: string | undefined
}

export interface StartOptions {
  /** Also look for a session in a tab where nobody was signed in yet. */
  restore: boolean
  tenant: string | undefined
}

/** What a redirect leads to. */
interface Outcomes {
  onTokens(tokens: Tokens): void
  onSignedOut(): void
  onError(error: unknown, retry: () => Promise<void>): void
}

interface Dependencies extends Outcomes {
  options: ProtocolOptions
  protocol: Protocol
  storage: TabStorage
}

/** Sends the browser to the service and handles its return. */
export interface Redirects {
  signIn(options: SignInOptions): Promise<void>
  /** Gets tokens from the session of the browser, with prompt=none. Throws if the service does not answer. */
  restore(tenant: string | undefined): Promise<void>
  /** Handles the URL of the page: the response of the service, or an ordinary one. */
  arrive(options: StartOptions): Promise<void>
}

export function createRedirects({ options, protocol, storage, ...outcomes }: Dependencies): Redirects {
  async function leave({ tenant, loginHint, returnTo = location.href }: SignInOptions, prompt?: 'none'): Promise<void> {
    const attempt = protocol.createAttempt({ returnUrl: toReturnUrl(returnTo, location.origin), tenant })
    const url = await protocol.createAuthorizationUrl(attempt, { tenant, login_hint: loginHint, prompt })
    storage.saveAttempt(attempt)
    // A page that only restores a session does not become an entry of the history.
    if (prompt === 'none') location.replace(url)
    else location.assign(url)
  }

  async function signIn(request: SignInOptions): Promise<void> {
    try {
      await leave(request)
    } catch (error) {
      outcomes.onError(error, () => signIn(request))
    }
  }

  const restore = (tenant: string | undefined) => leave({ tenant }, 'none')

  async function complete(response: URLSearchParams, attempt: Attempt): Promise<void> {
    try {
      outcomes.onTokens(await protocol.exchangeCode(response, attempt))
    } catch (error) {
      // From now on, nobody is redirected until signIn: the answer would be the same.
      if (isRefused(error)) storage.saveLastStatus({ signedIn: false })
      if (needsInteraction(error)) outcomes.onSignedOut()
      else outcomes.onError(error, () => signIn({ tenant: attempt.tenant, returnTo: attempt.returnUrl }))
    }
  }

  async function handleUrl({ restore: isRestoring, tenant }: StartOptions): Promise<void> {
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
    outcomes.onSignedOut()
  }

  async function arrive(startOptions: StartOptions): Promise<void> {
    try {
      await handleUrl(startOptions)
    } catch (error) {
      outcomes.onError(error, () => arrive(startOptions))
    }
  }

  return { signIn, restore, arrive }
}

/** Replaces the URL of the page. Routers notice it by the event, as after the back button. */
function replaceUrl(url: string): void {
  history.replaceState(history.state, '', url)
  window.dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
}
