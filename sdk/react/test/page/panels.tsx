import { useEffect, useState, useSyncExternalStore } from 'react'
import { IfLicensed, TenantSwitcher, useAuth, useLicense, useTenant, useUser } from '../../src/index.ts'

declare global {
  /** Counts the effects, which StrictMode runs twice. */
  var effectRuns: number | undefined
}

/** Shows everything that the package offers. It never shows a token. */
export function Panels() {
  return (
    <main>
      <SignIn />
      <Facts />
      <Path />
      <ApiCall name="First" />
      <ApiCall name="Second" />
      <TenantSwitcher className="tenant-switcher" />
      <section aria-label="Export">
        <IfLicensed feature="export" fallback={<p>Upgrade to export</p>} loading={<p>Checking the license</p>}>
          <button type="button">Export</button>
        </IfLicensed>
      </section>
    </main>
  )
}

function SignIn() {
  const auth = useAuth()
  const { status, error, signIn, signOut, getAccessToken } = auth
  const { switchTenant } = useTenant()
  // Tests call these functions.
  useEffect(() => {
    Object.assign(globalThis, { signIn, signOut, getAccessToken, switchTenant })
  }, [signIn, signOut, getAccessToken, switchTenant])
  return (
    <section>
      <output aria-label="Status">{status}</output>
      {error && (
        <p role="alert">
          {error.name}: {error.message} {error.advice}
        </p>
      )}
      {error?.retry && (
        <button type="button" onClick={error.retry}>
          Try again
        </button>
      )}
      <button type="button" onClick={() => signIn()}>
        Sign in
      </button>
      <button type="button" onClick={() => signOut()}>
        Sign out
      </button>
    </section>
  )
}

function Facts() {
  const user = useUser()
  const { tenant, tenants } = useTenant()
  const { status, licenseType, features } = useLicense()
  const facts = { user, tenant, tenants: tenants.map(({ slug }) => slug), license: { status, licenseType, features } }
  return <output aria-label="Facts">{JSON.stringify(facts)}</output>
}

/** Asks for a token as soon as it is shown, before the provider has started. */
function ApiCall({ name }: { name: string }) {
  const { getAccessToken } = useAuth()
  const [result, setResult] = useState('waiting')
  useEffect(() => {
    globalThis.effectRuns = (globalThis.effectRuns ?? 0) + 1
    getAccessToken().then(
      (token) => setResult(`a token of ${token.split('.').length} parts`),
      (error: Error) => setResult(error.name),
    )
  }, [getAccessToken])
  return <output aria-label={name}>{result}</output>
}

/** Follows the URL as routers do. */
function Path() {
  const path = useSyncExternalStore(
    (listener) => {
      window.addEventListener('popstate', listener)
      return () => window.removeEventListener('popstate', listener)
    },
    () => location.pathname,
  )
  return <output aria-label="Path">{path}</output>
}
