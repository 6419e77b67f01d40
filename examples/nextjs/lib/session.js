import { getIronSession } from 'iron-session'
import { cookies } from 'next/headers'

/** The session of the browser: an encrypted cookie that scripts cannot read. */
export const getSession = async () =>
  getIronSession(await cookies(), {
    cookieName: 'session',
    password: process.env.SESSION_SECRET,
    cookieOptions: { httpOnly: true, sameSite: 'lax', secure: (process.env.APP_URL ?? '').startsWith('https:') },
  })
