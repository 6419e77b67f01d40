import { type ReactElement, type ReactNode, useEffect, useMemo } from 'react'
import { getConnection } from './connection.ts'
import { LatchkeyContext } from './context.ts'

export interface LatchkeyProviderProps {
  /** The base URL of Latchkey, such as https://id.example.com. */
  issuer: string
  /** The id of a client of the kind SPA. */
  clientId: string
  /** The id of your application, for license checks. It is the `aud` of its access tokens. */
  applicationId: string
  /** Where the service sends the browser after a sign-in. Register it for the client. Default: the origin and `/`. */
  redirectUri?: string | undefined
  /** Default: `openid profile email`. With `offline_access`, tokens are renewed without a redirect. */
  scope?: string | undefined
  /** The slug of the tenant to sign in for. Default: the only one of the user, or the one that the user chooses. */
  tenant?: string | undefined
  /**
   * Look for a session of the service also in a tab where nobody was signed in yet, by a redirect when the page is
   * loaded. Default: false, so that visitors are not redirected.
   */
  restore?: boolean | undefined
  children?: ReactNode
}

/**
 * Connects the components below it to Latchkey.
 *
 * @example
 * <LatchkeyProvider issuer="http://localhost:3000" clientId="demo-spa" applicationId={applicationId}>
 *   <App />
 * </LatchkeyProvider>
 */
export function LatchkeyProvider(props: LatchkeyProviderProps): ReactElement {
  const { clientId, applicationId, scope = 'openid profile email', tenant, restore = false, children } = props
  // A variable that is not set must lead to an error with advice, and not to a page that is empty.
  const issuer = (props.issuer ?? '').replace(/\/$/, '')
  const redirectUri = props.redirectUri ?? (typeof location === 'undefined' ? '' : `${location.origin}/`)
  const value = useMemo(
    () => ({ connection: getConnection({ issuer, clientId, applicationId, redirectUri, scope }), tenant }),
    [issuer, clientId, applicationId, redirectUri, scope, tenant],
  )
  useEffect(() => value.connection.session.start({ restore, tenant }), [value, restore, tenant])
  return <LatchkeyContext.Provider value={value}>{children}</LatchkeyContext.Provider>
}
