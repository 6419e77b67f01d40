import { useMemo } from 'react'
import type { AuthError } from './auth-error.ts'
import { useLatchkey, useSessionState } from './context.ts'
import type { SignInOptions } from './session/redirects.ts'
import type { AccessTokenOptions, AuthStatus, SignOutOptions } from './session/session.ts'

export interface Auth {
  status: AuthStatus
  /** Why the status is `error`. */
  error: AuthError | undefined
  /** Sends the browser to the sign-in page. After a failure, the status is `error`. */
  signIn(options?: SignInOptions): Promise<void>
  /** Ends the session at the service, also for the other tabs, and returns to `returnTo`. */
  signOut(options?: SignOutOptions): Promise<void>
  /** Returns a valid access token, and renews it when it is due. Throws an `AuthError`. */
  getAccessToken(options?: AccessTokenOptions): Promise<string>
}

/**
 * Sign-in and access tokens.
 *
 * @example
 * const { status, signIn, getAccessToken } = useAuth()
 * if (status === 'signedOut') return <button onClick={() => signIn()}>Sign in</button>
 */
export function useAuth(): Auth {
  const { connection, tenant } = useLatchkey()
  const { status, error } = useSessionState()
  const functions = useMemo(() => {
    const { signIn, signOut, getAccessToken } = connection.session
    return {
      signIn: (options: SignInOptions = {}) =>
        signIn({ ...readSignInOptions(options), tenant: options.tenant ?? tenant }),
      signOut: ({ returnTo }: SignOutOptions = {}) => signOut({ returnTo }),
      getAccessToken,
    }
  }, [connection, tenant])
  return { status, error, ...functions }
}

/** The function may be a click handler: fields of an event are not options. */
const readSignInOptions = ({ loginHint, returnTo }: SignInOptions): SignInOptions => ({ loginHint, returnTo })
