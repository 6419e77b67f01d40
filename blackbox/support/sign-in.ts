import { expect } from 'vitest'
import type { Browser } from './browser.ts'
import { type ApiResponse, readResponse } from './service.ts'

export const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A user of `newPerson` in the response of a sign-in route. */
export const expectedUser = (email: string, fields: object = {}) => ({
  id: expect.stringMatching(UUID),
  email,
  emailVerified: false,
  displayName: 'Sam Someone',
  givenName: 'Sam',
  familyName: 'Someone',
  ...fields,
})

/** The complete response of a successful sign-in. */
export const expectedSignIn = (email: string, fields?: object) => ({
  user: expectedUser(email, fields),
  session: { id: expect.stringMatching(UUID) },
})

/** The value of the session cookie, whose name has a prefix over HTTPS. */
export const findSessionCookie = ({ cookies }: Browser): string | undefined =>
  [...cookies].find(([name]) => name.endsWith('latchkey_session'))?.[1]

/** Posts to a sign-in route with the cookies of the browser. */
export const postAuth = async (browser: Browser, path: string, body: unknown): Promise<ApiResponse> =>
  readResponse(await browser.postJson(`/api/auth/${path}`, body))

export const hasSession = async (browser: Browser): Promise<boolean> =>
  (await browser.get('/api/users/me')).status === 200
