import { getAuth } from '../lib/latchkey.js'

export default async function Home() {
  const auth = await getAuth()
  return (
    <>
      <h1>Reports</h1>
      {/* A plain link: Next.js must not fetch these addresses in advance. */}
      <p>{auth ? <a href="/reports">Open the reports</a> : <a href="/sign-in">Sign in</a>}</p>
    </>
  )
}
