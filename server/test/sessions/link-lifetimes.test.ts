import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { call, createSignedInUser, listMailTo, type TestUser } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

describe.each([
  ['default', {}, { reset: 'one hour', link: 'one day' }],
  ['configured', { PASSWORD_RESET_TTL: '2700', EMAIL_LINK_TTL: '129600' }, { reset: '45 minutes', link: '36 hours' }],
])('with %s lifetimes', (_, variables, texts) => {
  let service: TestService
  let ann: TestUser
  beforeAll(async () => {
    const { lifetimes } = loadConfig('demo', variables)
    service = await startDemoService({ config: { lifetimes }, worker: true })
    ann = await createSignedInUser(service)
  })
  afterAll(() => service?.close())

  const textOfMail = (to: string, subject: string) =>
    eventually(async () => (await listMailTo(service, to)).find((mail) => mail.subject === subject)?.text)

  test('the mail of a password reset states how long its link works', async () => {
    await call(`${service.url}/api/auth/password/forgot`, { method: 'POST', body: { email: ann.email } })
    expect(await textOfMail(ann.email, 'Choose a new password')).toContain(
      `The link works once, within ${texts.reset}.`,
    )
  })

  test('so do the mails that confirm an address', async () => {
    const ben = await createSignedInUser(service, { email_verified: false })
    await ben.call('POST', '/api/users/me/email/verification')
    expect(await textOfMail(ben.email, 'Confirm your email address')).toContain(`The link is valid for ${texts.link}.`)
    const newEmail = `new-${ann.email}`
    await call(`${service.url}/api/users/me/email`, {
      method: 'POST',
      body: { newEmail, password: PASSWORD },
      headers: { cookie: ann.cookie, origin: service.url },
    })
    expect(await textOfMail(newEmail, 'Confirm your new email address')).toContain(
      `The link works once, within ${texts.link}.`,
    )
  })

  test('so does the mail of a reset by an administrator', async () => {
    const admin = await createSignedInUser(service, { is_super_admin: true })
    const ben = await createSignedInUser(service)
    expect((await admin.call('POST', `/api/admin/users/${ben.id}/password-reset`)).status).toBe(200)
    expect(await textOfMail(ben.email, 'You need a new password')).toContain(
      `The link works once, within ${texts.link}. After that, ask for another on the`,
    )
  })
})
