import { IfLicensed, TenantSwitcher, useAuth, useTenant, useUser } from '@latchkey/react'
import { ExportButton } from './export-button.jsx'

export function App() {
  const { status, error, signIn } = useAuth()
  if (status === 'loading') return <p>Loading …</p>
  if (status === 'signedIn') return <Projects />
  return (
    <>
      <h1>Projects</h1>
      {error && <p role="alert">{error.message}</p>}
      <button type="button" onClick={() => signIn()}>
        Sign in
      </button>
    </>
  )
}

function Projects() {
  const { signOut } = useAuth()
  const { tenant } = useTenant()
  const user = useUser()
  return (
    <>
      <h1>Projects of {tenant?.slug}</h1>
      <p>You are signed in as {user.name}.</p>
      <TenantSwitcher />
      <IfLicensed
        feature="export"
        loading={<p>Loading …</p>}
        fallback={<p>Your license does not include the export.</p>}
      >
        <ExportButton />
      </IfLicensed>
      <button type="button" onClick={() => signOut()}>
        Sign out
      </button>
    </>
  )
}
