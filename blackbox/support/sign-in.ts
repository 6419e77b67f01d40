import { expect } from 'vitest'
import type { Browser } from './browser.ts'
import { type Answer, read } from './service.ts'

export const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Somebody of `newPerson`, as the sign-in routes show them. */
export const shownUser = (email: string, fields: object = {}) => ({
  id: expect.stringMatching(UUID),
  email,
  emailVerified: false,
  displayName: 'Sam Someone',
  givenName: 'Sam',
  familyName: 'Someone',
  ...fields,
})

/** The whole answer to a sign-in that is complete. */
export const signedIn = (email: string, fields?: object) => ({
  user: shownUser(email, fields),
  session: { id: expect.stringMatching(UUID) },
})

/** The value of the session cookie, whose name has a prefix over https. */
export const sessionOf = ({ cookies }: Browser): string | undefined =>
  [...cookies].find(([name]) => name.endsWith('latchkey_session'))?.[1]

/** Asks one of the sign-in routes, with the browser's cookies. */
export const ask = async (browser: Browser, path: string, body: unknown): Promise<Answer> =>
  read(await browser.postJson(`/api/auth/${path}`, body))

export const isAlive = async (browser: Browser): Promise<boolean> =>
  (await browser.get('/api/users/me')).status === 200
