import { redirect } from 'next/navigation'
import { getAuth, latchkey } from '../../lib/latchkey.js'
import { getSession } from '../../lib/session.js'

/** A protected page. When the access token has expired, Latchkey returns at once if the user is still signed in there. */
export default async function Reports() {
  const auth = await getAuth()
  if (!auth) redirect('/sign-in')
  const { name } = await getSession()
  return (
    <>
      <h1>Reports of {auth.tenantSlug}</h1>
      <p>You are signed in as {name}.</p>
      {(await latchkey.hasFeature(auth, 'export')) ? (
        <p>
          <a href="/api/export">Export</a>
        </p>
      ) : (
        <p>Your license does not include the export.</p>
      )}
      <form method="post" action="/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </>
  )
}
